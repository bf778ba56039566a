import type { Instant } from '../../lib/instant.ts';

/** A body that is to move to object storage. */
export interface BodyMove {
  readonly checkId: number;
  readonly checkUuid: string;
  readonly n: number;
  /** How often it was claimed: whoever claims it again makes earlier claims void. */
  readonly attempts: number;
}

/** Objects of a check that are to be removed: those of all pings up to a number. */
export interface ObjectDeletion {
  readonly checkUuid: string;
  readonly upTo: number;
  /** How often it was claimed or widened: either makes earlier claims void. */
  readonly attempts: number;
}

export interface BodyReads {
  /** How many bodies wait to be moved. */
  moveCount(): Promise<number>;
  /** Bodies that may be claimed now, those waiting longest first. */
  dueMoves(now: Instant, most: number): Promise<BodyMove[]>;
  /** The deletion that has waited longest, of those that may be claimed now. */
  dueDeletion(now: Instant): Promise<ObjectDeletion | null>;
}

export interface BodyWrites extends BodyReads {
  /** Queues the bodies of these pings, to be moved from `dueAt` on. */
  queueMoves(pings: readonly { checkId: number; n: number }[], dueAt: Instant): Promise<void>;
  /** Takes the move for oneself until that time; null when somebody else has, or it is not wanted any more. */
  claimMove(move: BodyMove, until: Instant): Promise<BodyMove | null>;
  /** The body was put into object storage: it leaves the database. Of a ping that is gone, the object has to go, too. */
  finishMove(move: BodyMove): Promise<void>;
  /** Gives a claimed move back, to be tried again at that time. */
  postponeMove(move: BodyMove, until: Instant): Promise<void>;
  /** Takes the deletion for oneself until that time; null when somebody else has. */
  claimDeletion(deletion: ObjectDeletion, until: Instant): Promise<ObjectDeletion | null>;
  /** All its objects are gone. A deletion that was widened meanwhile stays. */
  finishDeletion(deletion: ObjectDeletion): Promise<void>;
  /** Gives a claimed deletion back, to be tried again at that time. */
  postponeDeletion(deletion: ObjectDeletion, until: Instant): Promise<void>;
}
