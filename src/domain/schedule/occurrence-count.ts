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

type Next = (after: UtcSecond) => UtcSecond | null;

/** At first so far back is looked for the last runs. */
const SHORT_SPAN = 1_800;
/** More runs than this are not walked through. Schedules may run each second, but only on some days long ago. */
const MAX_WALKED = 2_000;

/** The last runs after `after`, up to and including `until`, at most `most`, oldest first. */
export function lastRuns(next: Next, after: UtcSecond, until: UtcSecond, most: number): UtcSecond[] {
  let found: readonly UtcSecond[] = [];
  for (let to = until; found.length < most && to > after; ) {
    const { runs, from } = lastSome(next, after, to, most - found.length);
    found = [...runs, ...found];
    to = from;
  }
  return found.slice(-most);
}

interface SomeRuns {
  readonly runs: readonly UtcSecond[];
  /** There are no others after it. */
  readonly from: UtcSecond;
}

/** Some of the last runs, at least one if there is any. */
function lastSome(next: Next, after: UtcSecond, until: UtcSecond, most: number): SomeRuns {
  let known: SomeRuns = { runs: [], from: until };
  for (let span = SHORT_SPAN; ; span *= 4) {
    const from = Math.max(after, until - span);
    const runs = runsIn(next, from, until);
    if (runs === null && known.runs.length > 0) return known;
    if (runs === null) {
      const last = lastRun(next, from, known.from);
      return { runs: [last], from: last - 1 };
    }
    if (runs.length >= most || from === after) return { runs, from };
    known = { runs, from };
  }
}

/** Null if there are very many. */
function runsIn(next: Next, after: UtcSecond, until: UtcSecond): UtcSecond[] | null {
  const runs: UtcSecond[] = [];
  for (let at = next(after); at !== null && at <= until; at = next(at)) {
    if (runs.length === MAX_WALKED) return null;
    runs.push(at);
  }
  return runs;
}

/** The last run up to and including `until`. There is one after `after`. */
function lastRun(next: Next, after: UtcSecond, until: UtcSecond): UtcSecond {
  const isIn = (at: UtcSecond | null): at is UtcSecond => at !== null && at <= until;
  let low = after;
  for (let high = until; ; ) {
    const run = next(low);
    if (!isIn(run)) return low;
    low = run;
    const middle = Math.floor((low + high) / 2);
    const later = next(middle);
    if (isIn(later)) low = later;
    else high = middle;
  }
}
