import type { CivilPattern } from './civil-pattern.ts';
import {
  type DaysOfMonth,
  type DaysOfWeek,
  datesIn,
  parseDaysOfMonth,
  parseDaysOfWeek,
  weekdaysIn,
} from './cron-days.ts';
import {
  type CronField,
  DAY_OF_MONTH,
  fail,
  HOUR,
  MINUTE,
  MONTH,
  parseTerm,
  splitList,
} from './cron-field.ts';
import { firstDayFrom } from './day-mask.ts';
import { ScheduleError } from './schedule-error.ts';
import { ValueSet } from './value-set.ts';

/** A parsed cron expression. The grammar is in docs/schedules.md. */
export interface CronExpression {
  readonly kind: 'cron';
  readonly dayOfMonth: DaysOfMonth;
  readonly dayOfWeek: DaysOfWeek;
  /** Whether a day must match both day fields. Otherwise one of them is enough. */
  readonly needsBothDays: boolean;
  /** Whether its minutes or hours start with `*`. Such a job follows elapsed time through a clock change. */
  readonly isWildcard: boolean;
  readonly pattern: CivilPattern;
}

const ANY_YEAR = { atOrAfter: (year: number) => year };
const ON_THE_MINUTE = new ValueSet([0]);

export function parseCron(expression: string): CronExpression {
  const fields = expression.trim().toUpperCase().split(/\s+/);
  if (fields.length !== 5) {
    throw new ScheduleError(
      `A cron expression has five fields (minute, hour, day of month, month, day of week), not ${fields.length}.`,
    );
  }
  const [minute = '', hour = '', dayOfMonthText = '', month = '', dayOfWeekText = ''] = fields;

  const minutes = parseValues(MINUTE, minute);
  const hours = parseValues(HOUR, hour);
  const dayOfMonth = parseDaysOfMonth(dayOfMonthText);
  const months = parseValues(MONTH, month);
  const dayOfWeek = parseDaysOfWeek(dayOfWeekText);
  refuseImpossibleDates(dayOfMonth, months);

  const needsBothDays = dayOfMonthText.startsWith('*') || dayOfWeekText.startsWith('*');
  return {
    kind: 'cron',
    dayOfMonth,
    dayOfWeek,
    needsBothDays,
    isWildcard: minute.startsWith('*') || hour.startsWith('*'),
    pattern: {
      years: ANY_YEAR,
      months,
      days: needsBothDays
        ? (of) => datesIn(of, dayOfMonth) & weekdaysIn(of, dayOfWeek)
        : (of) => datesIn(of, dayOfMonth) | weekdaysIn(of, dayOfWeek),
      hours,
      minutes,
      seconds: ON_THE_MINUTE,
    },
  };
}

function parseValues(field: CronField, text: string): ValueSet {
  const values = new Set<number>();
  for (const term of splitList(field, text)) {
    for (const value of parseTerm(field, term)) values.add(value);
  }
  return new ValueSet(values);
}

/** The days of each month in a leap year, so that 29 February is valid. */
const MAX_BY_MONTH = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Refuses dates such as `30 2`. The day of the month is checked alone, even if the weekday could match: it is a mistake
 * in both cases.
 */
function refuseImpossibleDates({ days, hasLastDay, hasLastWorkday }: DaysOfMonth, months: ValueSet): void {
  if (hasLastDay || hasLastWorkday) return;
  const earliest = firstDayFrom(days, 1);
  const longest = Math.max(...months.values.map((month) => MAX_BY_MONTH[month] ?? 0));
  if (earliest > longest) fail(DAY_OF_MONTH, `no month that the expression allows has a day ${earliest}`);
}
