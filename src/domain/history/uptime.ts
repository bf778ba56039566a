import type { Instant, Micros } from '../../lib/instant.ts';
import type { StoredStatus } from '../check/check.ts';
import {
  merged,
  outagesOf,
  overlap,
  type StatusFlip,
  type TimeSpan,
  unwatchedOf,
  uptimeIn,
  without,
} from './downtime.ts';

/** The history of some checks together in a span of time. */
export interface History {
  /** When any of them was watched: spans that do not overlap, the earliest first. */
  readonly watched: readonly TimeSpan[];
  /** When any of them was down: spans that do not overlap, the earliest first. */
  readonly down: readonly TimeSpan[];
}

export const NO_HISTORY: History = { watched: [], down: [] };

/**
 * The history of a check from `from` until `until`. `flips` are all in that time and the last one before it, in any order.
 * Without a flip nothing is known: the check was never pinged, or its history is gone.
 */
export function historyOf(
  flips: readonly StatusFlip[],
  statusAtEnd: StoredStatus,
  { from, until }: TimeSpan,
): History {
  if (flips.length === 0) return NO_HISTORY;
  const first = flips.reduce((earliest, { createdAt }) => Math.min(earliest, createdAt), until);
  const known = { from: Math.max(from, first), until };
  const within = (spans: readonly TimeSpan[]) =>
    merged(
      spans
        .map((span) => ({ from: Math.max(span.from, from), until: Math.min(span.until, until) }))
        .filter((span) => span.from < span.until),
    );
  const unwatched = within(unwatchedOf(known.from, statusAtEnd, flips, until));
  return {
    watched: without(known.from < until ? [known] : [], unwatched),
    down: within(outagesOf(known.from, statusAtEnd, flips, until)),
  };
}

/** All of them together are down while any of them is, and watched while any of them is. */
export function joined(histories: readonly History[]): History {
  return {
    watched: merged(histories.flatMap(({ watched }) => watched)),
    down: merged(histories.flatMap(({ down }) => down)),
  };
}

/** The history without the time in these spans, as if the check had not been watched in them. */
export function exceptIn({ watched, down }: History, spans: readonly TimeSpan[]): History {
  if (spans.length === 0) return { watched, down };
  const holes = merged(spans);
  return { watched: without(watched, holes), down: without(down, holes) };
}

/** The downtime in a day. Null if nobody watched, or nothing is known. */
export type DayDowntime = Micros | null;

/**
 * The downtime in each day. Each day lasts until the next start, and the last one until `until`. Time in `blind` spans,
 * when no node was watching, does not count.
 */
export function downtimeByDay(
  { watched, down }: History,
  starts: readonly Instant[],
  until: Instant,
  blind: readonly TimeSpan[],
): DayDowntime[] {
  const unseen = merged(blind);
  const seen = without(watched, unseen);
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
  return days.map((one, index) => (overlap(seen, one) > 0 ? (sums[index] ?? 0) : null));
}

/** The share of the watched time in which nothing was down, from 0 to 1. Null if nobody watched. */
export function uptime({ watched, down }: History, blind: readonly TimeSpan[]): number | null {
  const unseen = merged(blind);
  const lengthOf = (spans: readonly TimeSpan[]) =>
    without(spans, unseen).reduce((sum, { from, until }) => sum + until - from, 0);
  return uptimeIn(lengthOf(watched), lengthOf(down));
}
