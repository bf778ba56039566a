import { REMINDER_PERIODS, THEMES } from '../domain/people/account.ts';
import { canonicalTimezone } from '../domain/schedule/timezone.ts';
import { oneOf, refined, text } from '../lib/fields.ts';
import { CLOCK_FORMATS, canonicalLanguage, DATE_FORMATS } from '../lib/text/date-style.ts';
import * as closing from '../services/people/closing.ts';
import { editProfile } from '../services/people/profile.ts';
import * as credentials from '../services/sign-up/credentials.ts';
import {
  emailField,
  nameField,
  optional,
  passwordField,
  revokeTokensField,
  tokenField,
} from '../wire/dashboard/input.ts';
import { personAct, visitorAct } from './act.ts';

/** Absent fields stay as they are. */
export const editAccount = personAct({
  permission: 'account.edit',
  input: {
    name: optional(nameField),
    theme: optional(oneOf(THEMES, 'How pages look.')),
    tz: optional(refined(text(), 'time zone', canonicalTimezone)),
    reports: optional(oneOf(['off', 'daily', 'weekly', 'monthly'], 'How often reports come.')),
    reminders: optional(oneOf(REMINDER_PERIODS, 'How often reminders come.')),
    language: optional(refined(text(), 'language', canonicalLanguage)),
    dateFormat: optional(oneOf(DATE_FORMATS, 'How dates are written.')),
    clock: optional(oneOf(CLOCK_FORMATS, 'How times are written.')),
  },
  run: async (deps, { person, input }) => {
    await editProfile(deps, person, input);
  },
});

export const changePassword = personAct({
  permission: 'account.secure',
  input: { password: passwordField, revokeTokens: optional(revokeTokensField) },
  run: (deps, { person, client, input: { password, revokeTokens: revokesTokens = false } }) =>
    credentials.changePassword(deps, person, client, { password, revokesTokens }),
});

/** Whether the address has changed, or both mailboxes have to confirm it first. */
export const changeEmail = personAct({
  permission: 'account.secure',
  input: { email: emailField },
  run: async (deps, { person, client, input }) => ({
    state: await credentials.changeEmail(deps, person, client, input.email),
  }),
});

export const confirmEmail = visitorAct({
  permission: null,
  input: { token: tokenField },
  run: async (deps, { client, input }) => ({
    state: await credentials.confirmEmail(deps, client, input.token),
  }),
});

export const closeAccount = personAct({
  permission: 'account.secure',
  input: { email: emailField },
  run: async (deps, { person, setCookie, input }) => {
    await closing.closeAccount(deps, person, input.email);
    setCookie(deps.cookies.noSession());
  },
});
