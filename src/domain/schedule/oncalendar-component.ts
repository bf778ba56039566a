import { MIN_MONTH } from './civil.ts';
import { quote, ScheduleError } from './schedule-error.ts';
import { isDigits, splitAtFirst } from './terms.ts';
import { range } from './value-set.ts';

/** One of the numbers in `Y-M-D H:M:S`. */
export interface Component {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

export const YEAR: Component = { name: 'year', min: 1970, max: 2199 };
export const MONTH: Component = { name: 'month', min: 1, max: 12 };
export const DAY: Component = { name: 'day', min: 1, max: 31 };
export const HOUR: Component = { name: 'hour', min: 0, max: 23 };
export const MINUTE: Component = { name: 'minute', min: 0, max: 59 };
export const SECOND: Component = { name: 'second', min: 0, max: 59 };

/** A single distance must exist in every month. A range may be larger. */
const FURTHEST_FROM_END = MIN_MONTH;

/** `*`, or a list of `v`, `a..b`, `v/s` and `a..b/s`. */
export function parseComponent(component: Component, text: string): Set<number> {
  if (text === '*') return new Set(range(component.min, component.max));
  const values = new Set<number>();
  for (const term of text.split(',')) {
    const { first, last, step } = parseTerm(component, term);
    // `5/15` continues to the end of the component, and so does `5..5/15`.
    const end = step !== null && first === last ? component.max : last;
    for (const value of range(first, end, step ?? 1)) values.add(value);
  }
  return values;
}

/**
 * Parses the days after a `~` as distances from the end of the month: 1 is its last day. A step goes towards the end,
 * so `7/1` means the last seven days.
 */
export function parseDaysFromEnd(text: string): Set<number> {
  if (text === '*') return new Set(range(DAY.min, DAY.max));
  const distances = new Set<number>();
  for (const term of text.split(',')) {
    const { first, last, step, isRange } = parseTerm(DAY, term);
    if (!isRange && last > FURTHEST_FROM_END) {
      fail('day', `${quote(term)} is not between 1 and ${FURTHEST_FROM_END}: not every month has more days`);
    }
    const end = step !== null && first === last ? 1 : first;
    for (const value of range(-last, -end, step ?? 1)) distances.add(-value);
  }
  return distances;
}

interface Term {
  readonly first: number;
  readonly last: number;
  readonly step: number | null;
  readonly isRange: boolean;
}

function parseTerm(component: Component, term: string): Term {
  if (term === '') fail(component.name, 'a number is missing');
  const [base, stepText] = splitAtFirst(term, '/');
  if (base === '*') refuseStar(component, stepText);
  const step = stepText === null ? null : parseStep(component, stepText);

  const [from, to] = splitAtFirst(base, '..');
  const first = parseValue(component, from);
  const last = to === null ? first : parseValue(component, to);
  if (first > last) fail(component.name, `${quote(base)} runs backwards: the smaller number comes first`);
  return { first, last, step, isRange: to !== null };
}

function parseValue(component: Component, text: string): number {
  if (!isDigits(text)) fail(component.name, `${quote(text)} is not a whole number`);
  const value = component === YEAR ? fullYear(Number(text)) : Number(text);
  if (value < component.min || value > component.max) {
    fail(component.name, `${quote(text)} is not between ${component.min} and ${component.max}`);
  }
  return value;
}

function parseStep(component: Component, text: string): number {
  const step = isDigits(text) ? Number(text) : 0;
  if (step < 1) {
    fail(component.name, `the step ${quote(text)} after the slash is not a whole number from 1 up`);
  }
  return step;
}

/** 0 to 69 are years of this century, 70 to 99 of the last. */
function fullYear(year: number): number {
  if (year < 70) return 2000 + year;
  return year < 100 ? 1900 + year : year;
}

function refuseStar(component: Component, step: string | null): never {
  const hint = step === null ? '' : `: write "${component.min}/${step}"`;
  fail(component.name, `"*" must stand alone${hint}`);
}

export function fail(field: string, reason: string): never {
  throw new ScheduleError(`In the ${field} field, ${reason}.`, field);
}
