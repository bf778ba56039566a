import type { Instant, Micros } from '../lib/instant.ts';
import type { Check, PingedCheck, StoredStatus } from './check.ts';
import { type CheckEdit, editCheck } from './check-edit.ts';
import type { FlipReason, NewFlip } from './flip.ts';
import type { Signal } from './ping.ts';
import { deadlineOf, isRunOverdue } from './status.ts';

/** A check after something happened to it, and the changes of status to record, oldest first. */
export interface Transition<C extends PingedCheck = Check> {
  readonly check: C;
  readonly flips: readonly NewFlip[];
}

/**
 * Monitoring stops. A deadline that was missed by `watchedUntil` is recorded first, so that a pause hides no
 * outage. Pausing a paused check changes nothing.
 */
export function pause(before: Check, now: Instant, watchedUntil = now): Transition {
  if (before.status === 'paused') return { check: before, flips: [] };
  const missed = noticeMissed(before, watchedUntil);
  const stopped: Check = {
    ...missed.check,
    lastStartAt: null,
    lastStartRid: null,
    runReported: false,
    excusedUntilAt: null,
  };
  const paused = settled(flipTo(stopped, 'paused', '', now));
  return { check: paused.check, flips: [...missed.flips, ...paused.flips] };
}

/** A paused check begins anew, as if it had never been pinged; `n` goes on. */
export function resume(check: Check, now: Instant): Transition {
  const fresh: Check = {
    ...check,
    lastPingAt: null,
    lastStartAt: null,
    lastStartRid: null,
    runReported: false,
    excusedUntilAt: null,
  };
  return settled(flipTo(fresh, 'new', '', now));
}

/**
 * An edit by somebody who looks at the check: if it makes the check overdue, the check is down from now on and nobody
 * is told, for whoever is to know sees it. That is what a change to down without a reason means. A deadline that was
 * missed before the edit is another matter, and recorded first.
 */
export function editQuietly(before: Check, edit: CheckEdit, now: Instant, watchedUntil = now): Transition {
  const missed = noticeMissed(before, watchedUntil);
  const edited = editCheck(missed.check, edit);
  if (edited.status !== 'up' || edited.deadlineAt === null || edited.deadlineAt > watchedUntil) {
    return { check: edited, flips: missed.flips };
  }
  const runReported = edited.runReported || isRunOverdue(edited, now);
  const { check, flips } = settled(flipTo({ ...edited, runReported, excusedUntilAt: null }, 'down', '', now));
  return { check, flips: [...missed.flips, ...flips] };
}

/** By the stored deadline, so that a check that cannot be evaluated, and is put off, can still be dealt with. */
function noticeMissed(check: Check, watchedUntil: Instant): Transition {
  const isOverdue = check.deadlineAt !== null && check.deadlineAt <= watchedUntil;
  return isOverdue ? missDeadline(check, watchedUntil) : { check, flips: [] };
}

/** What the deadline does when it has passed: the check goes down at that very instant, however late we look. */
export function missDeadline<C extends PingedCheck>(check: C, now: Instant): Transition<C> {
  const deadline = deadlineOf(check);
  if (deadline === null || deadline > now) return settled({ check, flips: [] });
  const runReported = check.runReported || isRunOverdue(check, deadline);
  return settled(flipTo({ ...check, runReported, excusedUntilAt: null }, 'down', 'timeout', deadline));
}

/** Whether something that the check's deadline follows from lies in the future. */
export function isAhead(check: PingedCheck, now: Instant): boolean {
  const times = [check.lastPingAt, check.lastStartAt, check.excusedUntilAt];
  return check.deadlineAt !== null && times.some((time) => time !== null && time > now);
}

/**
 * The check after a clock that was ahead has been set back: what came in the future came now, and an excuse
 * lasts no longer than `maxExcuse` from now, so that the deadline is not late by as much as the clock was.
 */
export function bringBack<C extends PingedCheck>(check: C, now: Instant, maxExcuse: Micros): C {
  const { lastPingAt, lastStartAt, excusedUntilAt } = check;
  const back: C = {
    ...check,
    lastPingAt: lastPingAt && Math.min(lastPingAt, now),
    lastStartAt: lastStartAt && Math.min(lastStartAt, now),
    excusedUntilAt: excusedUntilAt && Math.min(excusedUntilAt, now + maxExcuse),
  };
  return settled({ check: back, flips: [] }).check;
}

/** What a ping does. A deadline that was missed before it came is recorded first, so that no outage vanishes. */
export function receivePing<C extends PingedCheck>(
  before: C,
  signal: Signal,
  rid: string | null,
  now: Instant,
): Transition<C> {
  const missed = missDeadline(before, now);
  const counted: C = { ...missed.check, pingCount: before.pingCount + 1 };
  const applied = applySignal(counted, effectiveSignal(before, signal, now), rid, now);
  return { check: applied.check, flips: [...missed.flips, ...applied.flips] };
}

/**
 * A paused check that must be resumed by hand takes note of pings and heeds none, unless its deadline has
 * passed: then it is down, whether or not that has been noticed.
 */
export function effectiveSignal(check: PingedCheck, signal: Signal, now: Instant): Signal {
  if (check.status !== 'paused' || !check.manualResume) return signal;
  const deadline = deadlineOf(check);
  return deadline !== null && deadline <= now ? signal : 'ign';
}

function applySignal<C extends PingedCheck>(
  check: C,
  signal: Signal,
  rid: string | null,
  now: Instant,
): Transition<C> {
  switch (signal) {
    case 'start':
      return settled({
        check: { ...check, lastStartAt: now, lastStartRid: rid, runReported: false },
        flips: [],
      });
    case 'success':
      return settled(flipTo(closeRun(check, signal, rid, now), 'up', '', now));
    case 'fail':
      return settled(flipTo(closeRun(check, signal, rid, now), 'down', 'fail', now));
    case 'log':
    case 'ign':
      return settled({ check, flips: [] });
  }
}

/** A success of another run leaves the open one running; a failure, or a success of no run, ends it. */
function closeRun<C extends PingedCheck>(
  check: C,
  signal: 'success' | 'fail',
  rid: string | null,
  now: Instant,
): C {
  const ended: C = { ...check, lastPingAt: now, lastDuration: null, excusedUntilAt: null };
  if (check.lastStartAt === null) return ended;
  const closed: C = { ...ended, lastStartAt: null, lastStartRid: null, runReported: false };
  if (check.lastStartRid === rid) return { ...closed, lastDuration: Math.max(0, now - check.lastStartAt) };
  if (signal === 'fail' || rid === null) return closed;
  // A run that hung while the check was down, or whose end may have come while nobody watched, must not take the
  // check down again: another run has shown that the job lives.
  return { ...ended, runReported: check.runReported || isRunOverdue(ended, now) };
}

/** The flip, if the status changes at all. Flips of one check never go back in time. */
function flipTo<C extends PingedCheck>(
  check: C,
  status: StoredStatus,
  reason: FlipReason,
  at: Instant,
): Transition<C> {
  if (check.status === status) return { check, flips: [] };
  const createdAt = Math.max(at, check.lastFlipAt ?? at);
  const flip = { checkId: check.id, createdAt, oldStatus: check.status, newStatus: status, reason };
  return { check: { ...check, status, lastFlipAt: createdAt }, flips: [flip] };
}

/** Whatever happened, the deadline follows from the rest. */
function settled<C extends PingedCheck>({ check, flips }: Transition<C>): Transition<C> {
  return { check: { ...check, deadlineAt: deadlineOf(check) }, flips };
}
