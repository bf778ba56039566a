import type { Instant } from '../../lib/instant.ts';
import type { Check, NewCheck } from './check.ts';
import { deadlineOf, TOLERATED_AHEAD } from './status.ts';

/** A check from another instance. If it is up, its last ping is required: lateness counts from it. */
export type Arrival =
  | { readonly status: 'up'; readonly lastPingAt: Instant }
  | { readonly status: 'down' | 'paused'; readonly lastPingAt: Instant | null };

/**
 * A new check that goes on here as it was elsewhere. A check that is up has the deadline that its last ping gives it, also
 * one that has passed. The pings and the changes of status themselves stay behind: ping numbers begin at 1, and no change
 * of status here is dated before the check came.
 */
export function arrived(check: NewCheck, { status, lastPingAt }: Arrival): NewCheck {
  // Clocks differ a little.
  const pingedAt = lastPingAt === null ? null : Math.min(lastPingAt, check.createdAt);
  const known: NewCheck = {
    ...check,
    status,
    lastPingAt: pingedAt,
    lastReceivedAt: pingedAt,
    lastFlipAt: check.createdAt,
  };
  return { ...known, deadlineAt: deadlineOf(known) };
}

/** Whether a last ping is later than `now`, by more than clocks differ. It would put the deadline off. */
export function isFromFuture(lastPingAt: Instant, now: Instant): boolean {
  return lastPingAt > now + TOLERATED_AHEAD;
}

/** Whether the check has its present status since it came from another instance. */
export function isAsItArrived({ lastFlipAt, createdAt }: Pick<Check, 'lastFlipAt' | 'createdAt'>): boolean {
  return lastFlipAt === createdAt;
}
