import type { Instant } from '../../lib/instant.ts';
import type { DateStyle } from '../../lib/text/date-style.ts';
import type { ReportPeriod } from './report.ts';

/** A person who owns projects. Limits belong to the account and count over all its projects. */
export interface Account {
  id: number;
  uuid: string;
  /** Always lower case. */
  email: string;
  /** May be empty. */
  name: string;
  /** Null until a password is set. */
  passwordHash: string | null;
  /** Whether the person administers the installation. */
  isAdmin: boolean;
  /** Nobody signs in to an account that is not active. */
  isActive: boolean;
  theme: Theme;
  limits: AccountLimits;
  createdAt: Instant;
  /**
   * When the operator, a provider or a proxy vouched for the address, or a mail to it confirmed it. Null: nobody has done so
   * for this account. The rules of the installation decide then.
   */
  addressProvedAt: Instant | null;
}

export interface AccountLimits {
  /** Checks in all the account's projects together. */
  checks: number;
  /** Pings kept for each check. */
  pings: number;
}

/** Fields with defaults for a new account. */
type Chosen = 'name' | 'isAdmin' | 'isActive' | 'theme' | 'addressProvedAt';

export type NewAccount = Omit<Account, 'id' | Chosen> & Partial<Pick<Account, Chosen>>;

/** `system` follows the machine of the person. */
export const THEMES = ['system', 'light', 'dark'] as const;

export type Theme = (typeof THEMES)[number];

/** A new address that an account asks for. It is taken once both mailboxes have confirmed it. */
export interface EmailChange {
  accountId: number;
  newEmail: string;
  isOldConfirmed: boolean;
  isNewConfirmed: boolean;
  expiresAt: Instant;
}

/** The projects and data that closing an account deletes. */
export interface Closing {
  readonly projects: readonly {
    readonly uuid: string;
    readonly name: string;
    readonly checks: number;
    /** People who lose the project with it. */
    readonly members: number;
  }[];
}

/** Which mails an account gets, how dates are written, and when the next mails are due. A new account has monthly reports and no reminders. */
export interface MailPreferences extends DateStyle {
  accountId: number;
  uuid: string;
  email: string;
  /** The time zone of the days, weeks and months in reports. */
  tz: string;
  reports: ReportPeriod | 'off';
  /** Null until the first report is scheduled, and while reports are off. */
  nextReportAt: Instant | null;
  /** The interval of reminders about checks that are down. 0 means never. */
  reminderSeconds: ReminderSeconds;
  /** Null while nothing is down. */
  nextReminderAt: Instant | null;
}

export type ReminderSeconds = 0 | 3_600 | 86_400;

export const REMINDER_PERIODS = ['off', 'hourly', 'daily'] as const;

export type ReminderPeriod = (typeof REMINDER_PERIODS)[number];

export const REMINDER_SECONDS: Readonly<Record<ReminderPeriod, ReminderSeconds>> = Object.freeze({
  off: 0,
  hourly: 3_600,
  daily: 86_400,
});

/** The address of the owner of the first project. It has no mailbox. */
export const PLACEHOLDER_EMAIL = 'admin@localhost';
