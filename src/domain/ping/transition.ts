import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import {
  type Check,
  type CheckState,
  FRESH_STATE,
  type PingedCheck,
  type RunResult,
  type StoredStatus,
} from '../check/check.ts';
import { type CheckEdit, editCheck } from '../check/check-edit.ts';
import type { FlipReason, NewFlip } from '../check/flip.ts';
import { missedBefore } from '../check/occurrences.ts';
import {
  aliveAt,
  deadlineBeyond,
  deadlineOf,
  isRunOverdue,
  quietSpanOf,
  type Span,
  type Timed,
} from '../check/status.ts';
import type { Signal } from './ping.ts';

/** A check after something happened to it, and the changes of status to record, oldest first. */
export interface Transition<C extends PingedCheck = Check> {
  readonly check: C;
  readonly flips: readonly NewFlip[];
}

/** No run is open, and no deadline was put off. */
const NO_RUN = {
  lastStartAt: null,
  lastStartRid: null,
  lastAliveAt: null,
  runReported: false,
  excusedUntilAt: null,
} as const;

/** What a pause takes from a check. Its other state is kept, and pings that come meanwhile may change it. */
export type StateBeforePause = Pick<CheckState, 'status' | 'lastFlipAt' | keyof typeof NO_RUN>;

export interface Pause extends Transition {
  /** Null if the check was paused already. */
  readonly before: StateBeforePause | null;
}

/**
 * Pauses a check. A deadline that was missed before `watchedUntil` is recorded first, so that a pause hides no outage.
 * Pausing a paused check changes nothing.
 */
export function pause(check: Check, now: Instant, watchedUntil = now): Pause {
  if (check.status === 'paused') return { check, flips: [], before: null };
  const missed = noticeMissed(check, watchedUntil);
  const paused = settled(flipTo({ ...missed.check, ...NO_RUN }, 'paused', '', now));
  const { status, lastFlipAt, lastStartAt, lastStartRid, lastAliveAt, runReported, excusedUntilAt } =
    missed.check;
  const before = { status, lastFlipAt, lastStartAt, lastStartRid, lastAliveAt, runReported, excusedUntilAt };
  return { check: paused.check, flips: [...missed.flips, ...paused.flips], before };
}

/** The check as if it had not been paused: with its outage, its open run and its deadline. */
export function undoPause(paused: Check, before: StateBeforePause): Check {
  return settled({ check: { ...paused, ...before }, flips: [] }).check;
}

/** Resumes a check. It starts as if it had never been pinged, but its ping numbers continue. */
export function resume<C extends PingedCheck>(check: C, now: Instant): Transition<C> {
  return resumed({ ...check, lastPingAt: null }, now);
}

/** Resumes a check and expects its next run, unless it was never pinged. It is new until then. */
export function resumeExpecting<C extends PingedCheck>(check: C, now: Instant): Transition<C> {
  return resumed({ ...check, timedAt: now }, now);
}

function resumed<C extends PingedCheck>(check: C, now: Instant): Transition<C> {
  return settled(flipTo({ ...check, ...NO_RUN, badCount: 0 }, 'new', '', now));
}

/** The check without its past. Its ping numbers continue. */
export function withoutHistory(check: Check): Check {
  const { pingCount, quietFromAt, quietUntilAt } = check;
  const cleared: Check = { ...check, ...FRESH_STATE, pingCount, quietFromAt, quietUntilAt };
  return { ...cleared, deadlineAt: deadlineOf(cleared) };
}

/** A check that nobody watches or pings, since it was deleted. Its state stays, for the case that it is restored. */
export function deleted(check: Check): Check {
  return { ...check, deadlineAt: null };
}

/**
 * A deleted check that is watched again. Its pings were refused meanwhile, so a deadline that has passed is put off by
 * its grace time.
 */
export function restored(check: Check, now: Instant): Check {
  const deadlineAt = deadlineOf(check);
  if (deadlineAt === null || deadlineAt > now) return { ...check, deadlineAt };
  const excused: Check = { ...check, excusedUntilAt: now + seconds(check.graceSeconds) };
  return { ...excused, deadlineAt: deadlineOf(excused) };
}

/**
 * Applies an edit by a person. If it makes the check overdue, the check goes down now, and no channel is told, since the
 * person sees it. Such a flip has no reason. A deadline that was missed before the edit is recorded first.
 */
