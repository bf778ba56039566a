import type { EmailChange } from '../../domain/people/account.ts';
import type { Instant } from '../../lib/instant.ts';

/** New addresses that accounts have asked for. */
export interface EmailChangeWrites {
  /** The change that the account has asked for, locked until the transaction ends. Null if it has expired. */
  lock(accountId: number, now: Instant): Promise<EmailChange | null>;
  /** Saves the change in place of an earlier one. */
  save(change: EmailChange): Promise<void>;
  remove(accountId: number): Promise<void>;
  /** Removes changes that have expired, at most `most`. Returns their number. */
  prune(now: Instant, most: number): Promise<number>;
}
