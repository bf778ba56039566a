import type { Check } from '../../src/domain/check/check.ts';
import type { Span } from '../../src/domain/check/status.ts';
import { nextOccurrence } from '../../src/domain/schedule/schedule.ts';
import { type Instant, type Micros, seconds, toTemporal } from '../../src/lib/instant.ts';
import { beginOn } from './naive-hours.ts';

/** A quiet time as it is stored. A recurring one has a schedule of the form `0 8 * * *` or `0 8 * * 1-5`. */
export interface QuietRow {
  /** JSON. */
  readonly checkIds: string;
  readonly tags: string;
  readonly fromAt: Instant;
  readonly untilAt: Instant | null;
  readonly schedule: string;
  readonly tz: string;
  readonly durationSeconds: number;
}

/** A quiet time of a check as it is on record. */
export interface RecordedSpan extends Span {
  /** Whether the check was covered before it began. Else some things were decided without it. */
  readonly isSure: boolean;
  /** Whether its end was put off. */
  readonly isExtended: boolean;
}

/** Checks are covered so long before a quiet time begins. */
const AHEAD: Micros = seconds(62);

/** Those of these spans that may count at a time for what a check has waited for since another one. */
export function spansWithin(spans: readonly RecordedSpan[], since: Instant, at: Instant): RecordedSpan[] {
  return spans.filter(({ from, until }) => until > since && from <= at + AHEAD);
}

export function isInside({ from, until }: Span, at: Instant): boolean {
  return from <= at && at < until;
}

/** What is due in a quiet time is not expected. The first time at its end or later is, or with a period the end itself. */
export function dueOutside(
  due: Instant,
  { kind, schedule, tz }: Pick<Check, 'kind' | 'schedule' | 'tz'>,
  spans: readonly Span[],
): Instant | null {
  let at: Instant | null = due;
  for (const span of spans)
    if (at !== null && isInside(span, at))
      at = kind === 'simple' ? span.until : nextOccurrence(schedule, tz, span.until - 1);
  return at;
}

/** A deadline in a quiet time is put off: the limit counts anew from its end. */
export function putOff(deadline: Instant, limit: Micros, spans: readonly Span[]): Instant {
  let at = deadline;
  for (const span of spans) if (isInside(span, at)) at = span.until + limit;
  return at;
}

/** Whether it surely covers its checks at that time. One that begins soon after another one covers them when that has ended. */
export function hasSurelyBegun(span: Span, spans: readonly Span[], at: Instant): boolean {
  const isFollower = spans.some(({ until }) => until < span.from && until > span.from - AHEAD);
  return isInside(span, at) && (!isFollower || at > span.from + AHEAD);
}

/** The end of the quiet time that these spans make together, of those that run or begin soon. Null: there is none. */
export function lastEnd(spans: readonly Span[], at: Instant): Instant | null {
  let end: Instant | null = null;
  for (const span of spans.toSorted((one, other) => one.from - other.from))
    if (span.until > at && span.from <= Math.max(at + AHEAD, end ?? 0)) end = Math.max(end ?? 0, span.until);
  return end;
}

/** The spans of quiet times of these that cover the check and have an instant in common with the given one. */
export function quietSpans(rows: readonly QuietRow[], check: Check, { from, until }: Span): Span[] {
  return rows
    .filter((row) => covers(row, check))
    .flatMap((row) => spansOf(row, { from, until }))
    .filter((span) => span.from <= until && from < span.until);
}

function covers({ checkIds, tags }: QuietRow, check: Check): boolean {
  const ids = JSON.parse(checkIds) as number[];
  const own = check.tags.split(' ');
  const isAll = ids.length === 0 && tags === '';
  return isAll || ids.includes(check.id) || tags.split(' ').some((tag) => tag !== '' && own.includes(tag));
}

function spansOf(row: QuietRow, { from, until }: Span): Span[] {
  const { fromAt, untilAt, tz, durationSeconds } = row;
  if (untilAt !== null) return [{ from: fromAt, until: untilAt }];
  const spans: Span[] = [];
  const duration = seconds(durationSeconds);
  const last = toTemporal(until).toZonedDateTimeISO(tz).toPlainDate();
  let day = toTemporal(from - duration)
    .toZonedDateTimeISO(tz)
    .toPlainDate();
  for (; Temporal.PlainDate.compare(day, last) <= 0; day = day.add({ days: 1 })) {
    const began = beginOn(row, day);
    if (began !== null && began >= fromAt) spans.push({ from: began, until: began + duration });
  }
  return spans;
}