export function editQuietly(before: Check, edit: CheckEdit, now: Instant, watchedUntil = now): Transition {
  const missed = noticeMissed(before, watchedUntil);
  const edited = editCheck(missed.check, edit, now);
  if (edited.status !== 'up' || edited.deadlineAt === null || edited.deadlineAt > watchedUntil) {
    return { check: edited, flips: missed.flips };
  }
  const runReported = edited.runReported || isRunOverdue(edited, now);
  const { check, flips } = settled(flipTo({ ...edited, runReported, excusedUntilAt: null }, 'down', '', now));
  return { check, flips: [...missed.flips, ...flips] };
}

/** Uses the stored deadline, so that it also works for a check whose schedule cannot be evaluated. */
function noticeMissed(check: Check, watchedUntil: Instant): Transition {
  const isOverdue = check.deadlineAt !== null && check.deadlineAt <= watchedUntil;
  return isOverdue ? missDeadline(check, watchedUntil) : { check, flips: [] };
}

/** Takes a check down whose deadline has passed. The flip is dated at the deadline, however late this runs. */
export function missDeadline<C extends PingedCheck>(check: C, now: Instant): Transition<C> {
  const deadline = deadlineOf(check);
  if (deadline === null || deadline > now) return { check: withDeadline(check, deadline), flips: [] };
  const hasOverrun = !check.runReported && isRunOverdue(check, deadline);
  const late = { ...check, runReported: check.runReported || hasOverrun, excusedUntilAt: null };
  return settled(flipTo(late, 'down', 'timeout', deadline, hasOverrun ? 'overran' : 'missed'));
}

/**
 * The check in the quiet time that runs or begins now, or in none. One that has begun ends now, if it is not in force any more.
 * What an earlier one has put off stays put off.
 */
export function withQuietTime<C extends PingedCheck>(check: C, span: Span | null, now: Instant): C {
  const last = quietSpanOf(check);
  if (span === null) {
    if (last === null || last.until <= now) return check;
    return withQuietSpan(check, last.from < now ? { ...last, until: now } : null);
  }
  if (last === null) return withQuietSpan(check, span);
  if (last.until >= span.from) return withQuietSpan(check, { ...span, from: Math.min(last.from, span.from) });
  const { deadlineAt } = withQuietSpan(check, null);
  const excusedUntilAt = deadlineAt === check.deadlineAt ? check.excusedUntilAt : deadlineBeyond(check, span);
  return withQuietSpan({ ...check, excusedUntilAt }, span);
}

function withQuietSpan<C extends PingedCheck>(check: C, span: Span | null): C {
  const quiet = { quietFromAt: span?.from ?? null, quietUntilAt: span?.until ?? null };
  return settled({ check: { ...check, ...quiet }, flips: [] }).check;
}

/** Whether a time on which the deadline depends lies in the future. */
export function isAhead(check: PingedCheck, now: Instant): boolean {
  const times = [check.lastPingAt, check.lastStartAt, check.lastAliveAt, check.excusedUntilAt];
  return check.deadlineAt !== null && times.some((time) => time !== null && time > now);
}

/**
 * The check after a clock that was ahead has been set back. Times in the future become now, and `excusedUntilAt` is at most
 * `maxExcuse` from now. Otherwise the deadline would be late by as much as the clock was ahead.
 */
export function bringBack<C extends PingedCheck>(check: C, now: Instant, maxExcuse: Micros): C {
  const { lastPingAt, lastStartAt, lastAliveAt, excusedUntilAt } = check;
  const back: C = {
    ...check,
    lastPingAt: lastPingAt && Math.min(lastPingAt, now),
    lastStartAt: lastStartAt && Math.min(lastStartAt, now),
    lastAliveAt: lastAliveAt && Math.min(lastAliveAt, now),
    excusedUntilAt: excusedUntilAt && Math.min(excusedUntilAt, now + maxExcuse),
  };
  return settled({ check: back, flips: [] }).check;
}

/** What the rules of the check say about the run that a ping ends. */
export interface RunVerdict {
  /** See `RUN_FLAGS`. */
  readonly flags: number;
  /** Why the check goes down, if it does. */
  readonly cause: string;
}

const UNREMARKABLE: RunVerdict = { flags: 0, cause: 'failed' };

/**
 * Applies a ping about something that happened at `occurredAt`. A deadline that was missed before the ping came is recorded
 * first, so that no outage is lost.
 */
