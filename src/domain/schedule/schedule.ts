import { type Instant, MICROS_PER_SECOND } from '../../lib/instant.ts';
import { BoundedCache } from './bounded-cache.ts';
import { nextCronRun } from './cron-next.ts';
import { type CronExpression, parseCron } from './cron-parse.ts';
import { describe, describeBriefly } from './describe.ts';
import { detectKind, type ScheduleKind } from './detect.ts';
import { explainForeignCron } from './hints.ts';
import { countRuns, lastRuns } from './occurrence-count.ts';
import { nextOnCalendarRun } from './oncalendar-next.ts';
import { type OnCalendarExpression, parseOnCalendar } from './oncalendar-parse.ts';
import { quote, ScheduleError } from './schedule-error.ts';
import { canonicalTimezone } from './timezone.ts';
import { type UtcSecond, type ZoneOffsets, zoneOffsets } from './zone-offsets.ts';

/**
 * The public functions of this folder: cron and OnCalendar, from text to instants. Parsing, the calendar and the zones
 * have their own files. `docs/schedules.md` has the rules.
 */
export { detectKind, ScheduleError, type ScheduleKind };

type Schedule = CronExpression | OnCalendarExpression;

/** The API accepts 100 characters. This limit only prevents work on extremely long texts. */
export const MAX_EXPRESSION = 1000;

const VALID_AFTER = instantOf('2000-01-01T00:00:00Z');

// Years of four digits. No job runs outside of them, and the limits keep the search short for extreme numbers.
const EARLIEST = instantOf('0001-01-01T00:00:00Z');
const LATEST = instantOf('9999-12-31T23:59:59Z');

/** Each takes some kilobytes at most, and a tenth of a millisecond to make again. */
const schedules = new BoundedCache<Schedule>(5000);

/**
 * Throws a ScheduleError unless the expression can be parsed and runs at least once after 2000-01-01T00:00Z. Without a
 * zone of its own it is evaluated in UTC. So a date in the past is valid, and a date that never comes is not.
 */
export function validateSchedule(expression: string): ScheduleKind {
  const { kind } = parseSchedule(expression);
  if (nextOccurrence(expression, 'UTC', VALID_AFTER) === null) {
    throw new ScheduleError('The expression never runs: no time after 1999 satisfies all of it.');
  }
  return kind;
}

/**
 * The first occurrence strictly after `after`; the fraction of a second of `after` is dropped first. Null if there is
 * none. Throws a ScheduleError if the expression cannot be parsed or the zone is not accepted.
 */
export function nextOccurrence(expression: string, tz: string, after: Instant): Instant | null {
  const schedule = parseSchedule(expression);
  const zone = zoneOf(tz);
  // Unlike `after > LATEST`, this also returns for NaN.
  if (!(after <= LATEST)) return null;

  const next = nextRun(schedule, zone, secondOf(after));
  return next === null ? null : next * MICROS_PER_SECOND;
}

/** A time after the first bound, up to and including the second. */
export interface Stretch {
  readonly after: Instant;
  readonly until: Instant;
}

/** The number of occurrences in the stretch. Throws as `nextOccurrence` does. */
export function countOccurrences(expression: string, tz: string, { after, until }: Stretch): number {
  const schedule = parseSchedule(expression);
  const zone = zoneOf(tz);
  if (!(after < until)) return 0;
  const lines =
    schedule.kind === 'cron'
      ? [{ pattern: schedule.pattern, zone }]
      : schedule.lines.map((line) => ({
          pattern: line.pattern,
          zone: line.zone === null ? zone : zoneOffsets(line.zone),
        }));
  const next = (second: number) => nextRun(schedule, zone, second);
  return countRuns(lines, next, secondOf(after), secondOf(Math.min(until, LATEST)));
}

/** The last occurrences in the stretch, at most `most`, oldest first. Throws as `nextOccurrence` does. */
export function lastOccurrences(
  expression: string,
  tz: string,
  { after, until }: Stretch,
  most: number,
): Instant[] {
  const schedule = parseSchedule(expression);
  const zone = zoneOf(tz);
  if (!(after < until)) return [];
  const next = (second: number) => nextRun(schedule, zone, second);
  const found = lastRuns(next, secondOf(after), secondOf(Math.min(until, LATEST)), most);
  return found.map((second) => second * MICROS_PER_SECOND);
}

function nextRun(schedule: Schedule, zone: ZoneOffsets, second: UtcSecond): UtcSecond | null {
  return schedule.kind === 'cron'
    ? nextCronRun(schedule, zone, second)
    : nextOnCalendarRun(schedule, zone, second);
}

function zoneOf(tz: string): ZoneOffsets {
  const name = canonicalTimezone(tz);
  if (name === null) throw unknownTimezone(tz);
  return zoneOffsets(name);
}

function secondOf(instant: Instant): UtcSecond {
  return Math.floor(Math.max(instant, EARLIEST) / MICROS_PER_SECOND);
}

/** The meaning of the expression in English: `At 09:00, from Monday to Friday`. */
export function describeSchedule(expression: string): string {
  return describe(parseSchedule(expression));
}

/** Shorter, for a list of checks: `Every day at 03:00`. */
export function describeScheduleBriefly(expression: string): string {
  return describeBriefly(parseSchedule(expression));
}

/** The zones that the lines of an expression name. Null stands for a line that names none, such as one of cron. */
export function zonesNamedIn(expression: string): readonly (string | null)[] {
  const schedule = parseSchedule(expression);
  return schedule.kind === 'cron' ? [null] : schedule.lines.map(({ zone }) => zone);
}

function unknownTimezone(tz: string): ScheduleError {
  const reason = 'is not a known time zone: names look like Europe/Riga, and case matters';
  return new ScheduleError(`${quote(tz)} ${reason}.`, 'timezone');
}

function parseSchedule(expression: string): Schedule {
  return schedules.get(expression, readSchedule);
}

function readSchedule(expression: string): Schedule {
  if (expression.length > MAX_EXPRESSION) {
    throw new ScheduleError(`The expression is longer than ${MAX_EXPRESSION} characters.`);
  }
  if (detectKind(expression) === 'cron') return parseCron(expression);
  try {
    return parseOnCalendar(expression);
  } catch (error) {
    throw explainForeignCron(expression) ?? error;
  }
}

function instantOf(text: string): Instant {
  return Temporal.Instant.from(text).epochMilliseconds * 1000;
}
