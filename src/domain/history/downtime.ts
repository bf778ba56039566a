import type { Instant, Micros } from '../../lib/instant.ts';
import type { Check, StoredStatus } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';

export type StatusFlip = Pick<Flip, 'id' | 'createdAt' | 'oldStatus'>;

/** The duration and number of a check's outages in an interval. */
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
 * The downtime of each interval, in the order of the boundaries. Null for an interval before the check existed. A check
 * may have come as one that is down. It counts as down from then on.
 *
 * `boundaries` are the starts of the intervals, newest first. The first interval is the current one and lasts until now.
 * `flips` are those after the oldest boundary, in any order; older ones do no harm. The status before the oldest flip is
 * its old status.
 *
 * Time in `blind` spans, when no node was watching, is not counted as downtime, even if the check was down before and
 * after. The outage itself is counted.
 */
export function downtimes(
  boundaries: readonly Instant[],
  check: Pick<Check, 'status' | 'createdAt'>,
  flips: readonly StatusFlip[],
  blind: readonly TimeSpan[],
  now: Instant,
): (Downtime | null)[] {
  const oldest = Math.max(boundaries.at(-1) ?? now, check.createdAt);
  const outages = outagesOf(oldest, check.status, flips, now);
  const unseen = merged(blind);
  return boundaries.map((start, index) => {
    const newer = boundaries[index - 1];
    if (newer !== undefined && check.createdAt > newer) return null;
    const end = newer ?? Number.POSITIVE_INFINITY;
    // An outage that ended at the start of the interval does not count, unless it also began there.
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

/** An outage, without the time when no node was watching. */
export interface Outage {
  readonly from: Instant;
  readonly duration: Micros;
}

/** The longest outage within the span. Null if there was none. The arguments are those of `downtimes`. */
export function longestOutage(
  span: TimeSpan,
  check: Pick<Check, 'status' | 'createdAt'>,
  flips: readonly StatusFlip[],
  blind: readonly TimeSpan[],
  now: Instant,
): Outage | null {
  const unseen = merged(blind);
  let longest: Outage | null = null;
  for (const outage of outagesOf(Math.max(span.from, check.createdAt), check.status, flips, now)) {
    const part = { from: Math.max(outage.from, span.from), until: Math.min(outage.until, span.until) };
    const duration = part.until - part.from - overlap(unseen, part);
    if (duration > (longest?.duration ?? 0)) longest = { from: part.from, duration };
  }
  return longest;
}

/**
 * The share of the watched time of each interval in which the check was not down, from 0 to 1. Null if nobody watched it
 * then. `downs` is the result of `downtimes` with the same arguments.
 */
export function uptimes(
  boundaries: readonly Instant[],
  check: Pick<Check, 'status' | 'createdAt'>,
  flips: readonly StatusFlip[],
  downs: readonly (Downtime | null)[],
  blind: readonly TimeSpan[],
  now: Instant,
): (number | null)[] {
  const unseen = merged([...blind, ...unwatchedOf(check.createdAt, check.status, flips, now)]);
  return boundaries.map((start, index) => {
    const span = { from: Math.max(start, check.createdAt), until: boundaries[index - 1] ?? now };
    const down = downs[index] ?? null;
    const watched = span.until - span.from - overlap(unseen, span);
    return down === null ? null : uptimeIn(watched, down.duration);
  });
}

/**
 * The share of the watched time in which nothing was down, from 0 to 1. Null if nobody watched. `lost` is a part of
 * `watched`. Pages, reports and status pages all tell this number.
 */
export function uptimeIn(watched: Micros, lost: Micros): number | null {
  return watched <= 0 ? null : Math.max(0, 1 - lost / watched);
}

/** The outages since `oldest`, from the newest to the oldest. */
export function outagesOf(
  oldest: Instant,
  statusNow: StoredStatus,
  flips: readonly StatusFlip[],
  now: Instant,
): TimeSpan[] {
  return spansOf(['down'], oldest, statusNow, flips, now);
}

/** The times since `oldest` when nobody watched the check: before its first ping, and while it was paused. */
export function unwatchedOf(
  oldest: Instant,
  statusNow: StoredStatus,
  flips: readonly StatusFlip[],
  now: Instant,
): TimeSpan[] {
  return spansOf(['new', 'paused'], oldest, statusNow, flips, now);
}

/** When the check had one of these statuses, from the newest time to the oldest. */
function spansOf(
  statuses: readonly StoredStatus[],
  oldest: Instant,
  statusNow: StoredStatus,
  flips: readonly StatusFlip[],
  now: Instant,
): TimeSpan[] {
  const newestFirst = flips.toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  const spans: TimeSpan[] = [];
  let status = statusNow;
  // If the clock was set back, the newest flip may lie after now.
  let until = Math.max(now, newestFirst[0]?.createdAt ?? now);
  for (const flip of newestFirst) {
    if (statuses.includes(status)) spans.push({ from: flip.createdAt, until });
    status = flip.oldStatus;
    until = flip.createdAt;
  }
  if (statuses.includes(status)) spans.push({ from: Math.min(oldest, until), until });
  return spans;
}

/** Merges spans that overlap. The result is in order of time. */
export function merged(spans: readonly TimeSpan[]): TimeSpan[] {
  const result: TimeSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || span.from > last.until) result.push(span);
    else result[result.length - 1] = { from: last.from, until: Math.max(last.until, span.until) };
  }
  return result;
}

/** The part of an interval that lies in the spans. The spans must not overlap. */
export function overlap(spans: readonly TimeSpan[], { from, until }: TimeSpan): Micros {
  return spans.reduce(
    (sum, span) => sum + Math.max(0, Math.min(until, span.until) - Math.max(from, span.from)),
    0,
  );
}

/** What is left of the spans outside of the holes. Neither may overlap, and both are in order of time. */
export function without(spans: readonly TimeSpan[], holes: readonly TimeSpan[]): TimeSpan[] {
  const left: TimeSpan[] = [];
  let hole = 0;
  for (const { from, until } of spans) {
    let start = from;
    while ((holes[hole]?.until ?? Number.POSITIVE_INFINITY) <= start) hole++;
    for (let at = hole; start < until; at++) {
      const next = holes[at];
      const end = Math.min(next?.from ?? until, until);
      if (start < end) left.push({ from: start, until: end });
      if (next === undefined || next.from >= until) break;
      start = next.until;
    }
  }
  return left;
}
