import { type Instant, seconds } from '../../lib/instant.ts';
import { BoundedCache } from './bounded-cache.ts';
import { nextCronRun } from './cron-next.ts';
import { type CronExpression, parseCron } from './cron-parse.ts';
import { detectKind, type ScheduleKind } from './detect.ts';
import { nextOnCalendarRun } from './oncalendar-next.ts';
import { type OnCalendarExpression, parseOnCalendar } from './oncalendar-parse.ts';
import { quote, ScheduleError } from './schedule-error.ts';
import { canonicalTimezone } from './timezone.ts';
import { type ZoneOffsets, zoneOffsets } from './zone-offsets.ts';

export { detectKind, ScheduleError, type ScheduleKind };

const cache = new BoundedCache<CronExpression | OnCalendarExpression>(1000);

function parseSchedule(expression: string): CronExpression | OnCalendarExpression {
  return cache.get(expression, (text) =>
    detectKind(text) === 'cron' ? parseCron(text) : parseOnCalendar(text),
  );
}

export function validateSchedule(expression: string): ScheduleKind {
  const schedule = parseSchedule(expression);
  if (nextOccurrence(expression, 'UTC', 946684800e6) === null)
    throw new ScheduleError('This schedule never runs.');
  return schedule.kind;
}

export function nextOccurrence(expression: string, tz: string, after: Instant): Instant | null {
  const schedule = parseSchedule(expression);
  const zone = zoneNamed(tz);
  const second = Math.floor(after / seconds(1));
  const next =
    schedule.kind === 'cron'
      ? nextCronRun(schedule, zone, second)
      : nextOnCalendarRun(schedule, zone, second);
  return next === null ? null : seconds(next);
}

function zoneNamed(tz: string): ZoneOffsets {
  const name = canonicalTimezone(tz);
  if (name === null) throw new ScheduleError(`${quote(tz)} is not a time zone.`, 'timezone');
  return zoneOffsets(name);
}

export function describeSchedule(expression: string): string {
  return parseSchedule(expression).kind;
}
