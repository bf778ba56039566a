import type { Downtime } from '../../domain/downtime.ts';
import type { ReportPeriod } from '../../domain/report.ts';
import type { Instant } from '../../lib/instant.ts';
import { count, shortDuration } from '../../lib/text/durations.ts';
import { inZone } from '../../lib/zone.ts';

/** Full names and abbreviations. */
const MONTHS: readonly (readonly [name: string, short: string])[] = [
  ['January', 'Jan.'],
  ['February', 'Feb.'],
  ['March', 'March'],
  ['April', 'April'],
  ['May', 'May'],
  ['June', 'June'],
  ['July', 'July'],
  ['August', 'Aug.'],
  ['September', 'Sept.'],
  ['October', 'Oct.'],
  ['November', 'Nov.'],
  ['December', 'Dec.'],
];

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
export function periodHeading(period: ReportPeriod, { first, last }: PeriodDays): string {
  switch (period) {
    case 'daily':
      return longDay(first);
    case 'weekly':
      return `${shortDay(first)} - ${shortDay(last)}`;
    case 'monthly':
      return `${MONTHS[first.month - 1]?.[1]} ${first.year}`;
    default:
      return period satisfies never;
  }
}

/** `In December, 1 check had 1 downtime event.` `downtimes` are those of all checks in the latest period. */
export function firstLine(
  period: ReportPeriod,
  latest: PeriodDays,
  downtimes: readonly (Downtime | null)[],
): string {
  const events = downtimes.map((downtime) => downtime?.count ?? 0).filter((n) => n > 0);
  const when = periodPhrase(period, latest);
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

function periodPhrase(period: ReportPeriod, { first, last }: PeriodDays): string {
  switch (period) {
    case 'daily':
      return `Yesterday (${longDay(first)})`;
    case 'weekly':
      return `Last week (${longDay(first)} to ${longDay(last)})`;
    case 'monthly':
      return `In ${monthName(first)}`;
    default:
      return period satisfies never;
  }
}

function longDay(day: Temporal.PlainDate): string {
  return `${monthName(day)} ${day.day}`;
}

function shortDay(day: Temporal.PlainDate): string {
  return `${monthName(day).slice(0, 3)} ${day.day}`;
}

function monthName({ month }: Temporal.PlainDate): string {
  return MONTHS[month - 1]?.[0] ?? '';
}
