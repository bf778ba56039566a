import type { CronExpression } from './cron-parse.ts';
import {
  type DayRules,
  describeDates,
  describeDatesFromEnd,
  describeDays,
  describeDaysOfMonth,
  describeDaysOfWeek,
  describeWeekdays,
} from './describe-days.ts';
import { describeTimeOfDay } from './describe-time.ts';
import { capitalised } from './describe-words.ts';
import { YEAR } from './oncalendar-component.ts';
import type { OnCalendarExpression, OnCalendarLine } from './oncalendar-parse.ts';

/** The meaning of an expression, in a sentence without its full stop: `At 09:00, from Monday to Friday`. */
export function describe(expression: CronExpression | OnCalendarExpression): string {
  return describeIn(timeFirst, expression);
}

/** Shorter, for a list of checks: `Every day at 03:00`. */
export function describeBriefly(expression: CronExpression | OnCalendarExpression): string {
  return describeIn(daysFirst, expression);
}

type Order = (time: string, days: string) => string;

function describeIn(order: Order, expression: CronExpression | OnCalendarExpression): string {
  return expression.kind === 'cron'
    ? capitalised(describeCron(order, expression))
    : expression.lines.map((line) => capitalised(describeLine(order, line))).join('; ');
}

function describeCron(
  order: Order,
  { pattern, dayOfMonth, dayOfWeek, needsBothDays }: CronExpression,
): string {
  return sentence(order, describeTimeOfDay(pattern), {
    dates: describeDaysOfMonth(dayOfMonth),
    weekdays: describeDaysOfWeek(dayOfWeek),
    needsBoth: needsBothDays,
    months: pattern.months,
    years: null,
  });
}

function describeLine(order: Order, { date, time, weekdays, zone }: OnCalendarLine): string {
  const { years, months, days, fromEnd } = date;
  const described = sentence(order, describeTimeOfDay(time), {
    dates: days.size === 31 ? null : fromEnd ? describeDatesFromEnd(days) : describeDates(days),
    weekdays: describeWeekdays(weekdays),
    needsBoth: true,
    months,
    years: years.size === YEAR.max - YEAR.min + 1 ? null : years,
  });
  return zone === null ? described : `${described} (${zone})`;
}

function sentence(order: Order, time: string, rules: DayRules): string {
  const days = describeDays(rules);
  // "Every 15 minutes" already implies every day; "at 03:30" does not.
  return days === 'every day' && time.startsWith('every') ? time : order(time, days);
}

function timeFirst(time: string, days: string): string {
  return `${time}, ${days}`;
}

function daysFirst(time: string, days: string): string {
  return time.startsWith('at ') ? `${days} ${time}` : timeFirst(time, days);
}
