import { type Instant, seconds } from '../lib/instant.ts';
import type { StoredStatus } from './check.ts';
import { periodStarts } from './report.ts';

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

/** Full months for which flips are kept, besides the current one. */
const FULL_MONTHS_KEPT = 2;
const DAY = seconds(86_400);

/**
 * From when on flips are kept: for the current month and two full months before it. A month begins and ends up to a day
 * earlier or later somewhere else, so that they are kept for a day longer at both ends.
 */
export function flipsKeptFrom(now: Instant): Instant {
  const months = periodStarts('monthly', 'UTC', now - DAY, FULL_MONTHS_KEPT);
  return Math.min(...months) - DAY;
}
