import { nextWallTime } from './civil-pattern.ts';
import { YEAR } from './oncalendar-component.ts';
import type { OnCalendarExpression, OnCalendarLine } from './oncalendar-parse.ts';
import {
  firstWallOf,
  highWaterMark,
  offsetOf,
  periodAt,
  periodReaching,
  type UtcSecond,
  type ZoneOffsets,
  zoneOffsets,
} from './zone-offsets.ts';

const STEP = 1;

/** The first run of any line strictly after `after`. Null if there is none. */
export function nextOnCalendarRun(
  expression: OnCalendarExpression,
  defaultZone: ZoneOffsets,
  after: UtcSecond,
): UtcSecond | null {
  let earliest: UtcSecond | null = null;
  for (const line of expression.lines) {
    const zone = line.zone === null ? defaultZone : zoneOffsets(line.zone);
    const run = nextRunOfLine(line, zone, after);
    if (run !== null && (earliest === null || run < earliest)) earliest = run;
  }
  return earliest;
}

/** A skipped wall time does not run. A repeated one runs the first time. */
function nextRunOfLine(line: OnCalendarLine, zone: ZoneOffsets, after: UtcSecond): UtcSecond | null {
  let period = periodAt(zone, after);
  let passed = highWaterMark(zone, after, period, STEP);
  for (;;) {
    const wall = nextWallTime(line.pattern, passed, YEAR.max);
    if (wall === null) return null;

    period = periodReaching(zone, wall, period, STEP);
    const shown = firstWallOf(zone, period, STEP);
    if (shown <= wall) return wall - offsetOf(zone, period);
    // All wall times up to the end of the gap are skipped at once. Otherwise `*:*:*` would be tried 3600 times.
    passed = shown - 1;
  }
}
