import { confirmWithMailedCode, requestConfirmation } from '../services/people/mailed-codes.ts';
import * as sessions from '../services/people/sessions.ts';
import { beginConfirmation, confirmWithPasskey } from '../services/people/signatures.ts';
import { beginConfirming } from '../services/sign-up/provider-sign-in.ts';
import { codeField, optional, passwordField, sealedField, uuidField } from '../wire/dashboard/input.ts';
import { SIGNED_CHALLENGE } from '../wire/dashboard/passkey-input.ts';
import { nextField } from '../wire/dashboard/provider-input.ts';
import { personAct } from './act.ts';
import { leadToProvider, sessionCookie } from './new-session.ts';

export const endSession = personAct({
  permission: 'sessions.end',
  input: { session: uuidField },
  run: (deps, { person, input }) => sessions.endSession(deps, person, input.session),
});

export const endOtherSessions = personAct({
  permission: 'sessions.end',
  run: async (deps, { person }) => ({ ended: await sessions.endOtherSessions(deps, person) }),
});

// Proofs of identity. Each allows dangerous acts for a while, and replaces the token of the session.

export const confirmByPassword = personAct({
  permission: 'account.view',
  input: { password: passwordField },
  run: async (deps, { person, client, setCookie, input }) =>
    setCookie(sessionCookie(deps, await sessions.confirmWithPassword(deps, person, client, input.password))),
});

/** A code of the app, or a recovery code. */
export const confirmByCode = personAct({
  permission: 'account.view',
  input: { code: codeField },
  run: async (deps, { person, client, setCookie, input }) =>
    setCookie(sessionCookie(deps, await sessions.confirmWithCode(deps, person, client, input.code))),
});

/** The page sends the answer back with the code that was mailed. */
export const mailConfirmationCode = personAct({
  permission: 'account.view',
  run: async (deps, { person }) => ({ pending: (await requestConfirmation(deps, person)).pending }),
});

export const confirmByMailedCode = personAct({
  permission: 'account.view',
  input: { pending: sealedField, code: codeField },
  run: async (deps, { person, setCookie, input }) =>
    setCookie(sessionCookie(deps, await confirmWithMailedCode(deps, person, input))),
});

export const beginConfirmationByKey = personAct({
  permission: 'account.view',
  run: (deps, { person }) => beginConfirmation(deps, person),
});

export const confirmByKey = personAct({
  permission: 'account.view',
  input: SIGNED_CHALLENGE,
  run: async (deps, { person, setCookie, input }) =>
    setCookie(sessionCookie(deps, await confirmWithPasskey(deps, person, input))),
});

export const confirmByProvider = personAct({
  permission: 'account.view',
  input: { next: optional(nextField) },
  run: (deps, asked) => leadToProvider(deps, asked, (next) => beginConfirming(deps, asked.person, next)),
});
