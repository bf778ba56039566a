import type { Instant, Micros } from '../../lib/instant.ts';
import type { StoredStatus } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';
import { merged, outagesOf, overlap, type TimeSpan, uptimeIn } from './downtime.ts';

type HistoryFlip = Pick<Flip, 'id' | 'createdAt' | 'oldStatus'>;

/** The history of some checks together in a span of time. */
export interface History {
  /** When the first of them has a history. Null if none has. */
  readonly knownFrom: Instant | null;
  /** When any of them was down: spans that do not overlap, the earliest first. */
  readonly down: readonly TimeSpan[];
}

export const NO_HISTORY: History = { knownFrom: null, down: [] };

/**
 * The history of a check from `from` until `until`. `flips` are all in that time and the last one before it, in any order.
 * Without a flip nothing is known: the check was never pinged, or its history is gone.
 */
export function historyOf(
  flips: readonly HistoryFlip[],
  statusAtEnd: StoredStatus,
  { from, until }: TimeSpan,
): History {
  if (flips.length === 0) return NO_HISTORY;
  const first = flips.reduce((earliest, { createdAt }) => Math.min(earliest, createdAt), until);
  const outages = outagesOf(Math.max(from, first), statusAtEnd, flips, until);
  const down = outages.map((span) => ({
    from: Math.max(span.from, from),
    until: Math.min(span.until, until),
  }));
  return { knownFrom: Math.max(first, from), down: merged(down.filter((span) => span.from < span.until)) };
}

/** All of them together are down while any of them is. */
export function joined(histories: readonly History[]): History {
  const known = histories.flatMap(({ knownFrom }) => knownFrom ?? []);
  return {
    knownFrom: known.length === 0 ? null : Math.min(...known),
    down: merged(histories.flatMap(({ down }) => down)),
  };
}

/** The downtime in a day. Null if the day is unknown, or no node was watching. */
export type DayDowntime = Micros | null;

/**
 * The downtime in each day. Each day lasts until the next start, and the last one until `until`. Time in `blind` spans,
 * when no node was watching, does not count.
 */
export function downtimeByDay(
  { knownFrom, down }: History,
  starts: readonly Instant[],
  until: Instant,
  blind: readonly TimeSpan[],
): DayDowntime[] {
  const unseen = merged(blind);
  const days = starts.map((from, index) => ({ from, until: starts[index + 1] ?? until }));
  const sums = days.map(() => 0);
  let day = 0;
  for (const span of down) {
    while (day > 0 && (days[day]?.from ?? 0) > span.from) day--;
    while (day < days.length && (days[day]?.until ?? 0) <= span.from) day++;
    for (let at = day; at < days.length; at++) {
      const { from, until: end } = days[at] ?? { from: 0, until: 0 };
      if (from >= span.until) break;
      const part = { from: Math.max(from, span.from), until: Math.min(end, span.until) };
      sums[at] = (sums[at] ?? 0) + part.until - part.from - overlap(unseen, part);
    }
  }
  return days.map((one, index) => {
    const known = { from: Math.max(one.from, knownFrom ?? one.until), until: one.until };
    const isSeen = known.from < known.until && overlap(unseen, known) < known.until - known.from;
    return isSeen ? (sums[index] ?? 0) : null;
  });
}

/** The share of the known time in which nothing was down, from 0 to 1. Null if nothing is known. */
export function uptime(
  { knownFrom, down }: History,
  until: Instant,
  blind: readonly TimeSpan[],
): number | null {
  if (knownFrom === null || knownFrom >= until) return null;
  const unseen = merged(blind);
  const lost = down.reduce((sum, span) => sum + span.until - span.from - overlap(unseen, span), 0);
  return uptimeIn({ from: knownFrom, until }, lost, unseen);
}
