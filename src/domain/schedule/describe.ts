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
  return expression.kind === 'cron'
    ? capitalised(describeCron(expression))
    : expression.lines.map((line) => capitalised(describeLine(line))).join('; ');
}

function describeCron({ pattern, dayOfMonth, dayOfWeek, needsBothDays }: CronExpression): string {
  return sentence(describeTimeOfDay(pattern), {
    dates: describeDaysOfMonth(dayOfMonth),
    weekdays: describeDaysOfWeek(dayOfWeek),
    needsBoth: needsBothDays,
    months: pattern.months,
    years: null,
  });
}

function describeLine({ date, time, weekdays, zone }: OnCalendarLine): string {
  const { years, months, days, fromEnd } = date;
  const described = sentence(describeTimeOfDay(time), {
    dates: days.size === 31 ? null : fromEnd ? describeDatesFromEnd(days) : describeDates(days),
    weekdays: describeWeekdays(weekdays),
    needsBoth: true,
    months,
    years: years.size === YEAR.max - YEAR.min + 1 ? null : years,
  });
  return zone === null ? described : `${described} (${zone})`;
}

function sentence(time: string, rules: DayRules): string {
  const days = describeDays(rules);
  // "Every 15 minutes" already implies every day; "at 03:30" does not.
  return days === 'every day' && time.startsWith('every') ? time : `${time}, ${days}`;
}
