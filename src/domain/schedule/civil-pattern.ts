import { civilDate, type DayNumber, dayNumber, SECONDS_PER_DAY, type WallTime } from './civil.ts';
import { type DayMask, dayBit, firstDayFrom, type Month, monthOf } from './day-mask.ts';
import { NONE, type ValueSet } from './value-set.ts';

/**
 * The common result of parsing cron and OnCalendar: the wall times at which a schedule runs, without regard to clock
 * changes.
 */
export interface CivilPattern {
  readonly years: { atOrAfter(year: number): number };
  readonly months: ValueSet;
  readonly days: (month: Month) => DayMask;
  readonly hours: ValueSet;
  readonly minutes: ValueSet;
  readonly seconds: ValueSet;
}

/** The first wall time of the pattern after `after` and not later than the end of `lastYear`. */
export function nextWallTime(pattern: CivilPattern, after: WallTime, lastYear: number): WallTime | null {
  const from = after + 1;
  const today = Math.floor(from / SECONDS_PER_DAY);
  const time = nextTimeOfDay(pattern, from - today * SECONDS_PER_DAY);

  const day = nextDay(pattern, time === NONE ? today + 1 : today, lastYear);
  if (day === null) return null;
  return day * SECONDS_PER_DAY + (day === today ? time : firstTimeOfDay(pattern));
}

/** Whether the pattern allows times of that day. */
export function hasDay(pattern: CivilPattern, number: DayNumber): boolean {
  const { year, month, day } = civilDate(number);
  if (pattern.years.atOrAfter(year) !== year || !pattern.months.has(month)) return false;
  return (pattern.days(monthOf(year, month)) & dayBit(day)) !== 0;
}

function nextDay(pattern: CivilPattern, from: DayNumber, lastYear: number): DayNumber | null {
  let { year, month, day } = civilDate(from);
  for (;;) {
    const matchingYear = pattern.years.atOrAfter(year);
    if (matchingYear === NONE || matchingYear > lastYear) return null;
    const matchingMonth = pattern.months.atOrAfter(matchingYear === year ? month : 1);
    if (matchingMonth === NONE) {
      year = matchingYear + 1;
      month = 1;
      day = 1;
      continue;
    }

    if (matchingYear !== year || matchingMonth !== month) day = 1;
    year = matchingYear;
    month = matchingMonth;
    const matchingDay = firstDayFrom(pattern.days(monthOf(year, month)), day);
    if (matchingDay !== 0) return dayNumber(year, month, matchingDay);

    month += 1;
    day = 1;
  }
}

/** The first second of the day, at `from` or later, that the pattern allows, or NONE. */
function nextTimeOfDay(pattern: CivilPattern, from: number): number {
  let hour = Math.floor(from / 3600);
  let minute = Math.floor(from / 60) - hour * 60;
  let second = pattern.seconds.atOrAfter(from % 60);
  if (second === NONE) {
    second = pattern.seconds.first;
    minute += 1;
  }

  const matchingMinute = pattern.minutes.atOrAfter(minute);
  if (matchingMinute !== minute) second = pattern.seconds.first;
  minute = matchingMinute;
  if (minute === NONE) {
    minute = pattern.minutes.first;
    hour += 1;
  }

  const matchingHour = pattern.hours.atOrAfter(hour);
  if (matchingHour === NONE) return NONE;
  return matchingHour === hour ? hour * 3600 + minute * 60 + second : firstTimeOfDay(pattern, matchingHour);
}

function firstTimeOfDay(pattern: CivilPattern, hour = pattern.hours.first): number {
  return hour * 3600 + pattern.minutes.first * 60 + pattern.seconds.first;
}
