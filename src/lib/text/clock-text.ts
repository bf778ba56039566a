import type { Instant } from '../instant.ts';
import { inZone } from '../zone.ts';
import { type DateStyle, languageOf } from './date-style.ts';

/** The zone and the style of a reader's times. */
export interface TimeReader extends DateStyle {
  readonly timeZone: string;
}

/** Up to this many days before or after today, the time of day is told. */
const NEAR_DAYS = 6;

/**
 * A time as short as it is clear: `05:14` today, `Sat 03:06` the day before or after, `Thu 12 Nov 03:06` within 6 days,
 * else `9 Nov`, or `9 Nov 2025`.
 */
export function clockText(at: Instant, now: Instant, reader: TimeReader): string {
  const local = inZone(at, reader.timeZone);
  const today = inZone(now, reader.timeZone).toPlainDate();
  const days = Math.abs(today.until(local.toPlainDate()).days);
  if (days === 0) return timeOfDay(local, reader);
  const date = day(local, reader, local.year === today.year);
  if (days > NEAR_DAYS) return date;
  const named = days === 1 ? weekday(local, reader) : `${weekday(local, reader)} ${date}`;
  return `${named} ${timeOfDay(local, reader)}`;
}

/** A day and a time: `Sat 14 Nov, 03:06:41`. */
export function dayAndTime(at: Instant, reader: TimeReader, withSeconds: boolean): string {
  const local = inZone(at, reader.timeZone);
  return `${weekday(local, reader)} ${day(local, reader, true)}, ${timeOfDay(local, reader, withSeconds)}`;
}

/** A time with the short name of the zone: `Sun 15 Nov, 03:30 CET`. */
export function zonedTime(at: Instant, reader: TimeReader): string {
  return `${dayAndTime(at, reader, false)} ${zoneName(at, reader.timeZone)}`;
}

/** The whole time, in the zone and in UTC: `Sun, 15 Nov 2026, 03:30:00 CET · 02:30:00 UTC`. */
export function wholeTime(at: Instant, reader: TimeReader): string {
  const local = inZone(at, reader.timeZone);
  const name = zoneName(at, reader.timeZone);
  const own = `${weekday(local, reader)}, ${day(local, reader, false)}, ${timeOfDay(local, reader, true)} ${name}`;
  if (name === 'UTC') return own;
  return `${own} · ${timeOfDay(inZone(at, 'UTC'), reader, true)} UTC`;
}

/** A run of a schedule, with the offset that the zone has then: `Sun 2024-03-31 04:00:00 +03:00`. */
export function runTime(at: Instant, timeZone: string): string {
  const local = inZone(at, timeZone);
  const name = local.toLocaleString('en-US', { weekday: 'short' });
  return `${name} ${local.toPlainDate()} ${local.toPlainTime()} ${local.offset}`;
}

function timeOfDay(local: Temporal.ZonedDateTime, { clock }: TimeReader, withSeconds = false): string {
  return formatOf(`${clock} ${withSeconds}`, KEPT_LANGUAGE, {
    hour: clock === '12h' ? 'numeric' : '2-digit',
    minute: '2-digit',
    ...(withSeconds && { second: '2-digit' }),
    hour12: clock === '12h',
  })
    .format(local.toPlainTime())
    .replace(/\p{Zs}/gu, ' ');
}

/** At most seven, in the default language. Making one takes much longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();
const KEPT_LANGUAGE = languageOf({ language: '' });

/** The name stands for the options. */
function formatOf(name: string, language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const format =
    (language === KEPT_LANGUAGE && formats.get(name)) || new Intl.DateTimeFormat(language, options);
  if (language === KEPT_LANGUAGE) formats.set(name, format);
  return format;
}

function weekday(local: Temporal.ZonedDateTime, reader: TimeReader): string {
  return formatOf('weekday', languageOf(reader), { weekday: 'short' }).format(local.toPlainDate());
}

function day(local: Temporal.ZonedDateTime, reader: TimeReader, isThisYear: boolean): string {
  const date = local.toPlainDate();
  if (reader.dateFormat === 'iso') return date.toString();
  const name = isThisYear ? 'day' : 'day of a year';
  const year = isThisYear ? {} : { year: 'numeric' as const };
  return formatOf(name, languageOf(reader), { day: 'numeric', month: 'short', ...year }).format(date);
}

/** Each knows the names of the zones of its part of the world. */
const LOCALES = ['en-GB', 'en-US', 'en-AU', 'en-IN', 'en-ZA'];

/** `CET`, `EST`; `GMT+9` where no name is known. */
function zoneName(at: Instant, timeZone: string): string {
  const local = inZone(at, timeZone);
  if (local.timeZoneId === 'UTC') return 'UTC';
  let offset: string | undefined;
  for (const locale of LOCALES) {
    const name = nameIn(locale, local);
    if (!/^GMT[+-]/.test(name)) return name;
    offset ??= name;
  }
  return offset ?? local.timeZoneId;
}

function nameIn(locale: string, local: Temporal.ZonedDateTime): string {
  const parts = new Intl.DateTimeFormat(locale, {
    timeZone: local.timeZoneId,
    timeZoneName: 'short',
  }).formatToParts(local.epochMilliseconds);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
