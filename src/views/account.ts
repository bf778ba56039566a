import { REMINDER_PERIODS, REMINDER_SECONDS } from '../domain/people/account.ts';
import { hasExpired, maskedToken } from '../domain/people/api-key.ts';
import { SCOPES } from '../domain/people/permission.ts';
import { RECOVERY_CODE_COUNT } from '../domain/people/second-factor.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { previewClosing } from '../services/people/closing.ts';
import { readProfile } from '../services/people/profile.ts';
import { secondFactorsOf } from '../services/people/second-factors.ts';
import { tokensOf } from '../services/people/tokens.ts';
import { findLastWayIn } from '../services/people/ways-in.ts';
import { mainView, personView } from './view.ts';

/** The account of the person, with their preferences. */
export const account = personView({
  permission: 'account.view',
  read: async (deps, { person }) => {
    const { account: own, preferences } = await readProfile(deps, person);
    const { tz, reports, reminderSeconds, language, dateFormat, clock } = preferences;
    return {
      email: own.email,
      name: own.name,
      hasPassword: own.passwordHash !== null,
      theme: own.theme,
      tz,
      reports,
      reminders: REMINDER_PERIODS.find((period) => REMINDER_SECONDS[period] === reminderSeconds) ?? 'off',
      /** The style of dates. An empty language is the browser's. */
      language,
      dateFormat,
      clock,
      /** When the next report comes. Null while reports are off. */
      nextReport: toIsoSeconds(preferences.nextReportAt),
      /** When the next reminder comes. Null while nothing is down, or reminders are off. */
      nextReminder: toIsoSeconds(preferences.nextReminderAt),
    };
  },
});

export const secondFactors = personView({
  permission: 'account.view',
  read: async ({ store }, { person }) => {
    const {
      authenticator,
      passkeys: keys,
      recoveryCodesLeft,
    } = await secondFactorsOf(store, person.accountId);
    return {
      /** Null if there is no app. */
      authenticator: authenticator && { created: toIsoSeconds(authenticator.createdAt) },
      passkeys: keys.filter(({ kind }) => kind === 'passkey').length,
      securityKeys: keys.filter(({ kind }) => kind === 'security_key').length,
      /** All of them together. A person with only one is locked out when it is lost and no recovery code is left. */
      count: keys.length + (authenticator === null ? 0 : 1),
      recoveryCodesLeft,
      /** The number that is made at once. */
      recoveryCodesMade: RECOVERY_CODE_COUNT,
    };
  },
});

export const passkeys = mainView.person({
  permission: 'account.view',
  read: async (deps, { person }) => ({
    passkeys: (await deps.store.passkeys.ofAccount(person.accountId)).map((key) => ({
      uuid: key.uuid,
      kind: key.kind,
      name: key.name,
      created: toIsoSeconds(key.createdAt),
      lastUsed: toIsoSeconds(key.lastUsedAt),
    })),
    /** The UUID of the one without which the person could not sign in. It cannot be removed. */
    lastWayIn: (await findLastWayIn(deps, person)).passkey,
  }),
});

/** The persons of providers that the account belongs to. */
export const identities = mainView.person({
  permission: 'account.view',
  read: async (deps, { person }) => ({
    identities: (await deps.store.identities.ofAccount(person.accountId)).map((identity) => ({
      uuid: identity.uuid,
      issuer: identity.issuer,
      /** The address that the provider named last. */
      email: identity.email,
      created: toIsoSeconds(identity.createdAt),
      lastUsed: toIsoSeconds(identity.lastUsedAt),
    })),
    /** Whether only the provider signs the person in. Then none can be removed. */
    isLastWayIn: (await findLastWayIn(deps, person)).isIdentity,
  }),
});

/** The data that is lost with the account. */
export const accountClosing = personView({
  permission: 'account.view',
  read: (deps, { person }) => previewClosing(deps, person),
});

/** The tokens of the account, in order of creation. */
export const accountTokens = personView({
  permission: 'tokens.view',
  read: async ({ store, clock }, { person }) => {
    const tokens = await tokensOf(store, person);
    return {
      tokens: tokens.map(({ token, projects }) => ({
        uuid: token.uuid,
        name: token.name,
        /** Without what keeps it secret. */
        token: maskedToken(token.lookup),
        scopes: token.scopes,
        /** UUIDs of the projects in which it works. Null: all. */
        projects,
        created: toIsoSeconds(token.createdAt),
        expires: toIsoSeconds(token.expiresAt),
        isExpired: hasExpired(token, clock.now()),
        lastUsed: toIsoSeconds(token.lastUsedAt),
        lastUsedAddress: token.lastUsedAddr,
      })),
      /** All that a token can have. */
      scopes: SCOPES,
    };
  },
});
