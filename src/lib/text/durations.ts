import { type Micros, seconds } from '../instant.ts';

export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

/**
 * The text of a period: `1 day`, `8 days`, `1 hour 30 minutes`. Weeks appear only if nothing remains. Seconds appear
 * only if there is no larger unit.
 */
export function periodText(periodSeconds: number): string {
  if (periodSeconds < MINUTE) return count(periodSeconds, 'second');
  if (periodSeconds % WEEK === 0) return count(periodSeconds / WEEK, 'week');
  const days = Math.floor(periodSeconds / DAY);
  const hours = Math.floor((periodSeconds % DAY) / HOUR);
  const minutes = Math.floor((periodSeconds % HOUR) / MINUTE);
  return [
    days > 0 && count(days, 'day'),
    hours > 0 && count(hours, 'hour'),
    minutes > 0 && count(minutes, 'minute'),
  ]
    .filter((part) => part !== false)
    .join(' ');
}

/** A duration in two neighbouring units: `1 day, 1 hour`, `1 minute, 1 second`. */
export function durationText(duration: Micros): string {
  const total = Math.max(0, Math.floor(duration / seconds(1)));
  const days = Math.floor(total / DAY);
  const hours = Math.floor((total % DAY) / HOUR);
  const minutes = Math.floor((total % HOUR) / MINUTE);
  if (days > 0) return `${count(days, 'day')}, ${count(hours, 'hour')}`;
  if (hours > 0) return `${count(hours, 'hour')}, ${count(minutes, 'minute')}`;
  if (minutes > 0) return `${count(minutes, 'minute')}, ${count(total % MINUTE, 'second')}`;
  return count(total, 'second');
}

/** A duration without a second unit that is zero: `29 minutes`, `1 hour, 5 minutes`. */
export function roundDuration(duration: Micros): string {
  return durationText(duration).replace(/, 0 \w+$/, '');
}

/** `1 day`, `2 days`, `0 days`. */
export function count(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? '' : 's'}`;
}
