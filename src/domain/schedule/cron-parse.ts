import type { CivilPattern } from './civil-pattern.ts';
import {
  type DayMask,
  dayBit,
  daysOn,
  lastDaysOn,
  lastWorkday,
  type Month,
  nthDaysOn,
  type WeekdayMask,
  wholeMonth,
} from './day-mask.ts';
import { quote, ScheduleError } from './schedule-error.ts';
import { everyNth, range, ValueSet } from './value-set.ts';

/** A cron expression, read. See docs/schedules.md for the grammar. */
export interface CronExpression {
  readonly kind: 'cron';
  /** The five fields as written, in upper case. */
  readonly fields: CronFields;
  readonly dayOfMonth: DaysOfMonth;
  readonly dayOfWeek: DaysOfWeek;
  /** Whether a day must satisfy both day fields; else either suffices. */
  readonly needsBothDays: boolean;
  /** Minutes or hours start with `*`: the job follows elapsed time, not the clock on the wall. */
  readonly isWildcard: boolean;
  readonly pattern: CivilPattern;
}

export interface CronFields {
  readonly minute: string;
  readonly hour: string;
  readonly dayOfMonth: string;
  readonly month: string;
  readonly dayOfWeek: string;
}

export interface DaysOfMonth {
  readonly days: readonly number[];
  /** `L`. */
  readonly lastDay: boolean;
  /** `LW`. */
  readonly lastWorkday: boolean;
}

export interface DaysOfWeek {
  /** 0 is Sunday; 7 has become 0. */
  readonly weekdays: readonly number[];
  /** `5L` is the last Friday. */
  readonly last: readonly number[];
  /** `5#2` is the second Friday. */
  readonly nth: readonly { readonly weekday: number; readonly nth: number }[];
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values from `min` on. */
  readonly names?: readonly string[];
}

