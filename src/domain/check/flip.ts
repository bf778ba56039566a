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
  /**
   * More about a reason: `missed`, `overran` or `failed`, or the rule of the check that a run has broken. Empty for other
   * changes, and for old flips.
   */
  cause: string;
}

export type NewFlip = Omit<Flip, 'id'>;

/** The place of a flip in the order of all flips, oldest first. */
export type FlipPlace = Pick<Flip, 'createdAt' | 'checkId' | 'id'>;

export const BEFORE_ALL_FLIPS: FlipPlace = { createdAt: -1, checkId: 0, id: 0 };

/** Selects the flips in a span of time. Null leaves an end open. */
export interface FlipSpan {
  /** Inclusive. */
  readonly from: Instant | null;
  /** Exclusive. */
  readonly before: Instant | null;
}

/** Full months whose flips the API lists, besides the current one. */
const FULL_MONTHS_LISTED = 2;
/** Full months whose flips are stored: public status pages show 90 days, which may reach into one more. */
const FULL_MONTHS_STORED = 3;
const DAY = seconds(86_400);

/** The time from which the API lists flips: the current month and two full months before it. */
export function flipsListedFrom(now: Instant): Instant {
  return monthsBefore(now, FULL_MONTHS_LISTED);
}

/** The time from which flips are stored: the current month and three full months before it. */
export function flipsStoredFrom(now: Instant): Instant {
  return monthsBefore(now, FULL_MONTHS_STORED);
}

/** Months begin up to a day earlier or later in other time zones, so a day is added. */
function monthsBefore(now: Instant, fullMonths: number): Instant {
  return Math.min(...periodStarts('monthly', 'UTC', now - DAY, fullMonths)) - DAY;
}
