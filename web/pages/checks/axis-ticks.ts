import { clockTime, type TimeStyle } from '../../ui/times.ts';
import type { Stretch } from './band-place.ts';

const HOUR = 3_600_000;

export interface Tick {
  readonly at: number;
  readonly left: string;
  /** Empty if it has no room. */
  readonly label: string;
  /** Phones have no room for its label. */
  readonly isMinor: boolean;
}

/** Which hours have a label. Distances from both ends of the axis are shares of its length. */
interface Labels {
  readonly everyHours: number;
  /** A label that is nearer would stand on the edge of a phone, or on the line of now. */
  readonly clear: number;
  /** A date is longer. */
  readonly dateClear: number;
}

export const PAST_LABELS: Labels = { everyHours: 2, clear: 0.06, dateClear: 0.12 };
export const AHEAD_LABELS: Labels = { everyHours: 1, clear: 0.14, dateClear: 0.28 };
/** 08:00 pm is so much longer than 20:00. */
const TWELVE_HOURS_LENGTH = 1.7;

/** A tick at each hour, so that the width of an hour is seen. Some have a label. */
export function ticksOf(
  { from, until }: Stretch,
  style: TimeStyle,
  { everyHours, clear, dateClear }: Labels,
): Tick[] {
  const length = until - from;
  const hourOf = (at: number) => Number(clockTime(at, { ...style, isTwelveHours: false }).slice(0, 2));
  const isClear = (at: number, distance: number) => Math.abs((at - from) / length - 0.5) <= 0.5 - distance;
  const labelOf = (at: number) => {
    if (hourOf(at) === 0 && isClear(at, dateClear)) return dayName(at, style);
    const hasRoom = isClear(at, style.isTwelveHours ? clear * TWELVE_HOURS_LENGTH : clear);
    return hasRoom && hourOf(at) % everyHours === 0 ? clockTime(at, style) : '';
  };
  const first = Math.ceil(from / HOUR) * HOUR;
  return Array.from({ length: length / HOUR }, (_, hour) => first + hour * HOUR).map((at) => ({
    at,
    left: `${(((at - from) / length) * 100).toFixed(2)}%`,
    label: labelOf(at),
    isMinor: hourOf(at) % (everyHours * 2) !== 0,
  }));
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

function dayName(at: number, { tz, language }: TimeStyle): string {
  const key = `${language} ${tz}`;
  const known =
    dayFormats.get(key) ??
    new Intl.DateTimeFormat(language ?? 'en-GB', {
      timeZone: tz,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
    });
  dayFormats.set(key, known);
  return known.format(at);
}
