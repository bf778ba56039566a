import type { Downtime } from '../../domain/history/downtime.ts';
import type { ReportPeriod } from '../../domain/people/report.ts';
import type { Instant } from '../../lib/instant.ts';
import { spanText } from '../../lib/text/ages.ts';
import { type DateStyle, dayOfMonth, dayRange, monthAndYear, monthOf } from '../../lib/text/date-style.ts';
import { count } from '../../lib/text/durations.ts';
import { inZone } from '../../lib/zone.ts';

type DayStyle = Pick<DateStyle, 'language' | 'dateFormat'>;

/** The first and the last day of a complete period. */
export interface PeriodDays {
  readonly first: Temporal.PlainDate;
  readonly last: Temporal.PlainDate;
}

/** The complete periods between the boundaries, newest first, as the boundaries are. */
export function periodsBetween(boundaries: readonly Instant[], timeZone: string): PeriodDays[] {
  const days = boundaries.map((start) => inZone(start, timeZone).toPlainDate());
  return days.slice(1).map((first, index) => ({ first, last: (days[index] ?? first).subtract({ days: 1 }) }));
}

export function reportName(period: ReportPeriod): string {
  switch (period) {
    case 'daily':
      return 'Daily report';
    case 'weekly':
      return 'Weekly report';
    case 'monthly':
      return 'Monthly report';
    default:
      return period satisfies never;
  }
}

/** When reports come. */
export function reportRhythm(period: ReportPeriod): string {
  switch (period) {
    case 'daily':
      return 'every day';
    case 'weekly':
      return 'every Monday';
    case 'monthly':
      return 'on the 1st of each month';
    default:
      return period satisfies never;
  }
}

/** `October`, `6 to 12 January`, `14 January` */
export function periodName(period: ReportPeriod, { first, last }: PeriodDays, dates: DayStyle): string {
  switch (period) {
    case 'daily':
      return dayOfMonth(first, dates);
    case 'weekly':
      return dayRange(first, last, dates, { month: 'long' });
    case 'monthly':
      return dates.dateFormat === 'iso' ? monthAndYear(first, dates) : monthOf(first, dates);
    default:
      return period satisfies never;
  }
}

/** A period in the head of a column: `October`, `From 6 Jan`, `14 Jan`. */
export function periodColumn(period: ReportPeriod, days: PeriodDays, dates: DayStyle): string {
  switch (period) {
    case 'daily':
      return dayOfMonth(days.first, dates, 'short');
    case 'weekly':
      return `From ${dayOfMonth(days.first, dates, 'short')}`;
    default:
      return periodName(period, days, dates);
  }
}

/** `1 to 31 October 2026`, `14 January 2020` */
export function periodDates({ first, last }: PeriodDays, dates: DayStyle): string {
  return dayRange(first, last, dates, { month: 'long', year: 'numeric' });
}

/** The outages of several checks together. */
export function total(downtimes: readonly (Downtime | null)[]): Downtime {
  return downtimes.reduce<Downtime>(
    (sum, one) => ({
      count: sum.count + (one?.count ?? 0),
      duration: sum.duration + (one?.duration ?? 0),
    }),
    { count: 0, duration: 0 },
  );
}

/** `4 times down, 3 h 6 min in all`, `nothing was down` */
export function totalText({ count: outages, duration }: Downtime): string {
  return outages === 0 ? 'nothing was down' : `${count(outages, 'time')} down, ${spanText(duration)} in all`;
}

/** The downtime of an earlier period: `2 times, 52 min`. */
export function earlierText({ count: outages, duration }: Downtime): string {
  return outages === 0 ? 'nothing was down' : `${count(outages, 'time')}, ${spanText(duration)}`;
}
