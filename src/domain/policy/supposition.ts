import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { ToldEvent } from '../alert/channel.ts';
import type { Check } from '../check/check.ts';
import type { Flip, NewFlip } from '../check/flip.ts';
import { type QuietTime, quietSpanAt, rememberingSpans } from '../check/quiet-time.ts';
import { beginLimit, deadlineOf, expectedAt, isWithin } from '../check/status.ts';
import { missDeadline, receivePing, withQuietTime } from '../ping/transition.ts';
import { lastOccurrences } from '../schedule/schedule.ts';
import type { Cause } from './plan.ts';

/** Somebody may suppose something so far ahead. */
export const MAX_AHEAD: Micros = seconds(30 * 86_400);

/** How far ahead messages are foretold, and how many at most. */
export const FORETOLD_SPAN: Micros = seconds(48 * 3600);
export const MAX_FORETOLD = 200;

/** Something that might happen to a check. */
export interface Supposition {
  readonly event: ToldEvent;
  /** Null: now or, of a missed deadline, at the next one. */
  readonly at: Instant | null;
}

/** The check after it, and what the plan is asked then. */
export interface Supposed {
  readonly at: Instant;
  readonly check: Check;
  /** Null: it changes nothing that the plan wants to know. */
  readonly cause: Cause | null;
}

/** The flip has not happened, so it has no id. */
const NO_ID = 0;

/** Times are given in whole seconds. */
const SAME_SECOND = seconds(1);

/**
 * What would follow from an event. Until then the job runs as it should: no other deadline is missed before. `hasOutage` says
 * that an outage of the check is open.
 */
export function suppose(
  check: Check,
  { event, at: askedAt }: Supposition,
  hasOutage: boolean,
  now: Instant,
): Supposed {
  switch (event) {
    case 'up': {
      const at = askedAt ?? now;
      if (check.status === 'down') return withFlip(receivePing(check, 'success', null, at), at);
      // It is up, and more good runs are wanted before that is told.
      return { at, check, cause: hasOutage ? { kind: 'result', isBad: false } : null };
    }
    case 'down_fail': {
      const at = askedAt ?? now;
      if (check.status !== 'down') {
        const isSteady = check.status === 'up' && (deadlineOf(check) ?? at + 1) > at;
        return withFlip(fail(isSteady ? check : running(check, at - 1), at), at);
      }
      const after = fail(check, at).check;
      return { at, check: after, cause: hasOutage ? { kind: 'result', isBad: true } : null };
    }
    case 'down_timeout':
      if (check.status === 'down') return { at: askedAt ?? now, check, cause: null };
      return supposeMiss(check, askedAt, now);
  }
}

/** The run that is under way fails, or one of which no start was reported. */
function fail(check: Check, at: Instant) {
  return receivePing(check, 'fail', check.lastStartRid, at);
}

function supposeMiss(check: Check, askedAt: Instant | null, now: Instant): Supposed {
  const watched = check.status === 'up' ? check : running(check, now);
  const deadline = deadlineOf(watched);
  if (deadline !== null && (askedAt === null || Math.abs(deadline - askedAt) < SAME_SECOND))
    return withFlip(missDeadline(watched, deadline), deadline);
  const at = askedAt ?? now;
  const missed = running(check, endBefore(check, at));
  const flip: NewFlip = {
    checkId: check.id,
    createdAt: at,
    oldStatus: 'up',
    newStatus: 'down',
    reason: 'timeout',
    cause: 'missed',
  };
  return withFlip({ check: { ...missed, status: 'down', lastFlipAt: at }, flips: [flip] }, at);
}

function withFlip(
  { check, flips }: { readonly check: Check; readonly flips: readonly NewFlip[] },
  at: Instant,
): Supposed {
  const last = flips.at(-1);
  const flip: Flip | null = last === undefined ? null : { ...last, id: NO_ID };
  return { at, check, cause: flip && { kind: 'flip', flip } };
}

/** The check as if its last run had ended well then. */
export function running(check: Check, lastPingAt: Instant): Check {
  return {
    ...check,
    ...{ status: 'up', lastPingAt, lastFlipAt: lastPingAt, badCount: 0, timedAt: null },
    ...{ lastStartAt: null, lastStartRid: null, lastAliveAt: null, runReported: false, excusedUntilAt: null },
  };
}

/** The end of the run before the one whose deadline passes `at`, or shortly before that. */
function endBefore(check: Check, at: Instant): Instant {
  const due = at - beginLimit(check);
  if (check.kind === 'simple') return due - seconds(check.timeoutSeconds);
  const [before, missed] = lastOccurrences(check.schedule, check.tz, { after: 0, until: due }, 2);
  return missed === undefined || before === undefined ? at : before;
}

/** Quiet times put deadlines off, perhaps into the next one. */
const MAX_PUT_OFF = 20;

/** The check with the quiet times that will put its next deadline off. */
export function withComingQuiet(check: Check, quietTimes: readonly QuietTime[]): Check {
  let after = check;
  const spanOf = rememberingSpans();
  for (let n = 0; n < MAX_PUT_OFF && quietTimes.length > 0; n++) {
    const span = [expectedAt(after), deadlineOf(after)]
      .filter((at) => at !== null)
      .map((at) => ({ at, span: quietSpanAt(quietTimes, at, spanOf) }))
      .find(({ at, span }) => span !== null && isWithin(span, at) && span.until !== after.quietUntilAt)?.span;
    if (span === undefined || span === null) break;
    after = withQuietTime(after, span, span.from);
  }
  return after;
}