const MINUTE: Field = { name: 'minute', min: 0, max: 59 };
const HOUR: Field = { name: 'hour', min: 0, max: 23 };
const DAY_OF_MONTH: Field = { name: 'day-of-month', min: 1, max: 31 };
const MONTH: Field = {
  name: 'month',
  min: 1,
  max: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  min: 0,
  max: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

const ANY_YEAR = { atOrAfter: (year: number) => year };
const ON_THE_MINUTE = new ValueSet([0]);

/** In a leap year: 29 February must not be refused. */
const LONGEST_MONTHS = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function parseCron(expression: string): CronExpression {
  const parts = expression.trim().toUpperCase().split(/\s+/);
  if (parts.length !== 5) {
    throw new ScheduleError(
      `A cron expression has five fields (minute, hour, day of month, month, day of week), not ${parts.length}.`,
    );
  }
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = parts;

  const minutes = parseValues(MINUTE, minute);
  const hours = parseValues(HOUR, hour);
  const daysOfMonth = parseDaysOfMonth(dayOfMonth);
  const months = parseValues(MONTH, month);
  const daysOfWeek = parseDaysOfWeek(dayOfWeek);
  refuseImpossibleDates(daysOfMonth, months);

  const needsBothDays = dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*');
  return {
    kind: 'cron',
    fields: { minute, hour, dayOfMonth, month, dayOfWeek },
    dayOfMonth: daysOfMonth,
    dayOfWeek: daysOfWeek,
    needsBothDays,
    isWildcard: minute.startsWith('*') || hour.startsWith('*'),
    pattern: {
      years: ANY_YEAR,
      months: new ValueSet(months),
      days: dayTest(daysOfMonth, daysOfWeek, needsBothDays),
      hours: new ValueSet(hours),
      minutes: new ValueSet(minutes),
      seconds: ON_THE_MINUTE,
    },
  };
}

/** A field of plain terms: `*`, `5`, `1-5`, `*\/15`, `10-20/5`, `5/15`, in a list. */
function parseValues(field: Field, text: string): number[] {
  return terms(field, text).flatMap((term) => parseTerm(field, term));
}

function parseDaysOfMonth(text: string): DaysOfMonth {
  const found = { days: [] as number[], lastDay: false, lastWorkday: false };
  for (const term of terms(DAY_OF_MONTH, text)) {
    const [base, step] = splitOnce(term, '/');
    if (base === 'L' || base === 'LW') {
      // A step is read and ignored, as by the service whose users we serve.
      if (step !== null) parseStep(DAY_OF_MONTH, step);
      if (base === 'L') found.lastDay = true;
      else found.lastWorkday = true;
    } else {
      found.days.push(...parseTerm(DAY_OF_MONTH, term));
    }
  }
  return found;
}

function parseDaysOfWeek(text: string): DaysOfWeek {
  const found = { weekdays: [] as number[], last: [] as number[], nth: [] as DaysOfWeek['nth'][number][] };
  for (const term of terms(DAY_OF_WEEK, text)) {
    const [weekday, nth] = splitOnce(term, '#');
    if (/^[0-9]+L$/.test(term)) {
      found.last.push(parseValue(DAY_OF_WEEK, term.slice(0, -1)) % 7);
    } else if (nth !== null) {
      found.nth.push({ weekday: parseValue(DAY_OF_WEEK, weekday) % 7, nth: parseNth(nth) });
    } else {
      found.weekdays.push(...parseTerm(DAY_OF_WEEK, term).map((value) => value % 7));
    }
  }
  return found;
}

function terms(field: Field, text: string): string[] {
  const list = text.split(',');
  if (list.includes('')) fail(field, `the list ${quote(text)} has an empty place: remove the extra comma`);
  return list;
}

function parseTerm(field: Field, term: string): number[] {
  const [base, step] = splitOnce(term, '/');
  const values = parseRange(field, base);
  if (step === null) return values;

  const count = parseStep(field, step);
  // A single value with a step runs on to the end of the field, and so does a range of one value.
  const [only] = values;
  return values.length === 1 && only !== undefined ? range(only, field.max, count) : everyNth(values, count);
}

function parseRange(field: Field, text: string): number[] {
  if (text === '*') return range(field.min, field.max);
  const [from, to] = splitOnce(text, '-');
  if (to === null) return [parseValue(field, from)];

  const first = parseValue(field, from);
  const last = parseValue(field, to);
  if (first > last) fail(field, `${quote(text)} runs backwards${backwardsHint(field, to)}`);
  return range(first, last);
}

function parseValue(field: Field, text: string): number {
  const named = field.names?.indexOf(text) ?? -1;
  if (named >= 0) return field.min + named;

  if (!/^[0-9]+$/.test(text)) fail(field, `${quote(text)} ${wordHint(field, text)}`);
  const value = Number(text);
  if (value < field.min || value > field.max) {
    fail(field, `${quote(text)} is not between ${field.min} and ${field.max}`);
  }
  return value;
}

function parseStep(field: Field, text: string): number {
  const step = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (step < 1) fail(field, `the step ${quote(text)} after the slash is not a whole number from 1 up`);
  return step;
}

function parseNth(text: string): number {
  const nth = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (nth < 1 || nth > 5) fail(DAY_OF_WEEK, `${quote(text)} after the # is not between 1 and 5`);
  return nth;
}

/** Refuses `30 2` and the like. Looks at the day of the month alone, even when a weekday would match. */
function refuseImpossibleDates(daysOfMonth: DaysOfMonth, months: readonly number[]): void {
  if (daysOfMonth.lastDay || daysOfMonth.lastWorkday) return;
  const earliest = Math.min(...daysOfMonth.days);
  const longest = Math.max(...months.map((month) => LONGEST_MONTHS[month] ?? 31));
  if (earliest > longest) fail(DAY_OF_MONTH, `no chosen month has a day ${earliest}`);
}

function dayTest(
  { days, lastDay, lastWorkday: onLastWorkday }: DaysOfMonth,
  { weekdays, last, nth }: DaysOfWeek,
  needsBothDays: boolean,
): (month: Month) => DayMask {
  const plainDays = days.reduce((mask, day) => mask | dayBit(day), 0);
  const plainWeekdays = weekdayMask(weekdays);
  const lastWeekdays = weekdayMask(last);

  return (month) => {
    let byDate = plainDays & wholeMonth(month.length);
    if (lastDay) byDate |= dayBit(month.length);
    if (onLastWorkday) byDate |= lastWorkday(month);

    let byWeekday = daysOn(plainWeekdays, month);
    if (lastWeekdays !== 0) byWeekday |= lastDaysOn(lastWeekdays, month);
    for (const term of nth) byWeekday |= nthDaysOn(1 << term.weekday, term.nth, month);

    return needsBothDays ? byDate & byWeekday : byDate | byWeekday;
  };
}

function weekdayMask(weekdays: readonly number[]): WeekdayMask {
  return weekdays.reduce((mask, weekday) => mask | (1 << weekday), 0);
}

function splitOnce(text: string, separator: string): [string, string | null] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function fail(field: Field, reason: string): never {
  throw new ScheduleError(`In the ${field.name} field, ${reason}.`, field.name);
}

function backwardsHint(field: Field, to: string): string {
  if (field === DAY_OF_WEEK && (to === 'SUN' || to === '0'))
    return ': Sunday is 0 there; as the end of a range write 7';
  return ': split it in two, as in "22-23,0-2" for the hours';
}

/** What the author may have meant by a word that is neither a number nor a name. */
function wordHint(field: Field, text: string): string {
  if (text === '') return 'is empty: a number is missing';
  if (text === '?') return 'is not known here: write "*"';
  const short = field.names?.find((name) => text.startsWith(name));
  if (short !== undefined && field === DAY_OF_WEEK && text === `${short}L`)
    return `needs a number before the L: write "${field.names?.indexOf(short)}L"`;
  if (short !== undefined) return `is not known: use three letters, "${short}"`;
  return 'is not a number';
}
