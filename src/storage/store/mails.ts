import type { MailKind, NewMail, QueuedMail } from '../../domain/alert/mail.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Turn, TurnTaking } from './turns.ts';

export interface MailLease {
  readonly now: Instant;
  readonly until: Instant;
  readonly turns: readonly Turn[];
}

export interface MailReads {
  /** When the next open mail may be attempted. Null if none is open. */
  nextAttemptAt(): Promise<Instant | null>;
  /** The number of open mails, due or not. */
  openCount(): Promise<number>;
  /** Whether a mail of that kind to the account has not been sent yet. */
  hasOpen(accountId: number, kind: MailKind): Promise<boolean>;
  /** When the last mail of that kind to the account was sent. Null if none is known. */
  lastSentAt(accountId: number, kind: MailKind): Promise<Instant | null>;
}

/** Mails to people without an account are those of account zero. */
export interface MailWrites extends MailReads, TurnTaking {
  insertMany(mails: readonly NewMail[]): Promise<void>;
  /** Leases due mails until `until`, of each account as many as its turn allows. Each lease counts as an attempt. */
  lease(lease: MailLease): Promise<QueuedMail[]>;
  /** Extends leases that are still held. */
  extend(mails: readonly QueuedMail[], until: Instant): Promise<void>;
  /** Afterwards no open mail waits beyond `at`, for whatever reason. */
  bringForward(at: Instant): Promise<void>;
  /** Gives all leases back without an attempt, whichever node holds them. Returns their number. */
  releaseAll(): Promise<number>;
  /** Saves how attempts ended. Returns the ids of the mails whose lease was still held. */
  settle(mails: readonly QueuedMail[]): Promise<number[]>;
  /** Removes mails that were finished before that time, at most `most`. Returns their number. */
  prune(before: Instant, most: number): Promise<number>;
}
