import type { Check } from './check.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time part of a line of a crontab that fits the schedule. Null if none does. */
export function crontabTime({
  kind,
  schedule,
  timeoutSeconds,
}: Pick<Check, 'kind' | 'schedule' | 'timeoutSeconds'>): string | null {
  if (kind === 'cron') return schedule;
  if (kind === 'oncalendar') return null;
  if (timeoutSeconds === MINUTE) return '* * * * *';
  if (timeoutSeconds === HOUR) return '0 * * * *';
  if (timeoutSeconds === DAY) return '0 0 * * *';
  if (timeoutSeconds === 7 * DAY) return '0 0 * * 0';
  // Others would not come at even distances.
  if (timeoutSeconds % MINUTE === 0 && HOUR % timeoutSeconds === 0)
    return `*/${timeoutSeconds / MINUTE} * * * *`;
  if (timeoutSeconds % HOUR === 0 && DAY % timeoutSeconds === 0) return `0 */${timeoutSeconds / HOUR} * * *`;
  return null;
}
