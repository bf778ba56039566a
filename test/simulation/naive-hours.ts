import { type Instant, type Micros, seconds, toTemporal } from '../../src/lib/instant.ts';

/** Hours of a project as they are stored. Schedules have the form `0 8 * * *` or `0 8 * * 1-5`. */
export interface Hours {
  readonly uuid: string;
  readonly name: string;
  readonly schedule: string;
  readonly tz: string;
  readonly durationSeconds: number;
  /** Dates, apart by spaces. */
  readonly exceptDates: string;
}

/** Days that are looked at before the present one. Hours last no longer. */
const DAYS_BACK = 2;

/** Hours begin and end with a minute. So do days. */
const MINUTE: Micros = seconds(60);

/** What is known already, by minute: it is asked very often. */
const known = new WeakMap<Hours, Map<number, boolean>>();

/** Whether that time is within the hours. */
export function isWithin(hours: Hours, at: Instant): boolean {
  const minute = Math.floor(at / MINUTE);
  const byMinute = known.get(hours) ?? new Map<number, boolean>();
  known.set(hours, byMinute);
  return byMinute.getOrInsertComputed(minute, () => isMinuteWithin(hours, minute * MINUTE));
}

/** They began on the same day or on one before it, and no exception covers the day. */
function isMinuteWithin(hours: Hours, at: Instant): boolean {
  const day = toTemporal(at).toZonedDateTimeISO(hours.tz).toPlainDate();
  if (hours.exceptDates.split(' ').includes(day.toString())) return false;
  for (let back = 0; back <= DAYS_BACK; back++) {
    const began = beginOn(hours, day.subtract({ days: back }));
    if (began !== null && began <= at && at < began + seconds(hours.durationSeconds)) return true;
  }
  return false;
}

/** When hours begin on that day. Null: they do not. */
export function beginOn(
  { schedule, tz }: Pick<Hours, 'schedule' | 'tz'>,
  day: Temporal.PlainDate,
): Instant | null {
  const [minute = '', hour = '', , , weekdays = ''] = schedule.split(' ');
  if (weekdays === '1-5' && day.dayOfWeek > 5) return null;
  const plainTime = new Temporal.PlainTime(Number(hour), Number(minute));
  return day.toZonedDateTime({ timeZone: tz, plainTime }).epochMilliseconds * 1000;
}
