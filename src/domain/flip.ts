import type { Instant } from '../lib/instant.ts';
import type { StoredStatus } from './check.ts';

/** Why a check went down: its deadline passed, or it said so itself. Empty for every other change. */
export type FlipReason = '' | 'timeout' | 'fail';

/** A recorded change of stored status. */
export interface Flip {
  id: number;
  checkId: number;
  createdAt: Instant;
  oldStatus: StoredStatus;
  newStatus: StoredStatus;
  reason: FlipReason;
}

export type NewFlip = Omit<Flip, 'id'>;

/** Only flips in this span; null leaves an end open. */
export interface FlipSpan {
  /** Inclusive. */
  readonly from: Instant | null;
  /** Exclusive. */
  readonly before: Instant | null;
}