export function receivePing<C extends PingedCheck>(
  before: C,
  signal: Signal,
  rid: string | null,
  now: Instant,
  occurredAt = now,
  verdict = UNREMARKABLE,
): Transition<C> {
  const missed = missDeadline(before, now);
  const counted: C = { ...missed.check, pingCount: before.pingCount + 1 };
  const effective = effectiveSignal(before, signal);
  const isNews = occurredAt === now || isStillNews(counted, effective, rid, occurredAt, now);
  const applied = isNews
    ? applySignal(counted, effective, rid, occurredAt, now, verdict)
    : settled({ check: counted, flips: [] });
  return { check: applied.check, flips: [...missed.flips, ...applied.flips] };
}

/** A paused check with manual resume records pings but ignores them. */
export function effectiveSignal(
  { status, manualResume }: Pick<PingedCheck, 'status' | 'manualResume'>,
  signal: Signal,
): Signal {
  return status === 'paused' && manualResume ? 'ign' : signal;
}

/** The part of a check that decides whether a late ping counts, and which run it is about. */
export type Watching = Timed & Pick<PingedCheck, 'lastStartRid'>;

/**
 * Whether the ping says something new about `at` that is still true at `now`: no newer result is known, and the check would not be
 * down by now. So a backlog of old results changes nothing, and no old success ends an outage. A late success counts only if the
 * check stays up in both cases: had it come in time, and as it comes now.
 */
export function isStillNews(
  check: Watching,
  signal: Signal,
  rid: string | null,
  at: Instant,
  now: Instant,
): boolean {
  if (signal === 'log' || signal === 'ign' || isBeforeResume(check, at)) return false;
  const { lastPingAt } = check;
  if (lastPingAt !== null && at <= lastPingAt) return false;
  if (signal === 'start' || signal === 'progress') {
    const last = signal === 'start' ? check.lastStartAt : aliveAt(check);
    return (last === null || at > last) && isInTime(check, at, now);
  }
  const staysUp = (known: Watching) => {
    const deadline = deadlineOf({ ...known, ...afterEnd(known, signal, rid, at, now), status: 'up' });
    return deadline === null || deadline > now;
  };
  // A failure is about its own run alone.
  if (signal === 'fail') return staysUp({ ...check, ...NO_RUN });
  // As it comes now, a run that has taken the check down is not watched again.
  return staysUp(check) && (!check.runReported || staysUp({ ...check, runReported: false }));
}

/** Whether a run whose last sign of life came `at` may still be under way. */
function isInTime(check: Watching, at: Instant, now: Instant): boolean {
  const running: Watching = { ...check, ...NO_RUN, status: 'up', lastPingAt: null, lastStartAt: at };
  return (deadlineOf(running) ?? Number.POSITIVE_INFINITY) > now;
}

/** What happened before a pause or a resume does not undo it. A late start that resumed the check is older than its flip. */
function isBeforeResume({ status, lastFlipAt, lastStartAt }: Watching, at: Instant): boolean {
  if ((status !== 'new' && status !== 'paused') || lastFlipAt === null) return false;
  return at < Math.min(lastFlipAt, lastStartAt ?? lastFlipAt);
}

/** What the ping reports happened `at`. Flips are dated `now`: what people were told is not rewritten. */
function applySignal<C extends PingedCheck>(
  check: C,
  signal: Signal,
  rid: string | null,
  at: Instant,
  now: Instant,
  { flags, cause }: RunVerdict,
): Transition<C> {
  switch (signal) {
    case 'start':
      return startRun(check, rid, at, now);
    case 'progress':
      return settled({ check: keepAlive(check, rid, at), flips: [] });
    case 'success':
      return settled(flipTo(closeRun(check, signal, rid, at, now, flags), 'up', '', now));
    case 'fail':
      return settled(flipTo(closeRun(check, signal, rid, at, now, flags), 'down', 'fail', now, cause));
    case 'log':
    case 'ign':
      return settled({ check, flips: [] });
  }
}

/** A start resumes a paused check: a run is watched, so the check must not say that nobody watches it. */
function startRun<C extends PingedCheck>(
  check: C,
  rid: string | null,
  at: Instant,
  now: Instant,
): Transition<C> {
  const { check: watched, flips } = check.status === 'paused' ? resume(check, now) : { check, flips: [] };
  return settled({ check: { ...watched, ...newRun(rid, at) }, flips });
}

function newRun(rid: string | null, at: Instant) {
  return { lastStartAt: at, lastStartRid: rid, lastAliveAt: null, runReported: false };
}

