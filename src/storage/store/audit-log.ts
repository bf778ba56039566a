import type { Act, ActPlace, ActSpan, LoggedAct, NewAct } from '../../domain/people/audit.ts';
import type { Instant } from '../../lib/instant.ts';

/** Whose log it is: what was done in a project, or what an account did. */
export type ActScope = { readonly projectId: number } | { readonly accountId: number };

export interface ActPage extends ActSpan {
  /** The last entry before this page. Null begins with the latest. */
  readonly after: ActPlace | null;
  readonly most: number;
}

export interface AuditLogReads {
  /** A part of a log, the latest first. */
  page(scope: ActScope, page: ActPage): Promise<LoggedAct[]>;
  /** What the account did, the latest first, before that id, at most `most`. */
  ofAccount(accountId: number, beforeId: number, most: number): Promise<Act[]>;
  /** The last sign-ins of the account, the latest first, at most `most`. */
  signInsOf(accountId: number, most: number): Promise<Act[]>;
}

export interface PrunedActs {
  readonly before: Instant;
  readonly now: Instant;
  readonly after: number;
  readonly most: number;
}

export interface AuditLogWrites extends AuditLogReads {
  insert(act: NewAct): Promise<void>;
  /**
   * Looks at `most` entries after that id, and removes those that are older than `before`. Returns the id to go on from.
   * Null if the entries end, or the last one is from the time that is kept: later entries are newer. A date after `now`
   * says nothing about later entries, because the clock was wrong.
   */
  prune(span: PrunedActs): Promise<number | null>;
  /**
   * Entries about a project that is to be deleted stay without it, at most `most` of them. Returns their number. To leave
   * that to the deletion of the project would take long in one transaction.
   */
  forgetProject(projectId: number, most: number): Promise<number>;
  /** The same for entries of an account. */
  forgetAccount(accountId: number, most: number): Promise<number>;
}
