import type { Instant } from '../instant.ts';
import { inZone } from '../zone.ts';
import { mailDate } from './mail-date.ts';

export interface DateStyle {
  /** A language tag such as `de-AT`. Empty if the person has chosen none. */
  readonly language: string;
  /** `text` has the name of the month, `iso` is such as `2024-03-01`. */
  readonly dateFormat: DateFormat;
  readonly clock: ClockFormat;
}

export const DATE_FORMATS = ['text', 'iso'] as const;
export const CLOCK_FORMATS = ['24h', '12h'] as const;

export type DateFormat = (typeof DATE_FORMATS)[number];
export type ClockFormat = (typeof CLOCK_FORMATS)[number];

export const DEFAULT_DATE_STYLE: DateStyle = { language: '', dateFormat: 'text', clock: '24h' };

/** Characters of a language tag. */
export const MAX_LANGUAGE = 35;

/** The tag as it is usually written. Null if dates cannot be written in that language. Empty stands for no choice. */
export function canonicalLanguage(tag: string): string | null {
  if (tag === '') return '';
  if (tag.length > MAX_LANGUAGE) return null;
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** A date with its time, for a mail. Where the person has chosen nothing, it is as in the head of a mail. */
export function personDate(at: Instant, timeZone: string, style: DateStyle): string {
  const { language, dateFormat, clock } = style;
  if (language === '' && dateFormat === 'text' && clock === '24h') return mailDate(at, timeZone);
  const local = inZone(at, timeZone);
  const day =
    dateFormat === 'iso'
      ? local.toPlainDate().toString()
      : local.toLocaleString(languageOf(style), {
          weekday: 'short',
          ...DAY,
          month: 'short',
          year: 'numeric',
        });
  const time = local.toLocaleString(languageOf(style), { ...TIME, hour12: clock === '12h' });
  return `${day}, ${time}`;
}

const DAY = { day: 'numeric' } as const;
const TIME = { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'shortOffset' } as const;

/** `12 January`, `12. Januar`, `2024-01-12` */
export function dayOfMonth(
  day: Temporal.PlainDate,
  style: Pick<DateStyle, 'language' | 'dateFormat'>,
  month: 'long' | 'short' = 'long',
): string {
  if (style.dateFormat === 'iso') return day.toString();
  return day.toLocaleString(languageOf(style), { ...DAY, month });
}

/** `6 to 12 January 2020`, `30 Dec to 5 Jan`, `6.–12. Januar`, `2020-01-06 to 2020-01-12`. A range of one day is that day. */
export function dayRange(
  first: Temporal.PlainDate,
  last: Temporal.PlainDate,
  style: Pick<DateStyle, 'language' | 'dateFormat'>,
  options: { readonly month: 'long' | 'short'; readonly year?: 'numeric' },
): string {
  const isOneDay = first.equals(last);
  if (style.dateFormat === 'iso') return isOneDay ? first.toString() : `${first} to ${last}`;
  const write = (day: Temporal.PlainDate) => day.toLocaleString(languageOf(style), { ...DAY, ...options });
  if (isOneDay) return write(first);
  if (style.language !== '')
    return new Intl.DateTimeFormat(style.language, { ...DAY, ...options }).formatRange(first, last);
  const isOneMonth = first.year === last.year && first.month === last.month;
  return `${isOneMonth ? first.day : write(first)} to ${write(last)}`;
}

/** If the person has chosen no language, the day comes before the month, as everywhere in the service. */
export function languageOf({ language }: Pick<DateStyle, 'language'>): string {
  return language === '' ? 'en-GB' : language;
}

/** `December`, `Dezember` */
export function monthOf(day: Temporal.PlainDate, style: Pick<DateStyle, 'language'>): string {
  return day.toLocaleString(languageOf(style), { month: 'long' });
}

/** `Jan 2024`, `2024-01` */
export function monthAndYear(
  day: Temporal.PlainDate,
  style: Pick<DateStyle, 'language' | 'dateFormat'>,
): string {
  if (style.dateFormat === 'iso') return day.toPlainYearMonth().toString();
  return day.toLocaleString(languageOf(style), { month: 'short', year: 'numeric' });
}
