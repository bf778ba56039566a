import { BoundedCache } from './bounded-cache.ts';
import type { WallTime } from './civil.ts';

/** Whole seconds since 1970-01-01T00:00:00Z. */
export type UtcSecond = number;

/**
 * The past and future of one zone, as periods with a constant offset from UTC. Wall time is `second + offsets[i]` in
 * the period `i`, which lasts from `starts[i]` to just before `starts[i + 1]`.
 */
export interface ZoneOffsets {
  /** One entry more than there are periods. The first is -Infinity and the last is Infinity. */
  readonly starts: Float64Array;
  readonly offsets: Int32Array;
}

// Before 1800 zones used local mean time, and an Instant is exact until 2255. Outside of this span the first and the
// last offset apply.
const KNOWN_FROM = Temporal.Instant.from('1800-01-01T00:00Z');
const KNOWN_UNTIL = Temporal.Instant.from('2260-01-01T00:00Z');

/** The largest shift of clocks. No real one was larger: in 1867 Alaska moved by a day. */
const MAX_SHIFT = 2 * 86_400;

/** There are about 600 names, and a service uses a few dozen. A zone takes up to 11 kB. */
const cache = new BoundedCache<ZoneOffsets>(200);

/** `zone` must be a name that the runtime knows. The first call takes a millisecond. */
export function zoneOffsets(zone: string): ZoneOffsets {
  return cache.get(zone, readZone);
}

function readZone(zone: string): ZoneOffsets {
  let at = KNOWN_FROM.toZonedDateTimeISO(zone);
  const starts = [Number.NEGATIVE_INFINITY];
  const offsets = [at.offsetNanoseconds / 1e9];
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || Temporal.Instant.compare(next.toInstant(), KNOWN_UNTIL) > 0) break;
    starts.push(next.epochMilliseconds / 1000);
    offsets.push(next.offsetNanoseconds / 1e9);
    at = next;
  }
  starts.push(Number.POSITIVE_INFINITY);
  return { starts: Float64Array.from(starts), offsets: Int32Array.from(offsets) };
}

/** The index of the period that contains `second`. */
export function periodAt(zone: ZoneOffsets, second: UtcSecond): number {
  let low = 0;
  let high = zone.offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (startOf(zone, middle) <= second) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function startOf(zone: ZoneOffsets, period: number): UtcSecond {
  return zone.starts[period] ?? Number.POSITIVE_INFINITY;
}

export function offsetOf(zone: ZoneOffsets, period: number): number {
  return zone.offsets[period] ?? 0;
}

/** The first wall time of the period that is a multiple of `step` seconds. */
export function firstWallOf(zone: ZoneOffsets, period: number, step: number): WallTime {
  return Math.ceil((startOf(zone, period) + offsetOf(zone, period)) / step) * step;
}

/**
 * The latest wall time, in multiples of `step` seconds, that the clocks of the zone have shown up to and
 * including `second`.
 *
 * While an hour repeats, the mark stays at the end of the first pass. A wall time up to the mark has already run. This
 * implements both rules: only the first pass counts, and a run is strictly later.
 */
export function highWaterMark(zone: ZoneOffsets, second: UtcSecond, period: number, step: number): WallTime {
  let mark = Number.NEGATIVE_INFINITY;
  let latest = second;
  for (let index = period; index >= 0; index -= 1) {
    const wall = Math.floor((latest + offsetOf(zone, index)) / step) * step;
    const start = startOf(zone, index);
    if (wall > mark && wall >= start + offsetOf(zone, index)) mark = wall;
    if (second - start > MAX_SHIFT) break;
    latest = start - 1;
  }
  return mark;
}

/**
 * The first period, at `period` or later, whose clocks show `wall`. If `wall` was skipped, the period that shows the
 * first multiple of `step` after the gap.
 */
export function periodReaching(zone: ZoneOffsets, wall: WallTime, period: number, step: number): number {
  let index = period;
  while (Math.max(wall, firstWallOf(zone, index, step)) >= startOf(zone, index + 1) + offsetOf(zone, index)) {
    index += 1;
  }
  return index;
}
