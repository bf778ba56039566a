import { type Instant, MICROS_PER_SECOND, type Micros, seconds } from '../../lib/instant.ts';
import { nextOccurrence } from '../schedule/schedule.ts';
import type { Check, Status } from './check.ts';
import { type RunRules, rulesOf } from './run-rules.ts';

/** Clocks of nodes differ a little. A time further ahead than this comes from a wrong clock. */
export const TOLERATED_AHEAD: Micros = seconds(30);

/** The fields that decide when a ping is due. */
export type Timed = Pick<
  Check,
  | 'status'
  | 'kind'
  | 'timeoutSeconds'
  | 'graceSeconds'
  | 'runRules'
  | 'schedule'
  | 'tz'
  | 'lastPingAt'
  | 'lastStartAt'
  | 'lastAliveAt'
  | 'runReported'
  | 'lastFlipAt'
  | 'excusedUntilAt'
  | 'quietFromAt'
  | 'quietUntilAt'
>;

/**
 * When the next ping is due by the schedule alone. Null if none is expected, if the schedule has no next time, or if it is
 * not watched while a run with a limit of its own is open.
 */
export function expectedAt(check: Timed): Instant | null {
  const rules = rulesOf(check);
  if (rules.hasTwoLimits && isWatchingRun(check)) {
    if (runLimit(check, rules) < Number.POSITIVE_INFINITY) return null;
    // A success of another run also shows that the job works.
    const from = Math.max(check.lastStartAt ?? 0, check.lastPingAt ?? 0);
    return check.status === 'down' || check.status === 'paused' ? null : nextExpected(check, from, rules);
  }
  const from = expectedFrom(check);
  if (from === null) return null;
  return nextExpected(check, from, check.status === 'up' ? rules : null);
}

/** When a run is expected next after one at `from`. With rules, that one may have come early. None is expected in a quiet time. */
function nextExpected(check: Timed, from: Instant, rules: RunRules | null): Instant | null {
  const next = nextScheduled(check, from, rules);
  const quiet = quietSpanOf(check);
  return next === null || quiet === null ? next : expectedOutside(check, quiet, next);
}

/** When a run is expected that is due then, if none is in a quiet time. */
function expectedOutside(check: Timed, quiet: Span, due: Instant): Instant | null {
  if (!isWithin(quiet, due)) return due;
  return check.kind === 'simple' ? quiet.until : firstOccurrence(check, quiet.until);
}

/** The first occurrence at this time or later. */
function firstOccurrence({ schedule, tz }: Timed, from: Instant): Instant | null {
  return nextOccurrence(schedule, tz, Math.ceil(from / MICROS_PER_SECOND) * MICROS_PER_SECOND - 1);
}

function nextScheduled(check: Timed, from: Instant, rules: RunRules | null): Instant | null {
  if (check.kind === 'simple') return from + seconds(check.timeoutSeconds);
  const next = nextOccurrence(check.schedule, check.tz, from);
  if (rules === null || rules.early === 0 || next === null || next - from > rules.early) return next;
  const following = nextOccurrence(check.schedule, check.tz, next);
  return following !== null && next - from > (following - next) / 2 ? next : following;
}

/** When the wait for the next ping began: at the last ping or, if the check was resumed since, then. */
function expectedFrom({ status, lastPingAt, lastFlipAt }: Timed): Instant | null {
  if (lastPingAt === null) return null;
  if (status === 'up') return lastPingAt;
  return status === 'new' ? lastFlipAt : null;
}

/** Whether a run is open that has not taken the check down yet. */
function isWatchingRun({ lastStartAt, runReported }: Timed): boolean {
  return lastStartAt !== null && !runReported;
}

/** How long after the expected time a run may begin, or end if it has one limit. */
export function beginLimit(check: Pick<Timed, 'graceSeconds' | 'runRules'>): Micros {
  return rulesOf(check).beginWithin ?? seconds(check.graceSeconds);
}

/** How long a run may last without a sign of life. Infinite if it has no limit. */
export function runLimit(
  check: Pick<Timed, 'graceSeconds' | 'runRules'>,
  { endWithin } = rulesOf(check),
): Micros {
  return endWithin ?? seconds(check.graceSeconds);
}

/** The last sign of life of the open run. Null if none is open. */
export function aliveAt({
  lastStartAt,
  lastAliveAt,
}: Pick<Timed, 'lastStartAt' | 'lastAliveAt'>): Instant | null {
  if (lastStartAt === null || lastAliveAt === null) return lastStartAt;
  return Math.max(lastStartAt, lastAliveAt);
}

