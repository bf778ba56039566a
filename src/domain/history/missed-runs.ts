import { type Instant, seconds } from '../../lib/instant.ts';
import { beginLimit, type Timed } from '../check/status.ts';
import { nextOccurrence } from '../schedule/schedule.ts';

/** Missed runs are counted up to this number. A schedule of every minute misses half a million in a year. */
export const MAX_MISSED_RUNS = 1_000;

/** The fields that say when runs are due. */
export type Scheduled = Pick<Timed, 'kind' | 'timeoutSeconds' | 'schedule' | 'tz'>;

/** A time in which no sign of the job came. */
export interface Silence {
  readonly from: Instant;
  readonly until: Instant;
  /** The last end of a run before it, from which a period counts. */
  readonly endedAt: Instant;
}

/** The number of runs that are due after the silence has begun, until its end. Counting ends at `most`. */
export function dueRuns(check: Scheduled, { from, until, endedAt }: Silence, most: number): number {
  if (check.kind === 'simple') {
    const periods = (at: Instant) => Math.floor((at - endedAt) / seconds(check.timeoutSeconds));
    return Math.min(most, Math.max(0, periods(until) - periods(from)));
  }
  let due = 0;
  for (let at = nextRun(check, from); due < most && at !== null && at <= until; at = nextRun(check, at))
    due++;
  return due;
}

/** A schedule that cannot be evaluated has no times. */
function nextRun({ schedule, tz }: Scheduled, after: Instant): Instant | null {
  try {
    return nextOccurrence(schedule, tz, after);
  } catch {
    return null;
  }
}

/** When one more run of a check that is down will have been missed. Null if none will, or the check is not down. */
export function nextMissedAt(
  check: Scheduled & Pick<Timed, 'status' | 'graceSeconds' | 'runRules' | 'lastPingAt'>,
  now: Instant,
): Instant | null {
  if (check.status !== 'down') return null;
  const grace = beginLimit(check);
  const period = seconds(check.timeoutSeconds);
  const from = now - grace;
  const endedAt = check.lastPingAt ?? from;
  const due =
    check.kind === 'simple'
      ? endedAt + (Math.floor((from - endedAt) / period) + 1) * period
      : nextRun(check, from);
  return due === null ? null : due + grace;
}

/** `one run`, `3 runs`, `more than 1,000 runs`. Empty if there are none. */
export function missedRunsText(missed: number): string {
  if (missed < 2) return missed === 0 ? '' : 'one run';
  const isMany = missed > MAX_MISSED_RUNS;
  return `${isMany ? 'more than ' : ''}${Math.min(missed, MAX_MISSED_RUNS).toLocaleString('en')} runs`;
}
