import type { Instant, Micros } from '../lib/instant.ts';
import type { Check, StoredStatus } from './check.ts';
import type { Flip } from './flip.ts';

/** How long a check was down in some interval, and how often. */
export interface Downtime {
  readonly duration: Micros;
  /** An outage that spans several intervals counts in each of them. */
  readonly count: number;
}

/** A time from `from` to just before `until`. */
export interface TimeSpan {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * The downtime of each interval, in the order of the boundaries; null where the check did not exist.
 *
 * `boundaries` are the starts of the intervals, newest first; the first interval is the current one and goes on
 * until now. `flips` are those newer than the oldest boundary, in any order; older ones do no harm. What was
 * before the oldest of them is known from the status that it ended.
 *
 * Time in `blind` spans, when nobody watched, is not counted as downtime even if the check was down before and
 * after: nobody can tell. The outage itself is counted all the same.
 */
export function downtimes(
  boundaries: readonly Instant[],
  check: Pick<Check, 'status' | 'createdAt'>,
  flips: readonly Pick<Flip, 'id' | 'createdAt' | 'oldStatus'>[],
  blind: readonly TimeSpan[],
  now: Instant,
): (Downtime | null)[] {
  const outages = outagesOf(boundaries.at(-1) ?? now, check.status, flips, now);
  const unseen = merged(blind);
  return boundaries.map((start, index) => {
    const newer = boundaries[index - 1];
    if (newer !== undefined && check.createdAt > newer) return null;
    const end = newer ?? Number.POSITIVE_INFINITY;
    // One that ended where the interval starts is over, unless it also began there.
    const during = outages.filter(({ from, until }) => from < end && (from >= start || until > start));
    return {
      duration: during.reduce((sum, { from, until }) => {
        const part = { from: Math.max(from, start), until: Math.min(until, end) };
        return sum + part.until - part.from - overlap(unseen, part);
      }, 0),
      count: during.length,
    };
  });
}

/** When the check was down since `oldest`, walking from now to the past. */
function outagesOf(
  oldest: Instant,
  statusNow: StoredStatus,
  flips: readonly Pick<Flip, 'id' | 'createdAt' | 'oldStatus'>[],
  now: Instant,
): TimeSpan[] {
  const newestFirst = flips.toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  const outages: TimeSpan[] = [];
  let status = statusNow;
  // A clock that was set back may be behind what it has already dated.
  let until = Math.max(now, newestFirst[0]?.createdAt ?? now);
  for (const flip of newestFirst) {
    if (status === 'down') outages.push({ from: flip.createdAt, until });
    status = flip.oldStatus;
    until = flip.createdAt;
  }
  if (status === 'down') outages.push({ from: Math.min(oldest, until), until });
  return outages;
}

/** The same time in spans that do not overlap. */
function merged(spans: readonly TimeSpan[]): TimeSpan[] {
  const result: TimeSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || span.from > last.until) result.push(span);
    else result[result.length - 1] = { from: last.from, until: Math.max(last.until, span.until) };
  }
  return result;
}

/** How much of the time lies in the spans, which do not overlap. */
function overlap(spans: readonly TimeSpan[], { from, until }: TimeSpan): Micros {
  return spans.reduce(
    (sum, span) => sum + Math.max(0, Math.min(until, span.until) - Math.max(from, span.from)),
    0,
  );
}
