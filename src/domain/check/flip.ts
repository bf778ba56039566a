import { type Instant, seconds } from '../../lib/instant.ts';
import { periodStarts } from '../people/report.ts';
import type { StoredStatus } from './check.ts';

/** Why a check went down: its deadline passed, or a ping reported a failure. Empty for every other change. */
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

/** Selects the flips in a span of time. Null leaves an end open. */
export interface FlipSpan {
  /** Inclusive. */
  readonly from: Instant | null;
  /** Exclusive. */
  readonly before: Instant | null;
}

/** Full months for which flips are kept, besides the current one: public status pages show 90 days. */
const FULL_MONTHS_KEPT = 3;
const DAY = seconds(86_400);

/**
 * The time from which flips are kept: the current month and three full months before it. Months begin up to a day earlier or
 * later in other time zones, so flips are kept a day longer.
 */
export function flipsKeptFrom(now: Instant): Instant {
  const months = periodStarts('monthly', 'UTC', now - DAY, FULL_MONTHS_KEPT);
  return Math.min(...months) - DAY;
}
