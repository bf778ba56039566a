import { type Instant, MICROS_PER_SECOND } from '../../lib/instant.ts';
import { BoundedCache } from './bounded-cache.ts';
import { nextCronRun } from './cron-next.ts';
import { type CronExpression, parseCron } from './cron-parse.ts';
import { describe } from './describe.ts';
import { detectKind, type ScheduleKind } from './detect.ts';
import { explainForeignCron } from './hints.ts';
import { nextOnCalendarRun } from './oncalendar-next.ts';
import { type OnCalendarExpression, parseOnCalendar } from './oncalendar-parse.ts';
import { quote, ScheduleError } from './schedule-error.ts';
import { canonicalTimezone } from './timezone.ts';
import { zoneOffsets } from './zone-offsets.ts';

/**
 * The front door of this folder: cron and OnCalendar, from text to instants. Parsing, the calendar and the
 * zones each have their own files behind it; `docs/schedules.md` has the rules.
 */
export { detectKind, ScheduleError, type ScheduleKind };

type Schedule = CronExpression | OnCalendarExpression;

/** The API takes 100 characters. This only keeps a megabyte of commas from being worked on. */
export const MAX_EXPRESSION = 1000;

const VALID_AFTER = instantOf('2000-01-01T00:00:00Z');

// Years of four digits. No job runs outside of them, but a wild number must not make the search run wild.
const EARLIEST = instantOf('0001-01-01T00:00:00Z');
const LATEST = instantOf('9999-12-31T23:59:59Z');

/** Some kilobytes each at most, a tenth of a millisecond to make again. */
const schedules = new BoundedCache<Schedule>(5000);

/**
 * Throws a ScheduleError unless the expression parses and runs at least once after 2000-01-01T00:00Z, in
 * UTC where it names no zone itself. A date that has passed is thus valid, one that never comes is not.
 */
export function validateSchedule(expression: string): ScheduleKind {
  const { kind } = parseSchedule(expression);
  if (nextOccurrence(expression, 'UTC', VALID_AFTER) === null) {
    throw new ScheduleError('The expression never runs: no time after 1999 satisfies all of it.');
  }
  return kind;
}

/**
 * The first occurrence strictly after `after`, whose fraction of a second is dropped first, or null when
 * none is left. Throws a ScheduleError when the expression does not parse or the zone is not accepted.
 */
export function nextOccurrence(expression: string, tz: string, after: Instant): Instant | null {
  const schedule = parseSchedule(expression);
  const name = canonicalTimezone(tz);
  if (name === null) throw unknownTimezone(tz);
  // Not `after > LATEST`, so that NaN ends here too.
  if (!(after <= LATEST)) return null;

  const zone = zoneOffsets(name);
  const second = Math.floor(Math.max(after, EARLIEST) / MICROS_PER_SECOND);
  const next =
    schedule.kind === 'cron'
      ? nextCronRun(schedule, zone, second)
      : nextOnCalendarRun(schedule, zone, second);
  return next === null ? null : next * MICROS_PER_SECOND;
}

/** What the expression means, in English: `At 09:00, from Monday to Friday`. */
export function describeSchedule(expression: string): string {
  return describe(parseSchedule(expression));
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
