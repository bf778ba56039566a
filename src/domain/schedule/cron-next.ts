import { yearOf } from './civil.ts';
import { nextWallTime } from './civil-pattern.ts';
import type { CronExpression } from './cron-parse.ts';
import {
  firstWallOf,
  highWaterMark,
  offsetOf,
  periodAt,
  periodReaching,
  startOf,
  type UtcSecond,
  type ZoneOffsets,
} from './zone-offsets.ts';

/** Cron runs jobs once a minute. */
const STEP = 60;

/**
 * Calendar years to look ahead. Every possible date occurs within 40 years. The rarest is 29 February on a given
 * weekday, across 2100.
 */
export const HORIZON_YEARS = 50;

/** The first run strictly after `after`, or null when there is none in the next 50 years. */
export function nextCronRun(cron: CronExpression, zone: ZoneOffsets, after: UtcSecond): UtcSecond | null {
  return cron.isWildcard ? nextByElapsedTime(cron, zone, after) : nextByWallClock(cron, zone, after);
}

/**
 * A job for fixed times of the day runs once for each time. If a time repeats, the job runs at the first one. If a time
 * is skipped, the job runs right after the gap. Several times in one gap lead to one run.
 */
function nextByWallClock(cron: CronExpression, zone: ZoneOffsets, after: UtcSecond): UtcSecond | null {
  const period = periodAt(zone, after);
  const mark = highWaterMark(zone, after, period, STEP);
  const wall = nextWallTime(cron.pattern, mark, yearOf(mark) + HORIZON_YEARS);
  if (wall === null) return null;

  const reached = periodReaching(zone, wall, period, STEP);
  return Math.max(wall, firstWallOf(zone, reached, STEP)) - offsetOf(zone, reached);
}

/**
 * A job with `*` in its minutes or hours runs whenever the local time matches: not in a gap, and twice in a repeated
 * hour.
 */
function nextByElapsedTime(cron: CronExpression, zone: ZoneOffsets, after: UtcSecond): UtcSecond | null {
  let period = periodAt(zone, after);
  let passed = after + offsetOf(zone, period);
  const lastYear = yearOf(passed) + HORIZON_YEARS;

  let wall = nextWallTime(cron.pattern, passed, lastYear);
  while (wall !== null) {
    const run = wall - offsetOf(zone, period);
    if (run < startOf(zone, period + 1)) return run;

    period += 1;
    const shown = startOf(zone, period) + offsetOf(zone, period);
    const isStillNext = passed < shown && shown <= wall;
    passed = shown - 1;
    if (!isStillNext) wall = nextWallTime(cron.pattern, passed, lastYear);
  }
  return null;
}
