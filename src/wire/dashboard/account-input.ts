import {
  type MailPreferences,
  REMINDER_SECONDS,
  type ReminderPeriod,
  THEMES,
  type Theme,
} from '../../domain/people/account.ts';
import { canonicalTimezone } from '../../domain/schedule/timezone.ts';
import { oneOf, refined, text } from '../../lib/fields.ts';
import {
  CLOCK_FORMATS,
  type ClockFormat,
  canonicalLanguage,
  DATE_FORMATS,
  type DateFormat,
} from '../../lib/text/date-style.ts';
import type { JsonObject } from '../api/body.ts';
import { emailField, nameField, passwordField, readGiven, readInput, revokeTokensField } from './input.ts';

const FIELDS = {
  name: nameField,
  theme: oneOf(THEMES, 'How pages look.'),
  tz: refined(text(), 'time zone', canonicalTimezone),
  reports: oneOf(['off', 'daily', 'weekly', 'monthly'], 'How often reports come.'),
  // The keys of the table are the periods.
  reminders: oneOf(Object.keys(REMINDER_SECONDS) as ReminderPeriod[], 'How often reminders come.'),
  language: refined(text(), 'language', canonicalLanguage),
  date_format: oneOf(DATE_FORMATS, 'How dates are written.'),
  clock: oneOf(CLOCK_FORMATS, 'How times are written.'),
};

export interface ProfileInput {
  readonly name?: string | undefined;
  readonly theme?: Theme | undefined;
  readonly tz?: string | undefined;
  readonly reports?: MailPreferences['reports'] | undefined;
  readonly reminders?: ReminderPeriod | undefined;
  readonly language?: string | undefined;
  readonly dateFormat?: DateFormat | undefined;
  readonly clock?: ClockFormat | undefined;
}

export function parseProfile(body: JsonObject): ProfileInput {
  const { date_format: dateFormat, ...given } = readGiven(FIELDS, body);
  return { ...given, dateFormat };
}

/** Whoever is signed in says whether tokens are revoked as well. */
export function parsePassword(body: JsonObject): {
  readonly password: string;
  readonly revokesTokens: boolean;
} {
  const { revoke_tokens: revokesTokens = false } = readGiven({ revoke_tokens: revokeTokensField }, body);
  return { ...readInput({ password: passwordField }, body), revokesTokens };
}

export function parseNewEmail(body: JsonObject): { readonly email: string } {
  return readInput({ email: emailField }, body);
}
