import { type Micros, seconds } from '../instant.ts';
import { DAY, HOUR, MINUTE } from './durations.ts';

/** From this age on, days are counted. */
const DAYS_FROM = 48 * HOUR;

/** An age in one unit, rounded down: `14 s`, `4 min`, `26 h`, `9 days`. */
export function ageText(age: Micros): string {
  const total = Math.max(0, Math.floor(age / seconds(1)));
  if (total < MINUTE) return `${total} s`;
  if (total < HOUR) return `${Math.floor(total / MINUTE)} min`;
  if (total < DAYS_FROM) return `${Math.floor(total / HOUR)} h`;
  return `${Math.floor(total / DAY)} days`;
}

/** A duration in at most two units: `0.42 s`, `6 min 41 s`, `1 h 8 min`, `1 h`, `3 days 2 h`. */
export function spanText(span: Micros): string {
  if (span < seconds(1)) return `${(Math.max(0, span) / seconds(1)).toFixed(2)} s`;
  const total = Math.floor(span / seconds(1));
  if (total < 10) return `${(Math.floor(span / seconds(0.1)) / 10).toFixed(1)} s`.replace('.0', '');
  if (total < MINUTE) return `${total} s`;
  if (total < HOUR) return twoUnits(total, MINUTE, 'min', 1, 's');
  if (total < DAYS_FROM) return twoUnits(total, HOUR, 'h', MINUTE, 'min');
  return twoUnits(total, DAY, 'days', HOUR, 'h');
}

function twoUnits(total: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((total % large) / small);
  return `${Math.floor(total / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}
