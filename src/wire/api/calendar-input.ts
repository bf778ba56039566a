import { AppError } from '../../domain/errors.ts';
import { isDate } from '../../domain/policy/calendar.ts';
import {
  MAX_CALENDAR_SECONDS,
  MAX_EXCEPT_DATES,
  MIN_CALENDAR_SECONDS,
  type StoredCalendar,
} from '../../domain/policy/stored-calendar.ts';
import { acceptedTimezone } from '../../domain/schedule/timezone.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, integer, refined, text } from '../../lib/fields.ts';
import type { JsonObject } from './body.ts';
import { scheduleFault } from './check-fields.ts';
import { readKnownFields } from './known-fields.ts';

const scheduleText = text({
  maxLength: TEXT_LIMITS.checkSchedule,
  description: 'When the hours begin: cron or OnCalendar.',
});

const scheduleField: Field<string> = {
  read(value, name) {
    const read = scheduleText.read(value, name);
    if (read instanceof Fault) return read;
    const fault = scheduleFault(read);
    return fault === null
      ? read
      : new Fault(`${name} is not a valid cron or OnCalendar expression: ${fault}`);
  },
  schema: scheduleText.schema,
};

const exceptField: Field<string, readonly string[]> = {
  read(value, name) {
    if (!Array.isArray(value)) return new Fault(`${name} is not an array`);
    if (value.length > MAX_EXCEPT_DATES) return new Fault(`${name} has too many items`);
    const wrong = value.find((item) => typeof item !== 'string' || !isDate(item));
    if (wrong !== undefined) return new Fault(`an item in '${name}' is not a date such as 2026-12-24`);
    return [...new Set(value)].toSorted().join(' ');
  },
  schema: {
    type: 'array',
    items: { type: 'string', format: 'date' },
    maxItems: MAX_EXCEPT_DATES,
    description: 'Days that are outside of the hours, from midnight to midnight.',
  },
};

export const CALENDAR_FIELDS = {
  name: text({
    maxLength: TEXT_LIMITS.calendarName,
    pattern: /\S/,
    description: 'Its name, by which policies, integrations and files refer to it.',
  }),
  schedule: scheduleField,
  tz: refined(
    text({ description: 'The time zone of the schedule. Without it: UTC.' }),
    'timezone',
    acceptedTimezone,
  ),
  duration: integer({
    minimum: MIN_CALENDAR_SECONDS,
    maximum: MAX_CALENDAR_SECONDS,
    description: 'For how many seconds they last.',
  }),
  except: exceptField,
};

/** Absent fields stay as they are. */
export type CalendarEdit = Partial<
  Pick<StoredCalendar, 'name' | 'schedule' | 'tz' | 'durationSeconds' | 'exceptDates'>
>;

export function parseCalendarEdit(body: JsonObject): CalendarEdit {
  return calendarEdit(readKnownFields(CALENDAR_FIELDS, body, 'calendar'));
}

/** A new calendar has a name, a schedule and a duration. */
export function parseNewCalendar(body: JsonObject): Required<CalendarEdit> {
  return newCalendar(parseCalendarEdit(body), (reason) => {
    throw invalid(reason);
  });
}

export function calendarEdit({
  duration,
  except,
  ...others
}: {
  readonly name?: string | undefined;
  readonly schedule?: string | undefined;
  readonly tz?: string | undefined;
  readonly duration?: number | undefined;
  readonly except?: string | undefined;
}): CalendarEdit {
  const given = { ...others, durationSeconds: duration, exceptDates: except };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Fills in what may be left out. `refuse` hears what may not. */
export function newCalendar(
  { name, schedule, tz = 'UTC', durationSeconds, exceptDates = '' }: CalendarEdit,
  refuse: (reason: string) => void,
): Required<CalendarEdit> {
  if (name === undefined) refuse('name is missing');
  if (schedule === undefined) refuse('schedule is missing');
  if (durationSeconds === undefined) refuse('duration is missing');
  return {
    ...{ name: name ?? '', schedule: schedule ?? '', tz },
    ...{ durationSeconds: durationSeconds ?? MIN_CALENDAR_SECONDS, exceptDates },
  };
}

function invalid(reason: string): AppError {
  return new AppError('invalid_field', `json validation error: ${reason}`);
}
