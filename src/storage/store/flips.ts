import type { Flip, FlipSpan, NewFlip } from '../../domain/flip.ts';
import type { Instant } from '../../lib/instant.ts';

/** Which checks change their status too often. */
export interface FlappingQuery {
  readonly since: Instant;
  readonly until: Instant;
  readonly moreThan: number;
  /** Without those of which people were told after this. */
  readonly notToldSince: Instant;
  readonly limit: number;
}

export interface FlipReads {
  /** The check's flips in the span, newest first. */
  ofCheck(checkId: number, span: FlipSpan): Promise<Flip[]>;
  byId(id: number): Promise<Flip | null>;
  /** The flips of all these checks from that time on. */
  ofChecks(checkIds: readonly number[], from: Instant): Promise<Flip[]>;
  /** Checks with more flips after `since` and until `until` than they should have, with their number. */
  flapping(query: FlappingQuery): Promise<{ checkId: number; flips: number }[]>;
  /** The flip of the same check right before this one. */
  before(flip: Flip): Promise<Flip | null>;
}

export interface FlipWrites extends FlipReads {
  /** People are told of these now; returns the ids of those of which nobody has told them after `notSince`. */
  noteFlapping(checkIds: readonly number[], now: Instant, notSince: Instant): Promise<number[]>;
  insertMany(flips: readonly NewFlip[]): Promise<Flip[]>;
  /**
   * Removes old flips with their deliveries: oldest first, at most `most` of either. Keeps flips of which somebody is
   * still to be told. Returns the place to continue from; null at the end.
   */
  prune(pruning: FlipPruning): Promise<FlipPlace | null>;
}

/** The place of a flip among those of all checks, oldest first. */
export type FlipPlace = Pick<Flip, 'createdAt' | 'checkId' | 'id'>;

export const BEFORE_ALL_FLIPS: FlipPlace = { createdAt: -1, checkId: 0, id: 0 };

export interface FlipPruning {
  /** Flips from before this time are removed, except the last one of each check: it tells the status at this time. */
  readonly before: Instant;
  /** Only flips behind this place are looked at. */
  readonly after: FlipPlace;
  /** How many flips are looked at, and how many deliveries are removed. */
  readonly most: number;
}
