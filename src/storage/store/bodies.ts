import type { Instant } from '../../lib/instant.ts';

/** A body that is to move to object storage. */
export interface BodyMove {
  readonly checkId: number;
  readonly checkUuid: string;
  readonly n: number;
  /** The number of claims so far. A new claim makes earlier ones void. */
  readonly attempts: number;
}

/** Objects of a check that are to be removed: those of all pings up to a number. */
export interface ObjectDeletion {
  readonly checkUuid: string;
  readonly upTo: number;
  /** The number of claims and widenings so far. Each one makes earlier claims void. */
  readonly attempts: number;
}

export interface BodyReads {
  /** The number of bodies that wait to be moved. */
  moveCount(): Promise<number>;
  /** Bodies that may be claimed now. Those that have waited longest come first. */
  dueMoves(now: Instant, most: number): Promise<BodyMove[]>;
  /** Of the deletions that may be claimed now, the one that has waited longest. */
  dueDeletion(now: Instant): Promise<ObjectDeletion | null>;
}

export interface BodyWrites extends BodyReads {
  /** Queues the bodies of these pings, to be moved from `dueAt` on. */
  queueMoves(pings: readonly { checkId: number; n: number }[], dueAt: Instant): Promise<void>;
  /** Claims the move until that time. Null if somebody else has claimed it, or it is not needed any more. */
  claimMove(move: BodyMove, until: Instant): Promise<BodyMove | null>;
  /**
   * The body is in object storage, so it leaves the database. If the ping is gone, the object is queued for removal.
   */
  finishMove(move: BodyMove): Promise<void>;
  /** Gives a claimed move back, to be tried again at that time. */
  postponeMove(move: BodyMove, until: Instant): Promise<void>;
  /** Claims the deletion until that time. Null if somebody else has claimed it. */
  claimDeletion(deletion: ObjectDeletion, until: Instant): Promise<ObjectDeletion | null>;
  /** Ends the deletion: all its objects are gone. A deletion that was widened meanwhile stays. */
  finishDeletion(deletion: ObjectDeletion): Promise<void>;
  /** Gives a claimed deletion back, to be tried again at that time. */
  postponeDeletion(deletion: ObjectDeletion, until: Instant): Promise<void>;
}
