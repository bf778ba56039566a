import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import type { SecondFactor } from '../../domain/people/second-factor.ts';
import {
  isConfirmed,
  isLive,
  liveSince,
  MAX_SESSIONS,
  SEEN_EVERY,
  type Session,
  SUDO_SPAN,
  visitsDigest,
} from '../../domain/people/session.ts';
import { sha256 } from '../../lib/vault.ts';
import type { OpenSession, Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import {
  type AccountActor,
  accountSubject,
  actorsAccount,
  ownSessionId,
  requireOnAccount,
  requireSession,
} from './account-actor.ts';
import { type Client, networkOf, seenFrom } from './client.ts';
import { notingWrong, ofSession, takeCode } from './code-attempts.ts';
import type { AccountDeps, AccountSettings } from './deps.ts';
import { provePassword } from './passwords.ts';
import { asksForSecond, secondFactorExists, secondFactorsOf, useCode } from './second-factors.ts';

const TOKEN_BYTES = 32;
const MAX_PRUNED_AT_ONCE = 500;

/** A session as its browser uses it. */
export interface SignedIn extends OpenSession {
  readonly actor: AccountActor;
  /** Whether the person has to add a second factor before anything else. */
  readonly lacksSecondFactor: boolean;
}

/** A session whose token has just been made. Only the browser keeps the token. */
export interface MadeSession {
  readonly session: Session;
  readonly token: string;
}

/** The person who is signed in with the token. Null if nobody is. */
export async function findSignedIn(
  { store, clock, settings }: Pick<AccountDeps, 'store' | 'clock' | 'settings'>,
  token: string,
  client: Client,
): Promise<SignedIn | null> {
  // If a proxy names people, sessions do not count.
  if (settings.remoteUser !== null) return null;
  const open = await store.sessions.byDigest(sha256(token));
  const now = clock.now();
  if (open === null || !isLive(open.session, settings.sessions, now)) return null;
  const { session, account } = open;
  const lacksSecondFactor =
    // If a provider is the only way in, the provider asks for a second factor.
    settings.requiresSecondFactor &&
    settings.localSignIn &&
    !asksForSecond(await secondFactorsOf(store, session.accountId));
  return {
    ...open,
    lacksSecondFactor,
    actor: {
      accountId: session.accountId,
      caller: {
        kind: 'session',
        sessionId: session.id,
        isConfirmed: isConfirmed(session, now),
        lacksSecondFactor,
        isAdmin: account.isAdmin,
      },
      by: { ...sessionOf(session.accountId, account.email, client), chosenName: account.name },
    },
  };
}

/**
 * Notes that the session is in use, at most once a minute. The request goes on even if the database cannot store it.
 */
export async function noteUse(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { id, lastSeenAt }: Session,
  client: Client,
): Promise<void> {
  const at = clock.now();
  if (at - lastSeenAt < SEEN_EVERY) return;
  try {
    const { remoteAddr } = seenFrom(client);
    await store.transaction((tx) => tx.sessions.noteSeen(id, { at, remoteAddr }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** Starts a session. The session that the browser had before ends, if there was one. */
export async function startSession(
  { random, clock }: Pick<Deps, 'random' | 'clock'>,
  tx: Writes,
  account: Pick<Account, 'id'>,
  client: Client,
  before: string | null,
  maxSessions = MAX_SESSIONS,
): Promise<MadeSession> {
  if (before !== null) await endByToken(tx, before);
  const now = clock.now();
  const token = newToken(random);
  const session = await tx.sessions.insert({
    uuid: random.uuid(),
    accountId: account.id,
    tokenDigest: sha256(token),
    createdAt: now,
    lastSeenAt: now,
    // Signing in is a proof of identity.
    sudoUntilAt: now + SUDO_SPAN,
    ...seenFrom(client),
  });
  await tx.sessions.endOldest(account.id, maxSessions);
  return { session, token };
}

export async function listSessions(
  deps: Pick<AccountDeps, 'store'> & {
    readonly clock: Pick<AccountDeps['clock'], 'now'>;
    readonly settings: Pick<AccountSettings, 'sessions'>;
  },
  actor: AccountActor,
): Promise<Session[]> {
  requireOnAccount(actor, 'sessions.view');
  const now = deps.clock.now();
  const sessions = await deps.store.sessions.ofAccount(actor.accountId);
  return sessions.filter(
    (session) =>
      isLive(session, deps.settings.sessions, now) && session.tokenDigest !== visitsDigest(actor.accountId),
  );
}

export async function endSession(deps: AccountDeps, actor: AccountActor, uuid: string): Promise<void> {
  requireOnAccount(actor, 'sessions.end');
  await deps.store.transaction(async (tx) => {
    const account = await actorsAccount(tx, actor);
    if (!(await tx.sessions.endByUuid(account.id, uuid))) throw new AppError('session_not_found');
    await recordAct(deps, tx, actor.by, {
      action: 'session.ended',
      subject: { kind: 'session', id: uuid, name: account.email },
    });
  });
}

/** Ends all sessions of the account except the actor's own. Returns their number. */
export async function endOtherSessions(deps: AccountDeps, actor: AccountActor): Promise<number> {
  requireOnAccount(actor, 'sessions.end');
  return deps.store.transaction(async (tx) => {
    const account = await actorsAccount(tx, actor);
    const count = await tx.sessions.endOthers(account.id, ownSessionId(actor));
    const subject = accountSubject(account);
    await recordAct(deps, tx, actor.by, { action: 'sessions.ended', subject, details: { count } });
    return count;
  });
}

/** Ends all sessions of the account and revokes its tokens: their holder may not be the owner. */
export async function endAllAccess(tx: Writes, { id }: Pick<Account, 'id'>): Promise<void> {
  await tx.sessions.endOthers(id, null);
  await tx.accountTokens.removeAll(id);
}

/** Ends the session of the token. There may be none. */
export async function signOut({ store }: Pick<Deps, 'store'>, token: string): Promise<void> {
  await store.transaction((tx) => endByToken(tx, token));
}

async function endByToken(tx: Writes, token: string): Promise<void> {
  const open = await tx.sessions.byDigest(sha256(token));
  if (open !== null) await tx.sessions.end(open.session.id);
}

/**
 * Allows dangerous acts for a while, after a proof of identity. The token is replaced: a stolen older token does not
 * gain anything.
 */
export async function confirmWithPassword(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  password: string,
): Promise<MadeSession> {
  requireOnAccount(actor, 'account.view');
  const sessionId = requireSession(actor);
  await deps.attempts.take([{ rule: 'proofsPerSession', subject: String(sessionId) }]);
  const account = await actorsAccount(deps.store, actor);
  if (asksForSecond(await secondFactorsOf(deps.store, actor.accountId))) throw secondFactorExists();
  const requester = { network: networkOf(client), isKnown: true };
  if ((await provePassword(deps, account, password, requester)) === null)
    throw new AppError('wrong_credentials', 'Incorrect password.', { field: 'password' });
  return deps.store.transaction((tx) => confirmSession(deps, tx, actor, 'password'));
}

/** Confirms with a code of the app or a recovery code. */
export async function confirmWithCode(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  code: string,
): Promise<MadeSession> {
  requireOnAccount(actor, 'account.view');
  const { accountId } = actor;
  const sender = { accountId, client, own: ofSession(requireSession(actor)) };
  await takeCode(deps, sender, code);
  return notingWrong(deps, sender, () =>
    deps.store.transaction(async (tx) =>
      confirmSession(deps, tx, actor, await useCode(deps, tx, accountId, code)),
    ),
  );
}

/** A signed-in person's way of confirming their identity. */
type Confirmation = 'password' | 'passkey' | 'mailed_code' | 'provider' | SecondFactor;

/** Gives the actor's session a new token and the right to dangerous acts, after that proof. */
export async function confirmSession(
  deps: Pick<Deps, 'random' | 'clock'>,
  tx: Writes,
  actor: AccountActor,
  proof: Confirmation,
): Promise<MadeSession> {
  requireOnAccount(actor, 'account.view');
  const token = newToken(deps.random);
  const made = { tokenDigest: sha256(token), sudoUntilAt: deps.clock.now() + SUDO_SPAN };
  const isLeft = await tx.sessions.rotate(requireSession(actor), made);
  const open = isLeft ? await tx.sessions.byDigest(made.tokenDigest) : null;
  if (open === null) throw new AppError('not_signed_in');
  const subject = accountSubject(await actorsAccount(tx, actor));
  const details = { with: proof };
  await recordAct(deps, tx, actor.by, { action: 'account.confirmed', subject, details });
  return { session: open.session, token };
}

/** The actor of a session, for the audit log. */
export function sessionOf(accountId: number, email: string, client: Client): ActedBy {
  return { accountId, name: email, means: 'session', remoteAddr: client.address };
}

/** Deletes a bounded number of sessions that have ended. Returns whether there may be more. */
export async function pruneSessions({
  store,
  clock,
  settings,
}: Pick<AccountDeps, 'store' | 'clock' | 'settings'>): Promise<boolean> {
  const since = liveSince(settings.sessions, clock.now());
  const pruned = await store.transaction((tx) => tx.sessions.prune(since, MAX_PRUNED_AT_ONCE));
  return pruned >= MAX_PRUNED_AT_ONCE;
}

function newToken({ bytes }: Deps['random']): string {
  return Buffer.from(bytes(TOKEN_BYTES)).toString('base64url');
}
