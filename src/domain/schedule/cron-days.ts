import {
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  fail,
  parseStep,
  parseTerm,
  parseValue,
  splitList,
} from './cron-field.ts';
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
import { quote } from './schedule-error.ts';
import { isDigits, splitAtFirst } from './terms.ts';

/** The day-of-month field: plain days, and days that depend on the month. */
export interface DaysOfMonth {
  /** Bit 0 is the 1st. */
  readonly days: DayMask;
  /** `L`. */
  readonly hasLastDay: boolean;
  /** `LW`: the last day that is neither Saturday nor Sunday. */
  readonly hasLastWorkday: boolean;
}

export interface DaysOfWeek {
  readonly weekdays: WeekdayMask;
  /** `5L` is the last Friday of the month. */
  readonly last: WeekdayMask;
  /** `5#2` is the second Friday: the weekdays of `#1` first, of `#5` last. */
  readonly nth: readonly WeekdayMask[];
}

export function parseDaysOfMonth(text: string): DaysOfMonth {
  const found = { days: 0, hasLastDay: false, hasLastWorkday: false };
  for (const term of splitList(DAY_OF_MONTH, text)) {
    const [base, step] = splitAtFirst(term, '/');
    if (base === 'L' || base === 'LW') {
      // The API accepts a step such as `L/2`. The step must be valid, and has no effect.
      if (step !== null) parseStep(DAY_OF_MONTH, step);
      if (base === 'L') found.hasLastDay = true;
      else found.hasLastWorkday = true;
    } else {
      for (const day of parseTerm(DAY_OF_MONTH, term)) found.days |= dayBit(day);
    }
  }
  return found;
}

export function parseDaysOfWeek(text: string): DaysOfWeek {
  const found = { weekdays: 0, last: 0, nth: [0, 0, 0, 0, 0] };
  for (const term of splitList(DAY_OF_WEEK, text)) {
    const [weekday, nth] = splitAtFirst(term, '#');
    if (nth !== null) {
      const index = parseNth(nth) - 1;
      found.nth[index] = (found.nth[index] ?? 0) | weekdayBit(parseValue(DAY_OF_WEEK, weekday));
    } else if (isDigits(term.slice(0, -1)) && term.endsWith('L')) {
      found.last |= weekdayBit(parseValue(DAY_OF_WEEK, term.slice(0, -1)));
    } else {
      for (const value of parseTerm(DAY_OF_WEEK, term)) found.weekdays |= weekdayBit(value);
    }
  }
  return found;
}

function parseNth(text: string): number {
  const nth = isDigits(text) ? Number(text) : 0;
  if (nth < 1 || nth > 5) fail(DAY_OF_WEEK, `${quote(text)} after the # is not between 1 and 5`);
  return nth;
}

/** Both 7 and 0 are Sunday. */
function weekdayBit(value: number): WeekdayMask {
  return 1 << (value % 7);
}

export function datesIn(month: Month, { days, hasLastDay, hasLastWorkday }: DaysOfMonth): DayMask {
  let dates = days & wholeMonth(month.length);
  if (hasLastDay) dates |= dayBit(month.length);
  if (hasLastWorkday) dates |= lastWorkday(month);
  return dates;
}

export function weekdaysIn(month: Month, { weekdays, last, nth }: DaysOfWeek): DayMask {
  let dates = daysOn(weekdays, month);
  if (last !== 0) dates |= lastDaysOn(last, month);
  for (let n = 1; n <= nth.length; n += 1) dates |= nthDaysOn(nth[n - 1] ?? 0, n, month);
  return dates;
}