/** When the open run has lasted too long. Null if none is open, or if it has no limit. */
export function endOfRun(check: Timed): Instant | null {
  const alive = aliveAt(check);
  if (alive === null) return null;
  const limit = runLimit(check);
  if (limit === Number.POSITIVE_INFINITY) return null;
  return afterQuiet(check, excused(check, alive + limit), limit);
}

/** A deadline is never before the check's `excusedUntilAt`. */
function excused(check: Timed, deadline: Instant): Instant {
  return Math.max(deadline, check.excusedUntilAt ?? 0);
}

/**
 * When the time begins after which the check goes down: at the expected ping or at the last sign of life of the open run,
 * whichever is earlier. A caller that also needs the status can compute `expected` once and pass it.
 */
export function graceStart(check: Timed, expected = expectedAt(check)): Instant | null {
  if (check.status === 'down' || check.status === 'paused') return null;
  const alive = check.runReported || endOfRun(check) === null ? null : aliveAt(check);
  if (expected === null || alive === null) return expected ?? alive;
  return Math.min(expected, alive);
}

/** When the check goes down if nothing happens. Null if it is down or paused, or if it expects no ping and no run is open. */
export function deadlineOf(check: Timed): Instant | null {
  if (check.status === 'down' || check.status === 'paused') return null;
  const expected = expectedAt(check);
  const beginBy = expected === null ? null : endOfGrace(check, expected);
  const endBy = check.runReported ? null : endOfRun(check);
  if (beginBy === null || endBy === null) return beginBy ?? endBy;
  return Math.min(beginBy, endBy);
}

/**
 * The deadline when another quiet time follows that of the check. A run that is expected after the first one is not
 * expected if it is due in the second.
 */
export function deadlineBeyond(check: Timed, next: Span): Instant | null {
  const expected = expectedAt(check);
  if (expected === null || !isWithin(next, expected)) return deadlineOf(check);
  const later = expectedOutside(check, next, expected);
  const endBy = check.runReported ? null : endOfRun(check);
  if (later === null || endBy === null) return endBy ?? (later && later + beginLimit(check));
  return Math.min(later + beginLimit(check), endBy);
}

/** The end of the time in which a run that was expected then may still begin. */
function endOfGrace(check: Timed, expected: Instant): Instant {
  const limit = beginLimit(check);
  return afterQuiet(check, excused(check, expected + limit), limit);
}

/** A deadline in a quiet time is put off: the time counts anew from its end. */
function afterQuiet(check: Timed, deadline: Instant, limit: Micros): Instant {
  const quiet = quietSpanOf(check);
  return quiet !== null && isWithin(quiet, deadline) ? quiet.until + limit : deadline;
}

/** The quiet time that covers the check, or covered it last. */
export function quietSpanOf({
  quietFromAt,
  quietUntilAt,
}: Pick<Timed, 'quietFromAt' | 'quietUntilAt'>): Span | null {
  return quietFromAt === null || quietUntilAt === null ? null : { from: quietFromAt, until: quietUntilAt };
}

/** The status at `now`. Boundaries are inclusive: at the deadline itself the check is down. */
export function statusAt(check: Timed, now: Instant, expected = expectedAt(check)): Status {
  if (check.status === 'paused') return 'paused';
  // A run that was already reported must not take the check down twice.
  if (!check.runReported && isRunOverdue(check, now)) return 'down';
  if (check.status === 'down' || expected === null || now < expected) return check.status;
  return now < endOfGrace(check, expected) ? 'grace' : 'down';
}

/** An open run that lasts longer than its limit takes a check down, also a new one. A paused check has no open run. */
export function isRunOverdue(check: Timed, now: Instant): boolean {
  const end = endOfRun(check);
  return end !== null && now >= end;
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
  const endBy = endOfRun(check);
  if (endBy !== null) divideAt(endBy);
  const quiet = quietSpanOf(check);
  if (quiet !== null) {
    divideAt(quiet.from);
    divideAt(quiet.until);
  }
  return { from, until };
}

/** The part of the span around `now` that does not contain the boundary. */
export function divided({ from, until }: Span, boundary: Instant, now: Instant): Span {
  return boundary <= now
    ? { from: Math.max(from, boundary), until }
    : { from, until: Math.min(until, boundary) };
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
