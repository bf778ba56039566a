import { PASSKEY_KINDS } from '../domain/people/passkey.ts';
import { oneOf } from '../lib/fields.ts';
import * as passkeys from '../services/people/passkeys.ts';
import * as factors from '../services/people/second-factors.ts';
import * as identities from '../services/sign-up/identities.ts';
import { beginConnecting } from '../services/sign-up/provider-sign-in.ts';
import { codeField, nameField, optional, sealedField, uuidField } from '../wire/dashboard/input.ts';
import { SIGNED_CHALLENGE } from '../wire/dashboard/passkey-input.ts';
import { nextField } from '../wire/dashboard/provider-input.ts';
import { personAct } from './act.ts';
import { leadToProvider } from './new-session.ts';

export const beginAuthenticator = personAct({
  permission: 'second_factors.edit',
  run: (deps, { person }) => factors.beginAuthenticator(deps, person),
});

/** Recovery codes if there were none. They are shown only now. */
export const addAuthenticator = personAct({
  permission: 'second_factors.edit',
  input: { sealed: sealedField, code: codeField },
  run: async (deps, { person, client, input }) => ({
    recoveryCodes: await factors.addAuthenticator(deps, person, client, input),
  }),
});

export const removeAuthenticator = personAct({
  permission: 'second_factors.edit',
  run: (deps, { person, client }) => factors.removeAuthenticator(deps, person, client),
});

export const renewRecoveryCodes = personAct({
  permission: 'second_factors.edit',
  run: async (deps, { person, client }) => ({
    recoveryCodes: await factors.renewRecoveryCodes(deps, person, client),
  }),
});

export const beginPasskey = personAct({
  permission: 'second_factors.edit',
  input: { kind: optional(oneOf(PASSKEY_KINDS, 'What the key is for.')) },
  run: (deps, { person, input: { kind = 'passkey' } }) => passkeys.beginPasskey(deps, person, kind),
});

/** Recovery codes if there were none. They are shown only now. */
export const addPasskey = personAct({
  permission: 'second_factors.edit',
  input: { ...SIGNED_CHALLENGE, name: nameField },
  run: async (deps, { person, client, input }) => ({
    recoveryCodes: await passkeys.addPasskey(deps, person, client, input),
  }),
});

export const renamePasskey = personAct({
  permission: 'second_factors.edit',
  input: { passkey: uuidField, name: nameField },
  run: (deps, { person, input }) => passkeys.renamePasskey(deps, person, input.passkey, input.name),
});

export const removePasskey = personAct({
  permission: 'second_factors.edit',
  input: { passkey: uuidField },
  run: (deps, { person, client, input }) => passkeys.removePasskey(deps, person, client, input.passkey),
});

export const connectIdentity = personAct({
  permission: 'account.secure',
  input: { next: optional(nextField) },
  run: (deps, asked) => leadToProvider(deps, asked, (next) => beginConnecting(deps, asked.person, next)),
});

export const removeIdentity = personAct({
  permission: 'account.secure',
  input: { identity: uuidField },
  run: (deps, { person, client, input }) => identities.removeIdentity(deps, person, client, input.identity),
});
