import type { Flip, FlipSpan, NewFlip } from '../../domain/check/flip.ts';
import type { Instant } from '../../lib/instant.ts';

/** Finds checks that change their status too often. */
export interface FlappingQuery {
  readonly since: Instant;
  readonly until: Instant;
  readonly moreThan: number;
  /** Leaves out checks about which people were told after this time. */
  readonly notToldSince: Instant;
  readonly limit: number;
}

/** A part of a list of flips. */
export interface FlipPage {
  /** The last flip of the part before. Null begins the list. */
  readonly after: Pick<Flip, 'createdAt' | 'id'> | null;
  readonly limit: number;
}

export interface FlipReads {
  /** The check's flips in the span, newest first. Without a page, all of them. */
  ofCheck(checkId: number, span: FlipSpan, page?: FlipPage): Promise<Flip[]>;
  /** The check's flips after that one and before that time, oldest first, at most `limit`. */
  after(
    checkId: number,
    place: Pick<Flip, 'createdAt' | 'id'>,
    before: Instant,
    limit: number,
  ): Promise<Flip[]>;
  /** The number of the check's flips in the span. */
  countOf(checkId: number, span: FlipSpan): Promise<number>;
  byId(id: number): Promise<Flip | null>;
  /** The flips of all these checks from that time on. If a limit is given, some of them, as many as it says. */
  ofChecks(checkIds: readonly number[], from: Instant, limit?: number): Promise<Flip[]>;
  /** The last flip of each of these checks before that time. */
  lastBefore(checkIds: readonly number[], before: Instant): Promise<Flip[]>;
  /** Checks with too many flips after `since` and until `until`, with the number of flips. */
  flapping(query: FlappingQuery): Promise<{ checkId: number; flips: number }[]>;
  /** The flip of the same check right before this one. */
  before(flip: Flip): Promise<Flip | null>;
}

export interface FlipWrites extends FlipReads {
  /**
   * Records that people are told about these checks now. Returns the ids of the checks about which nobody was told
   * after `notSince`.
   */
  noteFlapping(checkIds: readonly number[], now: Instant, notSince: Instant): Promise<number[]>;
  insertMany(flips: readonly NewFlip[]): Promise<Flip[]>;
  /**
   * Removes old flips with their deliveries: oldest first, at most `most` of each. Keeps flips about which somebody
   * still has to be told. Returns the place to continue from; null at the end.
   */
  prune(pruning: FlipPruning): Promise<FlipPlace | null>;
  /** Removes flips of a check that is to be deleted, at most `most`. Its deliveries must be gone. Returns their number. */
  deleteOfCheck(checkId: number, most: number): Promise<number>;
}

/** The place of a flip in the order of all flips, oldest first. */
export type FlipPlace = Pick<Flip, 'createdAt' | 'checkId' | 'id'>;

export const BEFORE_ALL_FLIPS: FlipPlace = { createdAt: -1, checkId: 0, id: 0 };

export interface FlipPruning {
  /** Flips from before this time are removed, except the last one of each check: it gives the status at this time. */
  readonly before: Instant;
  /** Only flips after this place are looked at. */
  readonly after: FlipPlace;
  /** The largest number of flips to look at, and of deliveries to remove. */
  readonly most: number;
}
