import type { Check } from '../../domain/check/check.ts';
import type { Instant } from '../../lib/instant.ts';

/** A check that was deleted and can be restored. */
export interface DeletedCheck {
  readonly id: number;
  /** The project that it was deleted from. */
  readonly projectId: number;
  /** The UUID by which it was pinged. */
  readonly uuid: string;
  readonly channelIds: readonly number[];
  readonly deletesAt: Instant;
}

/** The same, as a list shows it. */
export interface ListedDeletion extends DeletedCheck {
  readonly name: string;
  readonly slug: string;
  readonly tags: string;
}

export interface DeletedCheckReads {
  /** Checks of the project that can be restored at that time, the last deleted first, at most `most`. */
  ofProject(projectId: number, now: Instant, most: number): Promise<ListedDeletion[]>;
}

export interface DeletedCheckWrites extends DeletedCheckReads {
  /** The check that the project has deleted, locked with its row. Null if it cannot be restored at that time. */
  lock(
    projectId: number,
    uuid: string,
    now: Instant,
  ): Promise<{ check: Check; deleted: DeletedCheck } | null>;
  /** A check that nobody can restore any more, locked. Passes over checks that another node works on. */
  lockDue(now: Instant): Promise<Check | null>;
  insert(deleted: DeletedCheck): Promise<void>;
  delete(id: number): Promise<void>;
  /** Of all that the project can restore, those beyond the last `most` are due now. */
  expireBeyond(projectId: number, most: number, now: Instant): Promise<void>;
}
