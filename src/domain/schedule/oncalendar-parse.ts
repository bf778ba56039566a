import { LONGEST_MONTH, MIN_MONTH } from './civil.ts';
import type { CivilPattern } from './civil-pattern.ts';
import { type DayMask, dayBit, daysOn, type WeekdayMask, wholeMonth } from './day-mask.ts';
import {
  DAY,
  fail,
  HOUR,
  MINUTE,
  MONTH,
  parseComponent,
  parseDaysFromEnd,
  SECOND,
  YEAR,
} from './oncalendar-component.ts';
import { quote, ScheduleError } from './schedule-error.ts';
import { evaluableZone } from './timezone.ts';
import { range, ValueSet } from './value-set.ts';

/** A parsed OnCalendar expression. It runs whenever one of its lines runs. */
export interface OnCalendarExpression {
  readonly kind: 'oncalendar';
  readonly lines: readonly OnCalendarLine[];
}

/** `[weekdays] [date] [time] [zone]`. The grammar is in docs/schedules.md. */
export interface OnCalendarLine {
  readonly weekdays: WeekdayMask;
  readonly date: DatePart;
  readonly time: TimePart;
  /** The zone in the line. If it is null, the zone of the check is used. */
  readonly zone: string | null;
  readonly pattern: CivilPattern;
}

interface DatePart {
  readonly years: ValueSet;
  readonly months: ValueSet;
  /** If `fromEnd`, the days count from the end of the month: 1 is its last day. */
  readonly days: ValueSet;
  readonly fromEnd: boolean;
}

type TimePart = Pick<CivilPattern, 'hours' | 'minutes' | 'seconds'>;

const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['minutely', '*-*-* *:*:00'],
  ['hourly', '*-*-* *:00:00'],
  ['daily', '*-*-* 00:00:00'],
  ['weekly', 'Mon *-*-* 00:00:00'],
  ['monthly', '*-*-01 00:00:00'],
  ['quarterly', '*-01,04,07,10-01 00:00:00'],
  ['semiannually', '*-01,07-01 00:00:00'],
  ['yearly', '*-01-01 00:00:00'],
  ['annually', '*-01-01 00:00:00'],
]);

/** In the order for ranges of weekdays: Monday to Sunday. */
const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

const EVERY_YEAR = new ValueSet(range(YEAR.min, YEAR.max));
const MIDNIGHT = parseTime('00:00:00');
const EVERY_DAY = parseDate('*-*-*');

export function parseOnCalendar(expression: string): OnCalendarExpression {
  const lines = expression.trim().split('\n');
  if (lines.length === 1) return { kind: 'oncalendar', lines: [parseLine(expression.trim())] };

  return {
    kind: 'oncalendar',
    lines: lines.map((line, index) => {
      try {
        return parseLine(line.trim());
      } catch (error) {
        if (!(error instanceof ScheduleError)) throw error;
        throw new ScheduleError(`Line ${index + 1}: ${error.message}`, error.field);
      }
    }),
  };
}

function parseLine(text: string): OnCalendarLine {
  if (text === '') throw new ScheduleError('The expression is empty.');
  const { schedule, zone } = takeZone(text);
  const parts = (SHORTHANDS.get(schedule.toLowerCase()) ?? schedule).split(/\s+/);
  refuseUnknownZone(parts);

  const time = isTime(parts.at(-1)) ? parseTime(parts.pop()) : MIDNIGHT;
  const date = isDate(parts.at(-1)) ? parseDate(parts.pop()) : EVERY_DAY;
  const weekdays = parseWeekdays(parts.shift() ?? 'Mon..Sun');
  if (parts.length > 0) {
    throw new ScheduleError(
      `${quote(parts.join(' '))} is out of place: an expression has weekdays, a date, a time and a zone, in this order.`,
    );
  }
  return { weekdays, date, time, zone, pattern: toPattern(weekdays, date, time) };
}

/** Removes the last part if it names a zone. */
function takeZone(text: string): { schedule: string; zone: string | null } {
  // systemd accepts only the space as separator. We accept tabs too, but a line without any space is not searched for a
  // zone.
  const at = text.includes(' ') ? text.search(/\s\S+$/) : -1;
  const zone = at < 0 ? null : evaluableZone(text.slice(at + 1));
  return zone === null ? { schedule: text, zone } : { schedule: text.slice(0, at).trimEnd(), zone };
}

