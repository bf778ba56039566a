import type { Check } from '../../src/domain/check/check.ts';
import type { Span } from '../../src/domain/check/status.ts';
import { type Instant, seconds, toTemporal } from '../../src/lib/instant.ts';
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
