import type { Act, NewAct } from '../../domain/audit.ts';
import type { Instant } from '../../lib/instant.ts';

export interface AuditLogReads {
  /** What the account did, the latest first, before that id, at most `most`. */
  ofAccount(accountId: number, beforeId: number, most: number): Promise<Act[]>;
  /** The last sign-ins of the account, the latest first, at most `most`. */
  signInsOf(accountId: number, most: number): Promise<Act[]>;
}

export interface AuditLogWrites extends AuditLogReads {
  insert(act: NewAct): Promise<void>;
  /** Removes entries that are older than that, at most `most`. Returns their number. */
  prune(before: Instant, most: number): Promise<number>;
  /**
   * Entries about a project that is to be deleted stay without it, at most `most` of them. Returns their number. To leave
   * that to the deletion of the project would take long in one transaction.
   */
  forgetProject(projectId: number, most: number): Promise<number>;
  /** The same for entries of an account. */
  forgetAccount(accountId: number, most: number): Promise<number>;
}
