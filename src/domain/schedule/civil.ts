/**
 * Calendar arithmetic on plain integers.
 *
 * Days are counted from 1970-01-01, which is day 0. A wall time is the number of seconds from 1970-01-01T00:00:00 to
 * the local time that a clock shows, in any zone. The search for the next occurrence uses these integers, because a
 * Temporal object for every candidate would cost more than the rest of a ping.
 */
export type DayNumber = number;
export type WallTime = number;

export const SECONDS_PER_DAY = 86_400;

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

// Both conversions count years from 1 March, so that the leap day is the last day of a year, and eras of
// 400 years, after which the Gregorian calendar repeats (Howard Hinnant, "chrono-compatible low-level date
// algorithms").
const DAYS_PER_ERA = 146_097;
const YEARS_PER_ERA = 400;
/** From 0000-03-01, where the first era starts, to 1970-01-01. */
const DAYS_BEFORE_1970 = 719_468;

export function dayNumber(year: number, month: number, day: number): DayNumber {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / YEARS_PER_ERA);
  const yearOfEra = marchYear - era * YEARS_PER_ERA;
  const marchMonth = month > 2 ? month - 3 : month + 9;
  const dayOfYear = ((153 * marchMonth + 2) / 5) | 0;
  const dayOfEra = yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear + day - 1;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_BEFORE_1970;
}

export function civilDate(number: DayNumber): CivilDate {
  const shifted = number + DAYS_BEFORE_1970;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leapDays = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36_524) | 0) + ((dayOfEra / 146_096) | 0);
  const yearOfEra = ((dayOfEra - leapDays) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const marchMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * YEARS_PER_ERA + (month <= 2 ? 1 : 0);
  return { year, month, day: dayOfYear - (((153 * marchMonth + 2) / 5) | 0) + 1 };
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export const MIN_MONTH = 28;
export const LONGEST_MONTH = 31;

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 0 is Sunday, 6 is Saturday. 1970-01-01 was a Thursday. */
export function weekdayOf(day: DayNumber): number {
  return (((day + 4) % 7) + 7) % 7;
}

export function yearOf(wall: WallTime): number {
  return civilDate(Math.floor(wall / SECONDS_PER_DAY)).year;
}