/**
 * The open run is alive: its limit counts anew. A sign of a run that is not known opens it. Without a run id it is of the open
 * run, whichever that is. It changes no status, so it opens no run of a paused check.
 */
function keepAlive<C extends PingedCheck>(check: C, rid: string | null, at: Instant): C {
  if (check.status === 'paused') return check;
  const isOwn = check.lastStartAt !== null && (rid === null || check.lastStartRid === rid);
  return { ...check, ...(isOwn ? { lastAliveAt: at } : newRun(rid, at)) };
}

/** When the run began that ends `at`, if it is the open one. Null if it is not. */
export function startOfEnded(
  check: Pick<PingedCheck, 'lastStartAt' | 'lastStartRid'>,
  rid: string | null,
  at: Instant,
  now: Instant,
): Instant | null {
  const { lastStartAt, lastStartRid } = check;
  if (lastStartAt === null || lastStartRid !== rid) return null;
  return rid === null && beganLater(lastStartAt, at, now) ? null : lastStartAt;
}

/** Whether a result that came late is older than the open run. */
function beganLater(startedAt: Instant, at: Instant, now: Instant): boolean {
  return at < now && at < startedAt;
}

function closeRun<C extends PingedCheck>(
  check: C,
  signal: RunResult,
  rid: string | null,
  at: Instant,
  now: Instant,
  flags: number,
): C {
  const startedAt = startOfEnded(check, rid, at, now);
  return {
    ...check,
    ...afterEnd(check, signal, rid, at, now),
    lastSuccessAt: signal === 'success' ? at : check.lastSuccessAt,
    lastResult: signal,
    lastDuration: startedAt === null ? null : Math.max(0, at - startedAt),
    lastFlags: signal === 'success' ? flags : 0,
    badCount: signal === 'success' ? 0 : badRuns(check, rid, at, now),
  };
}

/** What an end changes of the run that is watched, and of when the next one is expected. */
function afterEnd(
  check: Watching,
  signal: RunResult,
  rid: string | null,
  at: Instant,
  now: Instant,
): Partial<Watching> {
  if (check.lastStartAt === null) return { lastPingAt: at, excusedUntilAt: null };
  if (endsOpenRun(check, signal, rid, at, now)) return { ...NO_RUN, lastPingAt: at };
  // The open run may have hung while the check was down, or its end may have come while no node was watching. If it is
  // overdue now, it must not take the check down again: another run has shown that the job works.
  const ended = { ...check, lastPingAt: at, excusedUntilAt: null };
  return { lastPingAt: at, excusedUntilAt: null, runReported: check.runReported || isRunOverdue(ended, at) };
}

/**
 * A success of another run leaves the open run open. A failure, or a success without a run, ends it. A late result does not
 * end a run that began after it, unless it is of that run.
 */
export function endsOpenRun(
  check: Pick<Watching, 'lastStartAt' | 'lastStartRid'>,
  signal: RunResult,
  rid: string | null,
  at: Instant,
  now: Instant,
): boolean {
  if (check.lastStartAt === null) return false;
  if (startOfEnded(check, rid, at, now) !== null) return true;
  return !beganLater(check.lastStartAt, at, now) && (signal === 'fail' || rid === null);
}

/** The bad runs in a row after a failure. Nothing was expected of a paused check. */
function badRuns(check: PingedCheck, rid: string | null, at: Instant, now: Instant): number {
  if (check.status === 'paused') return 1;
  return check.badCount + missedBefore(check, startOfEnded(check, rid, at, now), at) + 1;
}

/** Returns a flip if the status changes. The times of a check's flips never decrease. */
function flipTo<C extends PingedCheck>(
  check: C,
  status: StoredStatus,
  reason: FlipReason,
  at: Instant,
  cause = '',
): Transition<C> {
  if (check.status === status) return { check, flips: [] };
  const createdAt = Math.max(at, check.lastFlipAt ?? at);
  const flip = { checkId: check.id, createdAt, oldStatus: check.status, newStatus: status, reason, cause };
  return { check: { ...check, status, lastFlipAt: createdAt }, flips: [flip] };
}

/** Computes the deadline from the other fields. */
function settled<C extends PingedCheck>({ check, flips }: Transition<C>): Transition<C> {
  return { check: withDeadline(check, deadlineOf(check)), flips };
}

/** Most pings copy a check several times: it is not copied for what it has already. */
function withDeadline<C extends PingedCheck>(check: C, deadlineAt: Instant | null): C {
  return deadlineAt === check.deadlineAt ? check : { ...check, deadlineAt };
}
