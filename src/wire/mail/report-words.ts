import type { Downtime } from '../../domain/downtime.ts';
import type { ReportPeriod } from '../../domain/report.ts';
import type { Instant } from '../../lib/instant.ts';
import { type DateStyle, dayOfMonth, monthAndYear, monthOf } from '../../lib/text/date-style.ts';
import { count, shortDuration } from '../../lib/text/durations.ts';
import { inZone } from '../../lib/zone.ts';

/** Abbreviations of months, where the person has chosen no language. */
const SHORT_MONTHS: readonly string[] = [
  ...['Jan.', 'Feb.', 'March', 'April', 'May', 'June'],
  ...['July', 'Aug.', 'Sept.', 'Oct.', 'Nov.', 'Dec.'],
];

type DayStyle = Pick<DateStyle, 'language' | 'dateFormat'>;

/** The first and the last day of a complete period. */
export interface PeriodDays {
  readonly first: Temporal.PlainDate;
  readonly last: Temporal.PlainDate;
}

/** The complete periods between the boundaries, oldest first. Boundaries are newest first. */
export function periodsBetween(boundaries: readonly Instant[], timeZone: string): PeriodDays[] {
  const days = boundaries.map((start) => inZone(start, timeZone).toPlainDate());
  return days
    .slice(1)
    .map((first, index) => ({ first, last: (days[index] ?? first).subtract({ days: 1 }) }))
    .toReversed();
}

export function subjectOf(period: ReportPeriod): string {
  switch (period) {
    case 'daily':
      return 'Daily Report';
    case 'weekly':
      return 'Weekly Report';
    case 'monthly':
      return 'Monthly Report';
    default:
      return period satisfies never;
  }
}

/** `Dec. 2019`, `Jan 6 - Jan 12`, `January 12` */
export function periodHeading(period: ReportPeriod, { first, last }: PeriodDays, dates: DayStyle): string {
  switch (period) {
    case 'daily':
      return dayOfMonth(first, dates);
    case 'weekly':
      return `${shortDay(first, dates)} - ${shortDay(last, dates)}`;
    case 'monthly':
      return isDefault(dates) ? `${SHORT_MONTHS[first.month - 1]} ${first.year}` : monthAndYear(first, dates);
    default:
      return period satisfies never;
  }
}

/** `In December, 1 check had 1 downtime event.` `downtimes` are those of all checks in the latest period. */
export function firstLine(
  period: ReportPeriod,
  latest: PeriodDays,
  downtimes: readonly (Downtime | null)[],
  dates: DayStyle,
): string {
  const events = downtimes.map((downtime) => downtime?.count ?? 0).filter((n) => n > 0);
  const when = periodPhrase(period, latest, dates);
  if (events.length === 0) return `${when}, no checks had downtimes. Nice!`;
  const total = events.reduce((sum, n) => sum + n, 0);
  return `${when}, ${count(events.length, 'check')} had ${count(total, 'downtime event')}.`;
}

/** `1 downtime, 5 min 3 sec total` or `All good!`. Empty if the check did not exist. */
export function downtimeCell(downtime: Downtime | null): string {
  if (downtime === null) return '';
  if (downtime.count === 0) return 'All good!';
  return `${count(downtime.count, 'downtime')}, ${shortDuration(downtime.duration)} total`;
}

function periodPhrase(period: ReportPeriod, { first, last }: PeriodDays, dates: DayStyle): string {
  switch (period) {
    case 'daily':
      return `Yesterday (${dayOfMonth(first, dates)})`;
    case 'weekly':
      return `Last week (${dayOfMonth(first, dates)} to ${dayOfMonth(last, dates)})`;
    case 'monthly':
      return `In ${dates.dateFormat === 'iso' ? monthAndYear(first, dates) : monthOf(first, dates)}`;
    default:
      return period satisfies never;
  }
}

function shortDay(day: Temporal.PlainDate, dates: DayStyle): string {
  return dayOfMonth(day, dates, 'short');
}

function isDefault({ language, dateFormat }: DayStyle): boolean {
  return language === '' && dateFormat === 'text';
}
