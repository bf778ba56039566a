import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { nextOccurrence } from '../schedule/schedule.ts';
import type { Check, Status } from './check.ts';

/** Clocks of nodes differ a little. A time further ahead than this comes from a wrong clock. */
export const TOLERATED_AHEAD: Micros = seconds(30);

/** The fields that decide when a ping is due. */
export type Timed = Pick<
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
  | 'lastFlipAt'
  | 'excusedUntilAt'
>;

/** When the next ping is due by the schedule alone. Null if none is expected or the schedule has no next time. */
export function expectedAt(check: Timed): Instant | null {
  const from = expectedFrom(check);
  if (from === null) return null;
  if (check.kind === 'simple') return from + seconds(check.timeoutSeconds);
  return nextOccurrence(check.schedule, check.tz, from);
}

/** When the wait for the next ping began: at the last ping or, if the check was resumed since, then. */
function expectedFrom({ status, lastPingAt, lastFlipAt }: Timed): Instant | null {
  if (lastPingAt === null) return null;
  if (status === 'up') return lastPingAt;
  return status === 'new' ? lastFlipAt : null;
}

/**
 * When the grace time begins: at the expected ping or at the start of the open run, whichever is earlier. A caller that also
 * needs the status can compute `expected` once and pass it.
 */
export function graceStart(check: Timed, expected = expectedAt(check)): Instant | null {
  if (check.status === 'down' || check.status === 'paused') return null;
  const started = check.runReported ? null : check.lastStartAt;
  if (expected === null || started === null) return expected ?? started;
  return Math.min(expected, started);
}

/** When the check goes down if nothing happens. Null if it is down or paused, or if it expects no ping and no run is open. */
export function deadlineOf(check: Timed): Instant | null {
  const start = graceStart(check);
  return start === null ? null : endOfGrace(check, start);
}

/** The end of the grace time that began at `start`. It is never before the check's `excusedUntilAt`. */
function endOfGrace(check: Timed, start: Instant): Instant {
  return Math.max(start + seconds(check.graceSeconds), check.excusedUntilAt ?? 0);
}

/** The status at `now`. Boundaries are inclusive: at the deadline itself the check is down. */
export function statusAt(check: Timed, now: Instant, expected = expectedAt(check)): Status {
  if (check.status === 'paused') return 'paused';
  // A run that was already reported must not take the check down twice.
  if (isRunOverdue(check, now) && !check.runReported) return 'down';
  if (check.status === 'down' || expected === null || now < expected) return check.status;
  return now < endOfGrace(check, expected) ? 'grace' : 'down';
}

/** An open run that lasts longer than the grace time takes a check down, also a new one. A paused check has no open run. */
export function isRunOverdue(check: Timed, now: Instant): boolean {
  return check.lastStartAt !== null && now >= endOfGrace(check, check.lastStartAt);
}

/** A span of time: from its first instant up to its end, which does not belong to it. */
export interface Span {
  readonly from: Instant;
  readonly until: Instant;
}

/** The span around `now` in which the status and the overdue run change only if the check is written. */
export function steadySpan(check: Timed, now: Instant, expected = expectedAt(check)): Span {
  let from: Instant = Number.NEGATIVE_INFINITY;
  let until: Instant = Number.POSITIVE_INFINITY;
  const divideAt = (boundary: Instant) => {
    if (boundary <= now) from = Math.max(from, boundary);
    else until = Math.min(until, boundary);
  };
  if (expected !== null) {
    divideAt(expected);
    divideAt(endOfGrace(check, expected));
  }
  if (check.lastStartAt !== null) divideAt(endOfGrace(check, check.lastStartAt));
  return { from, until };
}

export const ALWAYS: Span = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

export function overlap(one: Span, other: Span): Span {
  return { from: Math.max(one.from, other.from), until: Math.min(one.until, other.until) };
}

export function isWithin({ from, until }: Span, now: Instant): boolean {
  return from <= now && now < until;
}

export interface TimedStatus {
  readonly status: Status;
  /** The status stays the same for this long if the check is not written. */
  readonly span: Span;
  /** See `expectedAt`. */
  readonly expected: Instant | null;
}

export function statusInTime(check: Timed, now: Instant): TimedStatus {
  const expected = expectedAt(check);
  return { status: statusAt(check, now, expected), span: steadySpan(check, now, expected), expected };
}
