import { SECONDS_PER_DAY } from './civil.ts';
import { type CivilPattern, hasDay } from './civil-pattern.ts';
import { offsetOf, periodAt, startOf, type UtcSecond, type ZoneOffsets } from './zone-offsets.ts';

/** The wall times of one line of a schedule, and the zone whose clocks show them. */
export interface ZonedPattern {
  readonly pattern: CivilPattern;
  readonly zone: ZoneOffsets;
}

/** Cron counts in minutes. A time in a gap runs within the minute after it. */
const STEP = 60;

/**
 * The number of runs after `after`, up to and including `until`. Days in which no clock changes have the same number of runs if
 * the same lines run in them, so each kind of day is counted once: three months of minutes take no longer than some days.
 */
export function countRuns(
  lines: readonly ZonedPattern[],
  next: (after: UtcSecond) => UtcSecond | null,
  after: UtcSecond,
  until: UtcSecond,
): number {
  const walk = (from: UtcSecond, to: UtcSecond) => {
    let runs = 0;
    for (let at = next(from); at !== null && at <= to; at = next(at)) runs++;
    return runs;
  };
  const byKind = new Map<string, number>();
  let count = 0;
  for (let from = after; from < until; ) {
    const day = Math.floor((from + 1) / SECONDS_PER_DAY);
    const end = (day + 1) * SECONDS_PER_DAY - 1;
    const kind = from + 1 === day * SECONDS_PER_DAY && end <= until ? kindOfDay(lines, day) : null;
    const known = kind === null ? undefined : byKind.get(kind);
    const runs = known ?? walk(from, Math.min(end, until));
    if (kind !== null) byKind.set(kind, runs);
    count += runs;
    from = end;
  }
  return count;
}

/** Which lines run in the two local days that a day of UTC is part of. Null if a clock changes in it, or just has. */
function kindOfDay(lines: readonly ZonedPattern[], day: number): string | null {
  const first = day * SECONDS_PER_DAY;
  let kind = '';
  for (const { pattern, zone } of lines) {
    const period = periodAt(zone, first);
    const offset = offsetOf(zone, period);
    const shift = period === 0 ? 0 : Math.abs(offset - offsetOf(zone, period - 1));
    if (first <= startOf(zone, period) + shift + STEP) return null;
    if (first + SECONDS_PER_DAY >= startOf(zone, period + 1)) return null;
    const local = Math.floor((first + offset) / SECONDS_PER_DAY);
    kind += `${Number(hasDay(pattern, local))}${Number(hasDay(pattern, local + 1))}`;
  }
  return kind;
}

/** At first so far back is looked for the last runs. */
const SHORT_SPAN = 1_800;

/** The last runs after `after`, up to and including `until`, at most `most`, oldest first. */
export function lastRuns(
  next: (after: UtcSecond) => UtcSecond | null,
  after: UtcSecond,
  until: UtcSecond,
  most: number,
): UtcSecond[] {
  for (let span = SHORT_SPAN; ; span *= 4) {
    const from = Math.max(after, until - span);
    const found: UtcSecond[] = [];
    for (let at = next(from); at !== null && at <= until; at = next(at)) found.push(at);
    if (found.length >= most || from === after) return found.slice(-most);
  }
}
