import { ordinalNumber } from '../../lib/text/ordinals.ts';
import type { DaysOfMonth, DaysOfWeek } from './cron-days.ts';
import { type DayMask, EVERY_WEEKDAY, type WeekdayMask, wholeMonth } from './day-mask.ts';
import { evenStep, joinWords, listValues, MONTH_NAMES, WEEKDAY_NAMES } from './describe-words.ts';
import { range, ValueSet } from './value-set.ts';

/** The days on which a schedule runs; null if it does not restrict them. */
export interface DayRules {
  /** `the 1st and 15th`, placed before `of January`. */
  readonly dates: string | null;
  /** `Monday to Friday`, `the last Friday of the month`. */
  readonly weekdays: string | null;
  readonly needsBoth: boolean;
  readonly months: ValueSet;
  readonly years: ValueSet | null;
}

/** `every day`, `on the 1st of January`, `from Monday to Friday`, `on the 13th of every month and on Friday`. */
export function describeDays({ dates, weekdays, needsBoth, months, years }: DayRules): string {
  const inPeriod = describePeriod('in', months, years);
  const isEveryDay = needsBoth ? dates === null && weekdays === null : dates === null || weekdays === null;
  if (isEveryDay) return `every day${inPeriod}`;
  if (dates === null) return `${onWeekdays(weekdays ?? '')}${inPeriod}`;

  const onDates = `on ${dates}${describePeriod('of', months, years)}`;
  if (weekdays === null) return onDates;
  return needsBoth
    ? `${onDates}, when it is ${weekdays.replaceAll(' and ', ' or ')}`
    : `${onDates} and ${onWeekdays(weekdays)}${inPeriod}`;
}

/** ` in June 2030`, ` of every month in 2030 to 2032`; empty if there is no restriction. */
function describePeriod(preposition: 'in' | 'of', months: ValueSet, years: ValueSet | null): string {
  const everyMonth = preposition === 'of' ? ' of every month' : '';
  const month = months.size === 12 ? everyMonth : ` ${preposition} ${listValues(months.values, monthName)}`;
  if (years === null) return month;
  return years.size === 1 && months.size === 1
    ? `${month} ${years.first}`
    : `${month} in ${listValues(years.values)}`;
}

function onWeekdays(weekdays: string): string {
  return /^\w+ to \w+$/.test(weekdays) ? `from ${weekdays}` : `on ${weekdays}`;
}

function monthName(month: number): string {
  return MONTH_NAMES[month - 1] ?? '';
}

export function describeDaysOfMonth({ days, hasLastDay, hasLastWorkday }: DaysOfMonth): string | null {
  if (days === wholeMonth(31)) return null;
  const words = days === 0 ? [] : [describeDates(new ValueSet(bits(days).map((bit) => bit + 1)))];
  if (hasLastDay) words.push('the last day');
  if (hasLastWorkday) words.push('the last workday (Monday to Friday)');
  return joinWords(words);
}

export function describeDates(days: ValueSet): string {
  const step = evenStep(days, 1, 31);
  if (step !== null && step > 1) return `every ${ordinalNumber(step)} day from the 1st`;
  return `the ${listValues(days.values, ordinalNumber)}`;
}

/** Days counted from the end of the month: 1 is its last. */
export function describeDatesFromEnd(days: ValueSet): string {
  if (days.last === 1) return 'the last day';
  if (days.first === 1 && days.last === days.size) return `the last ${days.size} days`;
  return `the ${listValues(days.values, ordinalNumber)} day from the end`;
}

export function describeDaysOfWeek({ weekdays, last, nth }: DaysOfWeek): string | null {
  if (weekdays === EVERY_WEEKDAY) return null;
  const words = weekdays === 0 ? [] : [describeWeekdays(weekdays) ?? ''];
  nth.forEach((mask, index) => {
    for (const bit of bits(mask))
      words.push(`the ${ordinalNumber(index + 1)} ${WEEKDAY_NAMES[bit]} of the month`);
  });
  for (const bit of bits(last)) words.push(`the last ${WEEKDAY_NAMES[bit]} of the month`);
  return joinWords(words);
}

/** Weeks begin on Monday. */
export function describeWeekdays(weekdays: WeekdayMask): string | null {
  if (weekdays === EVERY_WEEKDAY) return null;
  const fromMonday = bits(weekdays)
    .map((bit) => (bit === 0 ? 7 : bit))
    .sort((a, b) => a - b);
  return listValues(fromMonday, (weekday) => WEEKDAY_NAMES[weekday % 7] ?? '');
}

function bits(mask: DayMask | WeekdayMask): number[] {
  return range(0, 30).filter((bit) => ((mask >> bit) & 1) === 1);
}
