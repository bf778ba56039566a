import type { MailPreferences, ReminderSeconds } from '../../domain/people/account.ts';
import type { Instant } from '../../lib/instant.ts';
import type { DateStyle } from '../../lib/text/date-style.ts';

export interface MailPreferenceReads {
  ofAccount(accountId: number): Promise<MailPreferences | null>;
  byUuid(uuid: string): Promise<MailPreferences | null>;
  /**
   * Accounts that want reports and have no date for the next one. Also those with a date after `latest`, which only a
   * wrong clock can have set. At most `limit` of each.
   */
  withoutReportDate(latest: Instant, limit: number): Promise<MailPreferences[]>;
  /** Accounts whose report is due, the longest overdue first, at most `limit`. */
  dueReports(now: Instant, limit: number): Promise<MailPreferences[]>;
  /**
   * Accounts whose reminder is due, the longest overdue first. Also those with a date after `latest`, which only a
   * wrong clock can have set. At most `limit` of each.
   */
  dueReminders(now: Instant, latest: Instant, limit: number): Promise<MailPreferences[]>;
  /**
   * Whether any check is down in a project that the account owns or is a member of. It counts even if the deadline loop
   * has not noticed yet.
   */
  hasDown(accountId: number, now: Instant): Promise<boolean>;
  /** Whether any check of a project that the account owns or is a member of has received a ping since that time. */
  wasPinged(accountId: number, since: Instant): Promise<boolean>;
  /** The owners and members of these checks' projects, for each check. */
  readersOf(checkIds: readonly number[]): Promise<{ checkId: number; accountId: number }[]>;
  /** Accounts after that id, at most `limit`, each with the effect of the blind span that ended at `until`. */
  afterBlindness(afterId: number, limit: number, until: Instant): Promise<BlindAccount[]>;
}

/** How a blind span concerns an account. */
export interface BlindAccount {
  readonly accountId: number;
  /** Whether the account existed and owns, or is a member of, a project with a watched check. */
  readonly isConcerned: boolean;
  /** The number of checks in its projects whose deadline was postponed. */
  readonly excused: number;
}

export interface MailPreferenceWrites extends MailPreferenceReads {
  /** Saves the setting. The date of the next report is removed, to be computed again. */
  setReports(accountId: number, reports: MailPreferences['reports'], tz: string): Promise<void>;
  setDateStyle(accountId: number, style: DateStyle): Promise<void>;
  /** Saves the setting. The date of the next reminder is removed. */
  setReminders(accountId: number, reminderSeconds: ReminderSeconds): Promise<void>;
  /**
   * Moves the date of the next report. Returns false if the date, or the settings that it follows from, were changed
   * meanwhile.
   */
  moveReport(from: MailPreferences, to: Instant): Promise<boolean>;
  /** Moves the date of the next reminder; null removes it. Returns false like `moveReport`. */
  moveReminder(from: MailPreferences, to: Instant | null): Promise<boolean>;
  /**
   * Locks the accounts that want reminders and own the project of any of these checks or are members of it. Every
   * process locks them in the same order. Returns their ids.
   */
  lockReminded(checkIds: readonly number[]): Promise<number[]>;
  /** The same for all that is down in the project. */
  lockRemindedOf(projectId: number): Promise<number[]>;
  /**
   * Considers those of these accounts that want reminders. An account with a check that is stored as down gets a date
   * for the next reminder, unless it has one. All others lose theirs.
   */
  reviewReminders(accountIds: readonly number[], now: Instant): Promise<void>;
}
