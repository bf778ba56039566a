import { fromTemporal, type Instant } from '../../lib/instant.ts';
import { inZone } from '../../lib/zone.ts';

export type ReportPeriod = 'daily' | 'weekly' | 'monthly';

/** Reports are sent within two hours of the morning, each at a random minute. */
const FIRST_HOUR = 9;
const MINUTES = 120;

/**
 * When the next report is due: tomorrow, next Monday or on the first of the next month, in the account's zone. `chance` from
 * 0 to 1 chooses the minute. If the clocks skip that minute, the report is due later by the skipped time.
 */
export function nextReportAt(period: ReportPeriod, timeZone: string, now: Instant, chance: number): Instant {
  const local = inZone(now, timeZone);
  const day = startOfPeriod(period, local.toPlainDate()).add(lengthOf(period));
  const minute = Math.min(Math.floor(chance * MINUTES), MINUTES - 1);
  const time = new Temporal.PlainTime(FIRST_HOUR).add({ minutes: minute });
  return fromTemporal(day.toZonedDateTime({ timeZone: local.timeZoneId, plainTime: time }).toInstant());
}

/**
 * The starts of the current period and of complete periods before it, newest first. Downtime is counted between them. Weeks
 * begin on Monday. A day begins when the clocks of the zone first show its date.
 */
export function periodStarts(
  period: ReportPeriod,
  timeZone: string,
  now: Instant,
  complete: number,
): Instant[] {
  const local = inZone(now, timeZone);
  const current = startOfPeriod(period, local.toPlainDate());
  return Array.from({ length: complete + 1 }, (_, ago) => {
    const day = current.subtract(lengthOf(period, ago));
    return fromTemporal(day.toZonedDateTime(local.timeZoneId).toInstant());
  });
}

/** The number of complete periods in a report. */
const REPORTED = 2;

/** The starts of the current period, of the latest complete one and of the one before it, in this order. */
export function reportBoundaries(period: ReportPeriod, timeZone: string, now: Instant): Instant[] {
  return periodStarts(period, timeZone, now, REPORTED);
}

function startOfPeriod(period: ReportPeriod, day: Temporal.PlainDate): Temporal.PlainDate {
  switch (period) {
    case 'daily':
      return day;
    case 'weekly':
      return day.subtract({ days: day.dayOfWeek - 1 });
    case 'monthly':
      return day.with({ day: 1 });
    default:
      return period satisfies never;
  }
}

function lengthOf(period: ReportPeriod, count = 1): Temporal.DurationLike {
  switch (period) {
    case 'daily':
      return { days: count };
    case 'weekly':
      return { weeks: count };
    case 'monthly':
      return { months: count };
    default:
      return period satisfies never;
  }
}
