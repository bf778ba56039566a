import type { Instant } from '../lib/instant.ts';
import type { ReportPeriod } from './report.ts';

/** A person who owns projects. Limits belong to the account and count over all its projects. */
export interface Account {
  id: number;
  uuid: string;
  /** Always lower case. */
  email: string;
  /** Null until a password is set: nobody can log in with it. */
  passwordHash: string | null;
  limits: AccountLimits;
  createdAt: Instant;
}

export interface AccountLimits {
  /** Checks in all the account's projects together. */
  checks: number;
  /** Pings kept for each check. */
  pings: number;
}

export type NewAccount = Omit<Account, 'id'>;

/** What an account is written to about, and when next. Everybody begins with monthly reports and no reminders. */
export interface MailPreferences {
  accountId: number;
  uuid: string;
  email: string;
  /** Whose days, weeks and months reports are about. */
  tz: string;
  reports: ReportPeriod | 'off';
  /** Null until the first one is scheduled, and while they are off. */
  nextReportAt: Instant | null;
  /** How often it is reminded of checks that are down; 0 never. */
  reminderSeconds: ReminderSeconds;
  /** Null while nothing is down. */
  nextReminderAt: Instant | null;
}

export type ReminderSeconds = 0 | 3_600 | 86_400;

/** How often reminders come, in words. */
export type ReminderPeriod = 'off' | 'hourly' | 'daily';

export const REMINDER_SECONDS: Readonly<Record<ReminderPeriod, ReminderSeconds>> = Object.freeze({
  off: 0,
  hourly: 3_600,
  daily: 86_400,
});

/** The owner of the project that a new installation has: nobody reads mail there. */
export const PLACEHOLDER_EMAIL = 'admin@localhost';
