import type { MailPreferences, ReminderSeconds } from '../../domain/account.ts';
import type { Instant } from '../../lib/instant.ts';

export interface MailPreferenceReads {
  ofAccount(accountId: number): Promise<MailPreferences | null>;
  byUuid(uuid: string): Promise<MailPreferences | null>;
  /**
   * Accounts that want reports and have no date for the next one, or one after `latest`, which only a wrong clock can
   * have given; at most `limit` of each.
   */
  withoutReportDate(latest: Instant, limit: number): Promise<MailPreferences[]>;
  /** Accounts whose report is due, the longest overdue first, at most `limit`. */
  dueReports(now: Instant, limit: number): Promise<MailPreferences[]>;
  /**
   * Accounts whose reminder is due, the longest overdue first, and those with a date after `latest`, which only a wrong
   * clock can have given; at most `limit` of each.
   */
  dueReminders(now: Instant, latest: Instant, limit: number): Promise<MailPreferences[]>;
  /** Whether any check of a project that the account owns or is a member of is down, noticed or not. */
  hasDown(accountId: number, now: Instant): Promise<boolean>;
  /** Whether any check of a project that the account owns or is a member of has received a ping since. */
  wasPinged(accountId: number, since: Instant): Promise<boolean>;
  /** The owners and members of these checks' projects, for each check. */
  readersOf(checkIds: readonly number[]): Promise<{ checkId: number; accountId: number }[]>;
  /** Accounts after that id, at most `limit`, and what they had to do with a blindness that ended at `until`. */
  afterBlindness(afterId: number, limit: number, until: Instant): Promise<BlindAccount[]>;
}

/** An account, as far as a time of blindness concerns it. */
export interface BlindAccount {
  readonly accountId: number;
  /** Whether it existed, and owns a project with a check that is watched, or is a member of one. */
  readonly isConcerned: boolean;
  /** How many checks of its projects were given more time. */
  readonly excused: number;
}

export interface MailPreferenceWrites extends MailPreferenceReads {
  /** The date of the next report is to be found anew. */
  setReports(accountId: number, reports: MailPreferences['reports'], tz: string): Promise<void>;
  /** A date of the next reminder is forgotten. */
  setReminders(accountId: number, reminderSeconds: ReminderSeconds): Promise<void>;
  /** Moves the date of the next report; false if it is not as given any more, nor what it follows from. */
  moveReport(from: MailPreferences, to: Instant): Promise<boolean>;
  /** The same for the next reminder; null forgets it. */
  moveReminder(from: MailPreferences, to: Instant | null): Promise<boolean>;
  /**
   * Holds the accounts that want reminders and own the project of any of these checks or are members of it, in the
   * same order in every process; returns their ids.
   */
  lockReminded(checkIds: readonly number[]): Promise<number[]>;
  /**
   * Of these accounts, those that want reminders: whoever has a check that is stored as down gets a date for the next
   * one, unless there is a date; all others lose theirs.
   */
  reviewReminders(accountIds: readonly number[], now: Instant): Promise<void>;
}
