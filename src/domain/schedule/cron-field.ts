import { quote, ScheduleError } from './schedule-error.ts';
import { isDigits, splitAtFirst } from './terms.ts';
import { range } from './value-set.ts';

/** One of the five fields of a cron expression: its name and its values. */
export interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values from `min` on. */
  readonly names: readonly string[];
}

export const MINUTE: CronField = { name: 'minute', min: 0, max: 59, names: [] };
export const HOUR: CronField = { name: 'hour', min: 0, max: 23, names: [] };
export const DAY_OF_MONTH: CronField = { name: 'day-of-month', min: 1, max: 31, names: [] };
export const MONTH: CronField = {
  name: 'month',
  min: 1,
  max: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
/** Both 0 and 7 are Sunday. */
export const DAY_OF_WEEK: CronField = {
  name: 'day-of-week',
  min: 0,
  max: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

/** The terms of a comma list. None of them is empty. */
export function splitList(field: CronField, text: string): string[] {
  const terms = text.split(',');
  if (terms.includes('')) {
    fail(field, `${quote(text)} has an empty place in its list: remove the extra comma`);
  }
  return terms;
}

/** `T/s`: every s-th value of `T`. Without a step, all of them. */
export function parseTerm(field: CronField, term: string): number[] {
  const [base, stepText] = splitAtFirst(term, '/');
  const { first, last } = parseRange(field, base);
  if (stepText === null) return range(first, last);

  const step = parseStep(field, stepText);
  // `5/15` continues to the end of the field, and so does `5-5/15`.
  return range(first, first === last ? field.max : last, step);
}

/** `*`, `a-b` or a single value. */
function parseRange(field: CronField, text: string): { first: number; last: number } {
  if (text === '*') return { first: field.min, last: field.max };
  const [from, to] = splitAtFirst(text, '-');
  const first = parseValue(field, from);
  const last = to === null ? first : parseValue(field, to);
  if (first > last) {
    // In day-of-week, 7 is already Sunday.
    const rest = field === DAY_OF_WEEK && last === 0 ? '' : `,${field.min}-${last}`;
    fail(field, `${quote(text)} runs backwards: write "${first}-${field.max}${rest}"`);
  }
  return { first, last };
}

/** A name of the field or a number in its range. */
export function parseValue(field: CronField, text: string): number {
  const index = field.names.indexOf(text);
  if (index >= 0) return field.min + index;

  if (!isDigits(text)) fail(field, `${quote(text)} is not known: ${hintForWord(field, text)}`);
  const value = Number(text);
  if (value < field.min || value > field.max) {
    fail(field, `${quote(text)} is not between ${field.min} and ${field.max}`);
  }
  return value;
}

export function parseStep(field: CronField, text: string): number {
  const step = isDigits(text) ? Number(text) : 0;
  if (step < 1) fail(field, `the step ${quote(text)} after the slash is not a whole number from 1 up`);
  return step;
}

export function fail(field: CronField, reason: string): never {
  throw new ScheduleError(`In the ${field.name} field, ${reason}.`, field.name);
}

/** A hint for a word that is neither a number nor a name: the author's probable meaning. */
function hintForWord(field: CronField, text: string): string {
  if (text === '') return 'a number is missing';
  if (text === '?') return 'write "*"';
  if (field === DAY_OF_MONTH && text === 'L') return 'the last day takes no range';
  if (field === DAY_OF_MONTH && text.endsWith('W')) return 'the only form with W is LW, the last workday';
  if (field === DAY_OF_WEEK && text.endsWith('L')) return 'before an L stands a digit, as in "5L" for Friday';

  const name = field.names.find((candidate) => text.startsWith(candidate));
  if (name !== undefined) return `names have three letters, as in "${name}"`;
  return field.names.length > 0
    ? `it is neither a number nor a name such as "${field.names[1]}"`
    : 'it is not a number';
}
