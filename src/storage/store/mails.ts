import type { MailKind, NewMail, QueuedMail } from '../../domain/mail.ts';
import type { Instant } from '../../lib/instant.ts';

export interface MailLease {
  readonly now: Instant;
  readonly until: Instant;
  readonly limit: number;
}

export interface MailReads {
  /** When the next open mail may be tried; null when none is open. */
  nextAttemptAt(): Promise<Instant | null>;
  /** How many are open, due or not. */
  openCount(): Promise<number>;
  /** Whether a mail of that kind to the account has not been sent yet. */
  hasOpen(accountId: number, kind: MailKind): Promise<boolean>;
}

export interface MailWrites extends MailReads {
  insertMany(mails: readonly NewMail[]): Promise<void>;
  /** Leases mails that are due until `until`, at most `limit`; each lease counts as a try. */
  lease(lease: MailLease): Promise<QueuedMail[]>;
  /** Puts off the end of leases that are still held. */
  extend(mails: readonly QueuedMail[], until: Instant): Promise<void>;
  /** No open one waits longer than until `at`, whatever it waits for. */
  bringForward(at: Instant): Promise<void>;
  /** Gives all leases back untried, whoever holds them; says how many there were. */
  releaseAll(): Promise<number>;
  /** Saves how tries ended; returns the ids of those whose lease was not lost to somebody else meanwhile. */
  settle(mails: readonly QueuedMail[]): Promise<number[]>;
  /** Removes mails that were finished before that time, at most `most`, and says how many. */
  prune(before: Instant, most: number): Promise<number>;
}
