import { readFileSync } from 'node:fs';
import { fromTemporal, type Instant, toTemporal } from '../../lib/instant.ts';
import { nextOccurrence } from './schedule.ts';
import { TIMEZONE_NAMES } from './timezone-names.ts';

/** An instant from text: `2024-03-31T01:00Z`, `2021-03-28T04:00+03:00`. */
export function at(text: string): Instant {
  return fromTemporal(Temporal.Instant.from(text));
}

/** `2024-03-31T01:00:00Z`. */
export function inUtc(instant: Instant): string {
  return toTemporal(instant).toString();
}

/** Up to `count` occurrences after `from`, one after the other. */
export function upcoming(expression: string, tz: string, from: string, count: number): string[] {
  const found: string[] = [];
  let last: Instant | null = at(from);
  while (found.length < count) {
    last = nextOccurrence(expression, tz, last);
    if (last === null) break;
    found.push(inUtc(last));
  }
  return found;
}

/** Upcoming runs as wall times with their offset: `2021-03-28T04:00+03:00`. */
export function upcomingLocal(expression: string, tz: string, from: string, count: number): string[] {
  return upcoming(expression, tz, from, count).map((text) =>
    Temporal.Instant.from(text)
      .toZonedDateTimeISO(tz)
      .toString({ timeZoneName: 'never', smallestUnit: text.endsWith(':00Z') ? 'minute' : 'second' }),
  );
}

export interface ClockChange {
  readonly zone: string;
  readonly at: Instant;
  /** The jump of the clocks: negative when an hour repeats. */
  readonly seconds: number;
}

/** Every change of the clocks in the accepted zones between two instants. */
export function clockChanges(from: string, until: string): ClockChange[] {
  const end = Temporal.Instant.from(until);
  const changes: ClockChange[] = [];
  for (const zone of TIMEZONE_NAMES) {
    let before = Temporal.Instant.from(from).toZonedDateTimeISO(zone);
    for (;;) {
      const after = before.getTimeZoneTransition('next');
      if (after === null || Temporal.Instant.compare(after.toInstant(), end) > 0) break;
      const seconds = (after.offsetNanoseconds - before.offsetNanoseconds) / 1e9;
      changes.push({ zone, at: fromTemporal(after.toInstant()), seconds });
      before = after;
    }
  }
  return changes;
}

/** The lines of a file in test/vectors, each read as JSON. */
export function readVectors<Row>(file: string): Row[] {
  const url = new URL(`../../../test/vectors/${file}`, import.meta.url);
  return readFileSync(url, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Row => JSON.parse(line));
}
