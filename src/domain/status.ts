import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import type { Check, Status } from './check.ts';
import { nextOccurrence } from './schedule/schedule.ts';

/** Clocks of nodes may differ a little. What lies further ahead than this was made by a clock that was wrong. */
export const TOLERATED_AHEAD: Micros = seconds(30);

/** The fields that decide when a ping is due. */
type Timed = Pick<
  Check,
  | 'status'
  | 'kind'
  | 'timeoutSeconds'
  | 'graceSeconds'
  | 'schedule'
  | 'tz'
  | 'lastPingAt'
  | 'lastStartAt'
  | 'runReported'
  | 'excusedUntilAt'
>;

/** When the next ping is due by the schedule alone; null unless the check is up and one is still to come. */
export function expectedAt(check: Timed): Instant | null {
  if (check.status !== 'up' || check.lastPingAt === null) return null;
  if (check.kind === 'simple') return check.lastPingAt + seconds(check.timeoutSeconds);
  return nextOccurrence(check.schedule, check.tz, check.lastPingAt);
}

/**
 * Where grace begins: the earlier of the expected ping and the start of the open run. Whoever needs both
 * this and the status works out `expected` once.
 */
export function graceStart(check: Timed, expected = expectedAt(check)): Instant | null {
  if (check.status === 'down') return null;
  const started = check.runReported ? null : check.lastStartAt;
  if (expected === null || started === null) return expected ?? started;
  return Math.min(expected, started);
}

/** The instant at which the check goes down if nothing happens. */
export function deadlineOf(check: Timed): Instant | null {
  const start = graceStart(check);
  return start === null ? null : endOfGrace(check, start);
}

/** Where grace that began at `start` ends; not before an excuse does. */
function endOfGrace(check: Timed, start: Instant): Instant {
  return Math.max(start + seconds(check.graceSeconds), check.excusedUntilAt ?? 0);
}

/** What a reader sees at `now`. Boundaries are inclusive: at the deadline itself the check is down. */
export function statusAt(check: Timed, now: Instant, expected = expectedAt(check)): Status {
  // A run that has already been reported as hung must not ring twice.
  if (isRunOverdue(check, now) && !check.runReported) return 'down';
  if (check.status !== 'up') return check.status;
  if (expected === null || now < expected) return 'up';
  return now < endOfGrace(check, expected) ? 'grace' : 'down';
}

/** An open run that has not ended within its grace takes any check down, new and paused ones too. */
export function isRunOverdue(check: Timed, now: Instant): boolean {
  return check.lastStartAt !== null && now >= endOfGrace(check, check.lastStartAt);
}
