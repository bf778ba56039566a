import { type Instant, MICROS_PER_SECOND } from '../instant.ts';
import { count, DAY, HOUR, MINUTE, WEEK } from './durations.ts';

/** Each unit with the next smaller one. Months and years have average lengths. */
const LARGE_UNITS = [
  { name: 'year', length: 365 * DAY },
  { name: 'month', length: 30 * DAY },
  { name: 'week', length: WEEK },
  { name: 'day', length: DAY },
  { name: 'hour', length: HOUR },
] as const;

/** `now`, `a second ago`, `10 minutes ago`, `an hour ago`; from a day on `2 days, 3 hours ago`. */
export function relativeTime(at: Instant, now: Instant): string {
  // Clocks of two machines differ a little, so a time in the future counts as now.
  const passed = Math.max(0, Math.floor((now - at) / MICROS_PER_SECOND));
  if (passed === 0) return 'now';
  if (passed < MINUTE) return passed === 1 ? 'a second ago' : `${passed} seconds ago`;
  if (passed < HOUR)
    return passed < 2 * MINUTE ? 'a minute ago' : `${Math.floor(passed / MINUTE)} minutes ago`;
  if (passed < DAY) return passed < 2 * HOUR ? 'an hour ago' : `${Math.floor(passed / HOUR)} hours ago`;
  return `${largestUnits(passed)} ago`;
}

/** The largest unit and the next smaller one, unless that is zero. */
function largestUnits(passed: number): string {
  const index = LARGE_UNITS.findIndex(({ length }) => passed >= length);
  let left = passed;
  const parts: string[] = [];
  for (const { name, length } of LARGE_UNITS.slice(index, index + 2)) {
    const n = Math.floor(left / length);
    left -= n * length;
    if (n > 0) parts.push(count(n, name));
  }
  return parts.join(', ');
}
