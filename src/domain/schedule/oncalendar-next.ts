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

/** The first run of any line strictly after `after`, or null when none is left. */
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

/** A wall time that is skipped does not run; one that repeats runs the first time. */
function nextRunOfLine(line: OnCalendarLine, zone: ZoneOffsets, after: UtcSecond): UtcSecond | null {
  let period = periodAt(zone, after);
  let passed = highWaterMark(zone, after, period, STEP);
  for (;;) {
    const wall = nextWallTime(line.pattern, passed, YEAR.max);
    if (wall === null) return null;

    period = periodReaching(zone, wall, period, STEP);
    const shown = firstWallOf(zone, period, STEP);
    if (shown <= wall) return wall - offsetOf(zone, period);
    // Everything from here to the end of the gap is skipped; `*:*:*` would else be tried 3600 times.
    passed = shown - 1;
  }
}
