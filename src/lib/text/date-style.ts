import type { Instant } from '../instant.ts';
import { inZone } from '../zone.ts';
import { mailDate } from './mail-date.ts';

/** How dates are written for a person. */
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

/** `January 12`, `12. Januar`, `2024-01-12` */
export function dayOfMonth(
  day: Temporal.PlainDate,
  style: Pick<DateStyle, 'language' | 'dateFormat'>,
  month: 'long' | 'short' = 'long',
): string {
  if (style.dateFormat === 'iso') return day.toString();
  return day.toLocaleString(languageOf(style), { ...DAY, month });
}

function languageOf({ language }: Pick<DateStyle, 'language'>): string {
  return language === '' ? 'en-US' : language;
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