/** Refuses text after a date, a time or a shorthand: it can only be meant as a zone. */
function refuseUnknownZone(parts: readonly string[]): void {
  const [last = '', ...before] = parts.toReversed();
  const isComplete = before.some(
    (part) => isTime(part) || isDate(part) || SHORTHANDS.has(part.toLowerCase()),
  );
  if (!isComplete || isTime(last) || isDate(last)) return;
  const reason =
    evaluableZone(last) === null
      ? 'is not a known time zone, in just this spelling'
      : 'is out of place: one zone comes last, after a space';
  fail('timezone', `${quote(last)} ${reason}`);
}

function isTime(part: string | undefined): boolean {
  return part?.includes(':') ?? false;
}

function isDate(part: string | undefined): boolean {
  return part !== undefined && /^[0-9*].*[-~]/.test(part);
}

/** `H:M` or `H:M:S`. */
function parseTime(text = ''): TimePart {
  const [hour = '', minute = '', second = '0', ...more] = text.split(':');
  if (more.length > 0) fail('time', `${quote(text)} has too many colons: write H:M or H:M:S`);
  return {
    hours: new ValueSet(parseComponent(HOUR, hour)),
    minutes: new ValueSet(parseComponent(MINUTE, minute)),
    seconds: new ValueSet(parseComponent(SECOND, second)),
  };
}

/** `Y-M-D` or `M-D`. With `~` instead of the last `-`, days count from the end of the month. */
function parseDate(text = ''): DatePart {
  const [, year = '*', month = '', separator = '', day = ''] =
    /^(?:([^-~]*)-)?([^-~]*)([-~])([^-~]*)$/.exec(text) ??
    fail('date', `${quote(text)} is not a date: write Y-M-D or M-D`);
  const fromEnd = separator === '~';
  return {
    years: year === '*' ? EVERY_YEAR : new ValueSet(parseComponent(YEAR, year)),
    months: new ValueSet(parseComponent(MONTH, month)),
    days: new ValueSet(fromEnd ? parseDaysFromEnd(day) : parseComponent(DAY, day)),
    fromEnd,
  };
}

/** `Mon`, `Mon,Wed`, `Mon..Fri`, `Mon-Fri`. Commas at the end are ignored. */
function parseWeekdays(text: string): WeekdayMask {
  let weekdays = 0;
  for (const term of text.replace(/,+$/, '').split(',')) {
    const ends = term.split(/\.\.|-/);
    const [first = 0, last = first, ...more] = ends.map(parseWeekday);
    if (more.length > 0) fail('weekday', `${quote(term)} is not a range: write Mon..Fri`);
    if (first > last) {
      fail('weekday', `${quote(term)} runs backwards: write "${ends[0]}..Sun,Mon..${ends[1]}"`);
    }
    for (const weekday of range(first, last)) weekdays |= 1 << ((weekday + 1) % 7);
  }
  return weekdays;
}

/** 0 is Monday. */
function parseWeekday(text: string): number {
  const name = text.toUpperCase();
  const index = WEEKDAYS.findIndex((weekday) => name === weekday || name === weekday.slice(0, 3));
  if (index < 0) fail('weekday', `${quote(text)} is not a weekday`);
  return index;
}

function toPattern(
  weekdays: WeekdayMask,
  { years, months, days, fromEnd }: DatePart,
  time: TimePart,
): CivilPattern {
  const datesByLength = range(MIN_MONTH, LONGEST_MONTH).map((length) => datesIn(length, days, fromEnd));
  return {
    years,
    months,
    days: (month) => (datesByLength[month.length - MIN_MONTH] ?? 0) & daysOn(weekdays, month),
    ...time,
  };
}

function datesIn(monthLength: number, days: ValueSet, fromEnd: boolean): DayMask {
  let dates = 0;
  for (const day of days.values) {
    const date = fromEnd ? monthLength + 1 - day : day;
    if (date >= 1) dates |= dayBit(date);
  }
  return dates & wholeMonth(monthLength);
}
