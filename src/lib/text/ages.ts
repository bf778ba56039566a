import { type Micros, seconds } from '../instant.ts';
import { count, DAY, HOUR, MINUTE } from './durations.ts';

/** From this number of hours on, days are counted. */
const DAYS_FROM = 48;
/** From this number of days on, hours are left out. */
const MANY_DAYS = 10;

/**
 * An age, rounded to the nearest of its smaller unit: `a moment`, `14 s`, `5 min`, `1 h 55 min`, `26 h`, `4 days 20 h`,
 * `12 days`. Two ages that make a day together also do so as they are written.
 */
export function ageText(age: Micros): string {
  const inSeconds = rounded(age, 1);
  if (inSeconds === 0) return 'a moment';
  if (inSeconds < MINUTE) return `${inSeconds} s`;
  const inMinutes = rounded(age, MINUTE);
  if (inMinutes < HOUR / MINUTE) return `${inMinutes} min`;
  if (inMinutes < DAY / MINUTE) return twoUnits(inMinutes, HOUR / MINUTE, (hours) => `${hours} h`, 'min');
  const inHours = rounded(age, HOUR);
  if (inHours < DAYS_FROM) return `${inHours} h`;
  if (inHours < (MANY_DAYS * DAY) / HOUR) return twoUnits(inHours, DAY / HOUR, days, 'h');
  return days(rounded(age, DAY));
}

/** A measured duration. Below an hour it is finer than an age: `0.42 s`, `4.2 s`, `6 min 41 s`. */
export function spanText(span: Micros): string {
  if (span < seconds(0.995)) return `${(Math.max(0, span) / seconds(1)).toFixed(2)} s`;
  if (span < seconds(9.95)) return `${Number((span / seconds(1)).toFixed(1))} s`;
  const inSeconds = rounded(span, 1);
  if (inSeconds < MINUTE || inSeconds >= HOUR) return ageText(span);
  return twoUnits(inSeconds, MINUTE, (minutes) => `${minutes} min`, 's');
}

function rounded(span: Micros, unit: number): number {
  return Math.max(0, Math.round(span / seconds(unit)));
}

function twoUnits(total: number, inLarge: number, large: (count: number) => string, small: string): string {
  const rest = total % inLarge;
  return `${large(Math.floor(total / inLarge))}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

function days(many: number): string {
  return count(many, 'day');
}
