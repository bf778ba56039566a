import { dayNumber, daysInMonth, weekdayOf } from './civil.ts';

/**
 * The days of one month as the bits of one integer: bit 0 is the 1st. So a few shifts test a whole month, and a search
 * over decades takes microseconds.
 */
export type DayMask = number;

/** Weekdays as bits: bit 0 is Sunday. */
export type WeekdayMask = number;

export const EVERY_WEEKDAY: WeekdayMask = 0b1111111;

/** The facts about a month that the day tests need. */
export interface Month {
  readonly length: number;
  readonly firstWeekday: number;
}

export function monthOf(year: number, month: number): Month {
  return { length: daysInMonth(year, month), firstWeekday: weekdayOf(dayNumber(year, month, 1)) };
}

export function dayBit(day: number): DayMask {
  return 1 << (day - 1);
}

export function wholeMonth(length: number): DayMask {
  return 0x7fff_ffff >>> (31 - length);
}

/** The earliest day in the mask that is not before `from`, or 0. */
export function firstDayFrom(mask: DayMask, from: number): number {
  const rest = mask & (-1 << (from - 1));
  return rest === 0 ? 0 : 32 - Math.clz32(rest & -rest);
}

/** Every day of the month that falls on one of the weekdays. */
export function daysOn(weekdays: WeekdayMask, month: Month): DayMask {
  const week = firstWeek(weekdays, month);
  return (week | (week << 7) | (week << 14) | (week << 21) | (week << 28)) & wholeMonth(month.length);
}

/** The nth time (1 to 5) that each of the weekdays falls in the month. */
export function nthDaysOn(weekdays: WeekdayMask, nth: number, month: Month): DayMask {
  return (firstWeek(weekdays, month) << (7 * (nth - 1))) & wholeMonth(month.length);
}

/** The last time that each of the weekdays falls in the month. */
export function lastDaysOn(weekdays: WeekdayMask, month: Month): DayMask {
  return daysOn(weekdays, month) & ~wholeMonth(month.length - 7);
}

/** The last day of the month that is neither Saturday nor Sunday. */
export function lastWorkday(month: Month): DayMask {
  const lastWeekday = (month.firstWeekday + month.length - 1) % 7;
  const daysBack = lastWeekday === 0 ? 2 : lastWeekday === 6 ? 1 : 0;
  return dayBit(month.length - daysBack);
}

/** The weekdays as days 1 to 7 of the month. */
function firstWeek(weekdays: WeekdayMask, month: Month): DayMask {
  return ((weekdays >> month.firstWeekday) | (weekdays << (7 - month.firstWeekday))) & EVERY_WEEKDAY;
}
