import type { Instant, Micros } from '../../lib/instant.ts';
import { isWithin, type Span } from '../check/status.ts';
import { BoundedCache } from '../schedule/bounded-cache.ts';
import { nextOccurrence } from '../schedule/schedule.ts';
import { ScheduleError } from '../schedule/schedule-error.ts';

/** Hours that come again: they begin as the schedule says and last as long in absolute time, also over a change of clocks. */
export interface Calendar {
  readonly schedule: string;
  readonly tz: string;
  readonly duration: Micros;
  /** Dates such as `2026-12-24`, in the zone of the calendar. These days are outside of the hours from midnight to midnight. */
  readonly exceptDates: readonly string[];
}

/** Hours that begin before the last ones have ended are one span. A span of more than so many is not followed further. */
const MAX_JOINED = 1_000;

/**
 * Since when the calendar is open. Null if it is closed. A calendar that cannot be read is always open: it must not keep
 * alarms back.
 */
export function openSince(calendar: Calendar, now: Instant): Instant | null {
  const days = exceptedDays(calendar);
  if (spanAround(days, now) !== null) return null;
  const began = occurrence(calendar, now - calendar.duration);
  if (began === 'unreadable') return Number.NEGATIVE_INFINITY;
  if (began === null || began > now) return null;
  const before = spanAround(days, began);
  return before === null ? began : Math.max(began, before.until);
}

export function isOpenAt(calendar: Calendar, now: Instant): boolean {
  return openSince(calendar, now) !== null;
}

/** When the calendar opens next. Null if it is open, or if it never opens again. */
export function opensAt(calendar: Calendar, now: Instant): Instant | null {
  if (isOpenAt(calendar, now)) return null;
  const days = exceptedDays(calendar);
  let at = now;
  // Each round goes past days that are excepted, or ends.
  for (let round = 0; round <= days.length; round++) {
    const span = spanAround(days, at);
    if (span !== null) {
      at = span.until;
      if (isOpenAt(calendar, at)) return at;
    }
    const next = occurrence(calendar, at);
    if (next === null || next === 'unreadable') return null;
    if (spanAround(days, next) === null) return next;
    at = next;
  }
  return null;
}

/** When the calendar closes. Null if it is closed, or if it never closes as far as anybody looks. */
export function closesAt(calendar: Calendar, now: Instant): Instant | null {
  const since = openSince(calendar, now);
  if (since === null) return null;
  let began = occurrence(calendar, now - calendar.duration);
  for (let joined = 0; joined < MAX_JOINED; joined++) {
    if (began === null || began === 'unreadable') return null;
    const until: Instant = began + calendar.duration;
    const next = occurrence(calendar, began);
    if (next === null || next === 'unreadable' || next > until)
      return Math.min(until, ...exceptedDays(calendar).flatMap(({ from }) => (from > now ? [from] : [])));
    began = next;
  }
  return null;
}

/** Whether the text is a date such as `2026-12-24`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString() === text;
  } catch {
    return false;
  }
}

function occurrence({ schedule, tz }: Calendar, after: Instant): Instant | null | 'unreadable' {
  try {
    return nextOccurrence(schedule, tz, after);
  } catch (error) {
    if (error instanceof ScheduleError) return 'unreadable';
    throw error;
  }
}

/** Few calendars leave days out, and each is asked often. */
const known = new BoundedCache<readonly Span[]>(500);

/** The days that are excepted, in order. Days that follow each other are one span. Those that cannot be read are left out. */
function exceptedDays({ exceptDates, tz }: Calendar): readonly Span[] {
  if (exceptDates.length === 0) return [];
  return known.get([tz, ...exceptDates].join(' '), () => spansOf(exceptDates, tz));
}

function spansOf(dates: readonly string[], tz: string): Span[] {
  const spans: Span[] = [];
  try {
    for (const text of [...new Set(dates)].toSorted()) {
      const date = Temporal.PlainDate.from(text);
      const day = { from: midnight(date, tz), until: midnight(date.add({ days: 1 }), tz) };
      const last = spans.at(-1);
      if (last?.until === day.from) spans[spans.length - 1] = { from: last.from, until: day.until };
      else spans.push(day);
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return spans;
}

function spanAround(spans: readonly Span[], at: Instant): Span | null {
  return spans.find((span) => isWithin(span, at)) ?? null;
}

function midnight(date: Temporal.PlainDate, tz: string): Instant {
  return date.toZonedDateTime(tz).epochMilliseconds * 1000;
}
