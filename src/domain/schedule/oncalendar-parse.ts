import type { CivilPattern } from './civil-pattern.ts';
import { type DayMask, dayBit, daysOn, type Month, type WeekdayMask, wholeMonth } from './day-mask.ts';
import { quote, ScheduleError } from './schedule-error.ts';
import { evaluableZone } from './timezone.ts';
import { range, ValueSet } from './value-set.ts';

/** An OnCalendar expression, read: it runs whenever one of its lines does. */
export interface OnCalendarExpression {
  readonly kind: 'oncalendar';
  readonly lines: readonly OnCalendarLine[];
}

/** See docs/schedules.md for the grammar. */
export interface OnCalendarLine {
  /** Only for a shorthand such as `daily`, in lower case. */
  readonly shorthand: string | null;
  readonly weekdays: readonly number[];
  readonly years: readonly number[];
  readonly months: readonly number[];
  /** Negative ones count from the end of the month: -1 is its last day. */
  readonly days: readonly number[];
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  readonly seconds: readonly number[];
  /** The zone that the line names, or null. */
  readonly zone: string | null;
  readonly pattern: CivilPattern;
}

interface Component {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

export const FIRST_YEAR = 1970;
export const LAST_YEAR = 2199;

const YEAR: Component = { name: 'year', min: FIRST_YEAR, max: LAST_YEAR };
const MONTH: Component = { name: 'month', min: 1, max: 12 };
const DAY: Component = { name: 'day', min: 1, max: 31 };
const HOUR: Component = { name: 'hour', min: 0, max: 23 };
const MINUTE: Component = { name: 'minute', min: 0, max: 59 };
const SECOND: Component = { name: 'second', min: 0, max: 59 };

/** No month is shorter, so that `~28` exists in every one. */
const FURTHEST_FROM_END = 28;

/** In the order of a week that starts on Monday, as ranges need it; Sunday becomes 0 when read. */
const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

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

export function parseOnCalendar(expression: string): OnCalendarExpression {
  const lines = expression.trim().split('\n');
  return {
    kind: 'oncalendar',
    lines: lines.map((line, index) => {
      try {
        return parseLine(line.trim());
      } catch (error) {
        if (!(error instanceof ScheduleError) || lines.length === 1) throw error;
        throw new ScheduleError(`Line ${index + 1}: ${error.message}`, error.field);
      }
    }),
  };
}

function parseLine(text: string): OnCalendarLine {
  if (text === '') throw new ScheduleError('The expression is empty.');
  const { rest, zone } = takeZone(text);
  const shorthand = rest.toLowerCase();
  const written = SHORTHANDS.get(shorthand);

  const parts = (written ?? rest).split(/\s+/);
  const time = parseTime(parts.at(-1)?.includes(':') ? parts.pop() : undefined);
  const date = parseDate(/^[0-9*].*[-~]/.test(parts.at(-1) ?? '') ? parts.pop() : undefined);
  const weekdays = parseWeekdays(parts.shift());
  if (parts.length > 0)
    throw new ScheduleError(
      `${quote(parts.join(' '))} is out of place: the order is weekdays, date, time, zone.`,
    );

  const components = { weekdays, ...date, ...time };
  return {
    shorthand: written === undefined ? null : shorthand,
    ...components,
    zone,
    pattern: toPattern(components),
  };
}

/** The last part, when it names a zone. Nothing that starts with a digit or `*` does. */
function takeZone(text: string): { rest: string; zone: string | null } {
  const match = /^(?<rest>.*\S)\s+(?<name>[^\s0-9*]\S*)$/s.exec(text);
  // systemd separates parts by spaces alone; a line that has none is not searched for a zone.
  if (match?.groups === undefined || !text.includes(' ')) return { rest: text, zone: null };
  const { rest = '', name = '' } = match.groups;
  const zone = evaluableZone(name);
  return zone === null ? { rest: text, zone: null } : { rest, zone };
}

/** `H:M` or `H:M:S`. */
function parseTime(text: string | undefined): Pick<OnCalendarLine, 'hours' | 'minutes' | 'seconds'> {
  if (text === undefined) return { hours: [0], minutes: [0], seconds: [0] };
  const [hour = '', minute = '', second = '0', ...more] = text.split(':');
  if (more.length > 0) fail('time', `${quote(text)} has too many colons: write H:M or H:M:S`);
  return {
    hours: parseComponent(HOUR, hour),
    minutes: parseComponent(MINUTE, minute),
    seconds: parseComponent(SECOND, second),
  };
}

/** `Y-M-D` or `M-D`, with `~` in place of the last `-` to count days from the end of the month. */
function parseDate(text: string | undefined): Pick<OnCalendarLine, 'years' | 'months' | 'days'> {
  if (text === undefined) text = '*-*-*';
  const match = /^(?:(?<year>[^-~]*)-)?(?<month>[^-~]*)(?<separator>[-~])(?<day>[^-~]*)$/.exec(text);
  if (match?.groups === undefined) fail('date', `${quote(text)} is not a date: write Y-M-D or M-D`);
  const { year = '*', month = '', separator, day = '' } = match.groups;
  return {
    years: parseComponent(YEAR, year),
    months: parseComponent(MONTH, month),
    days: separator === '~' ? parseDaysFromEnd(day) : parseComponent(DAY, day),
  };
}

function parseWeekdays(text: string | undefined): number[] {
  if (text === undefined) return range(0, 6);
  return text
    .replace(/,+$/, '')
    .split(',')
    .flatMap((term) => {
      const [first = 0, last = first, ...more] = term.split(/\.\.|-/).map(parseWeekday);
      if (more.length > 0) fail('weekday', `${quote(term)} has too many ends`);
      if (first > last)
        fail('weekday', `${quote(term)} runs backwards: weeks start on Monday, so split it in two`);
      return range(first, last).map((weekday) => (weekday + 1) % 7);
    });
}

/** 0 is Monday. */
function parseWeekday(text: string): number {
  const name = text.toUpperCase();
  const index = WEEKDAYS.findIndex((weekday) => name === weekday || name === weekday.slice(0, 3));
  if (index < 0) fail('weekday', `${quote(text)} is not a weekday`);
  return index;
}

function parseComponent(component: Component, text: string): number[] {
  if (text === '*') return range(component.min, component.max);
  return text.split(',').flatMap((term) => {
    const { first, last, step } = parseTerm(component, term);
    if (step === null) return range(first, last);
    // A single value with a step runs on to the end, and so does a range of one value.
    return range(first, first === last ? component.max : last, step);
  });
}

/** `~7/1`: from the seventh day before the end in steps towards the end. Negative, -1 being the last day. */
function parseDaysFromEnd(text: string): number[] {
  if (text === '*') return range(DAY.min, DAY.max);
  return text.split(',').flatMap((term) => {
    const { first, last, step, isRange } = parseTerm(DAY, term);
    if (!isRange && first > FURTHEST_FROM_END) {
      fail(
        'day',
        `${quote(term)} days from the end are too many: not every month has more than ${FURTHEST_FROM_END}`,
      );
    }
    if (step === null) return range(-last, -first);
    return range(-last, first === last ? -1 : -first, step);
  });
}

interface Term {
  readonly first: number;
  readonly last: number;
  readonly step: number | null;
  readonly isRange: boolean;
}

/** `v`, `a..b`, `v/s` or `a..b/s`. */
function parseTerm(component: Component, term: string): Term {
  const slash = term.indexOf('/');
  const base = slash < 0 ? term : term.slice(0, slash);
  const step = slash < 0 ? null : parseStep(component, term.slice(slash + 1));

  const dots = base.indexOf('..');
  if (dots < 0) {
    const value = parseValue(component, base, term);
    return { first: value, last: value, step, isRange: false };
  }
  const first = parseValue(component, base.slice(0, dots), term);
  const last = parseValue(component, base.slice(dots + 2), term);
  if (first > last) fail(component.name, `${quote(base)} runs backwards`);
  return { first, last, step, isRange: true };
}

function parseStep(component: Component, text: string): number {
  const step = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (step < 1)
    fail(component.name, `the step ${quote(text)} after the slash is not a whole number from 1 up`);
  return step;
}

function parseValue(component: Component, text: string, term: string): number {
  if (text === '*') {
    const hint = term.startsWith('*/') ? `: write "${component.min}${term.slice(1)}"` : '';
    fail(component.name, `"*" must stand alone${hint}`);
  }
  if (text === '') fail(component.name, 'a number is missing');
  if (!/^[0-9]+$/.test(text)) fail(component.name, `${quote(text)} is not a whole number`);

  const value = component === YEAR ? fullYear(Number(text)) : Number(text);
  if (value < component.min || value > component.max) {
    fail(component.name, `${quote(text)} is not between ${component.min} and ${component.max}`);
  }
  return value;
}

/** 0 to 69 are in this century, 70 to 99 in the last. */
function fullYear(year: number): number {
  if (year < 70) return 2000 + year;
  return year < 100 ? 1900 + year : year;
}

function toPattern(
  line: Pick<OnCalendarLine, 'weekdays' | 'years' | 'months' | 'days' | 'hours' | 'minutes' | 'seconds'>,
): CivilPattern {
  const weekdays: WeekdayMask = line.weekdays.reduce((mask, weekday) => mask | (1 << weekday), 0);
  const daysByLength = new Map([28, 29, 30, 31].map((length) => [length, datesOf(line.days, length)]));
  return {
    years: new ValueSet(line.years),
    months: new ValueSet(line.months),
    days: (month: Month) => (daysByLength.get(month.length) ?? 0) & daysOn(weekdays, month),
    hours: new ValueSet(line.hours),
    minutes: new ValueSet(line.minutes),
    seconds: new ValueSet(line.seconds),
  };
}

function datesOf(days: readonly number[], length: number): DayMask {
  return (
    days
      .map((day) => (day < 0 ? length + 1 + day : day))
      .filter((day) => day >= 1)
      .reduce((mask, day) => mask | dayBit(day), 0) & wholeMonth(length)
  );
}

function fail(field: string, reason: string): never {
  throw new ScheduleError(`In the ${field} field, ${reason}.`, field);
}
