export interface TimeStyle {
  readonly tz: string;
  /** A language tag. Undefined is the language of the browser. */
  readonly language: string | undefined;
  readonly isTwelveHours: boolean;
  /** Dates as 2026-11-09. */
  readonly isIso: boolean;
}

export const BROWSER_STYLE: TimeStyle = {
  tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
  language: undefined,
  isTwelveHours: false,
  isIso: false,
};

const DAY = 86_400;
/** Up to this many days before or after today, the time of day is told. */
const NEAR_DAYS = 6;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(style: TimeStyle, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${style.language} ${style.tz} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(style.language ?? 'en-GB', { timeZone: style.tz, ...options });
  formats.set(key, made);
  return made;
}

const time = (style: TimeStyle, hasSeconds: boolean): Intl.DateTimeFormatOptions => ({
  hour: '2-digit',
  minute: '2-digit',
  ...(hasSeconds && { second: '2-digit' }),
  hourCycle: style.isTwelveHours ? 'h12' : 'h23',
});

/** The calendar day as 2026-11-09, by which days are compared. */
export function dayOf(at: number, style: TimeStyle): string {
  const parts = formatOf(
    { ...style, language: 'en-GB' },
    { year: 'numeric', month: '2-digit', day: '2-digit' },
  );
  return parts.format(at).split('/').toReversed().join('-');
}

const WALL: Intl.DateTimeFormatOptions = {
  ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
};

/** The reading of a wall clock at that time, as if it were UTC. */
function wallTime(at: number, style: TimeStyle): number {
  const parts = formatOf({ ...style, language: 'en-GB' }, WALL).formatToParts(at);
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  const day = `${part('year')}-${part('month')}-${part('day')}`;
  return Date.parse(`${day}T${part('hour')}:${part('minute')}:${part('second')}Z`);
}

/**
 * The instant at which the clock of that zone shows the value of a date field, as 2026-11-09T05:14. Null for an empty
 * field. If a time comes twice, the first counts. For one that a clock change leaves out, the clock is as much ahead.
 */
export function instantOf(field: string, style: TimeStyle): number | null {
  const wanted = Date.parse(`${field}Z`);
  if (Number.isNaN(wanted)) return null;
  const day = DAY * 1_000;
  const offsets = [wanted - day, wanted + day].map((at) => wallTime(at, style) - at);
  const possible = offsets.map((offset) => wanted - offset);
  return possible.find((at) => wallTime(at, style) === wanted) ?? possible[0] ?? null;
}

/** The value of a date field for that instant: 2026-11-09T05:14. */
export function fieldOf(at: number, style: TimeStyle): string {
  return new Date(wallTime(at, style)).toISOString().slice(0, 16);
}

const daysBetween = (one: string, other: string): number =>
  Math.round((Date.parse(`${one}T00:00Z`) - Date.parse(`${other}T00:00Z`)) / (DAY * 1_000));

/** 05:14 */
export function clockTime(at: number, style: TimeStyle, hasSeconds = false): string {
  return formatOf(style, time(style, hasSeconds)).format(at);
}

/** 9 Nov, or 9 Nov 2025 if it is another year. */
export function shortDate(at: number, style: TimeStyle, now: number): string {
  const day = dayOf(at, style);
  if (style.isIso) return day;
  const isThisYear = day.slice(0, 4) === dayOf(now, style).slice(0, 4);
  return formatOf(style, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) }).format(
    at,
  );
}

/** Today 05:14, the day before or after Sat 03:06, within six days Thu 12 Nov 03:06, else the date. */
export function shortTime(at: number, style: TimeStyle, now: number, hasSeconds = false): string {
  const distance = Math.abs(daysBetween(dayOf(at, style), dayOf(now, style)));
  if (distance === 0) return clockTime(at, style, hasSeconds);
  const date = shortDate(at, style, now);
  if (distance > NEAR_DAYS) return date;
  const weekday = formatOf(style, { weekday: 'short' }).format(at);
  return `${weekday} ${distance === 1 ? '' : `${date} `}${clockTime(at, style, hasSeconds)}`;
}

/** Tue 1 Dec, 09:14 */
export function longTime(at: number, style: TimeStyle): string {
  const day = style.isIso
    ? dayOf(at, style)
    : formatOf(style, { weekday: 'short', day: 'numeric', month: 'short' }).format(at);
  return `${day}, ${clockTime(at, style)}`;
}

/** Sun, 15 Nov 2026, 03:30:00 CET · 02:30:00 UTC */
export function exactTime(at: number, style: TimeStyle): string {
  const date = style.isIso
    ? dayOf(at, style)
    : formatOf(style, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).format(at);
  const zone = formatOf(style, { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName');
  const own = `${date}, ${clockTime(at, style, true)} ${zone?.value ?? ''}`;
  return style.tz === 'UTC' ? own : `${own} · ${clockTime(at, { ...style, tz: 'UTC' }, true)} UTC`;
}

/** Berlin, of Europe/Berlin. */
export function cityOf(tz: string): string {
  // The signs in these names are inverted: Etc/GMT+5 is five hours behind. Without Etc/ it would say the opposite.
  return /^Etc\/GMT[+-]/.test(tz) ? tz : (tz.split('/').at(-1) ?? tz).replaceAll('_', ' ');
}

/** A schedule with the name of its zone, if that is another one than the times beside it have: every day at 03:00, Berlin. */
export function scheduleBeside(schedule: string, tz: string | null, style: TimeStyle): string {
  return tz === null || tz === style.tz ? schedule : `${schedule}, ${cityOf(tz)}`;
}

/** The time in another zone, with the name of that zone and, if it is another day there, the weekday: Tue 23:00, New York. */
export function timeIn(tz: string, at: number, style: TimeStyle): string {
  const there = { ...style, tz };
  const isSameDay = dayOf(at, there) === dayOf(at, style);
  const weekday = isSameDay ? '' : `${formatOf(there, { weekday: 'short' }).format(at)} `;
  return `${weekday}${clockTime(at, there)}, ${cityOf(tz)}`;
}
