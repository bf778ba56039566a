import { MAX_SHOWN_SIGN_INS } from '../domain/people/session.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { listConfirmationWays } from '../services/people/confirmation-ways.ts';
import { listSessions } from '../services/people/sessions.ts';
import { mainView, personView } from './view.ts';

/** The signed-in person, for every page. */
export const signedIn = mainView.person({
  permission: 'account.view',
  read: async (_deps, { signedIn: { account, session, lacksSecondFactor } }) => ({
    account: {
      uuid: account.uuid,
      email: account.email,
      name: account.name,
      isAdmin: account.isAdmin,
    },
    session: {
      uuid: session.uuid,
      /** Until then nothing asks for a proof of identity. Null if everything dangerous does. */
      confirmedUntil: toIsoSeconds(session.sudoUntilAt),
      /** Whether everything else is refused until the person has added a second factor. */
      needsSecondFactor: lacksSecondFactor,
    },
  }),
});

/** Ways to confirm one's identity, easiest first. */
export const confirmationWays = mainView.person({
  permission: 'account.view',
  read: (deps, { person }) => listConfirmationWays(deps, person),
});

/** The browsers that are signed in. */
export const openSessions = mainView.person({
  permission: 'sessions.view',
  read: async (deps, { person, signedIn: { session: current } }) =>
    (await listSessions(deps, person)).map((session) => ({
      uuid: session.uuid,
      isCurrent: session.id === current.id,
      created: toIsoSeconds(session.createdAt),
      lastSeen: toIsoSeconds(session.lastSeenAt),
      address: session.remoteAddr,
      userAgent: session.userAgent,
    })),
});

/** The last sign-ins of the account, the latest first. A sign-in outlives its session. */
export const lastSignIns = personView({
  permission: 'sessions.view',
  read: async ({ store }, { person }) =>
    (await store.auditLog.signInsOf(person.accountId, MAX_SHOWN_SIGN_INS)).map(
      ({ createdAt, remoteAddr, details }) => {
        const text = (name: string) => (typeof details[name] === 'string' ? details[name] : null);
        return {
          at: toIsoSeconds(createdAt),
          address: remoteAddr,
          userAgent: text('user_agent') ?? '',
          /** The first proof of identity. */
          with: text('with') ?? '',
          secondFactor: text('second_factor'),
        };
      },
    ),
});
