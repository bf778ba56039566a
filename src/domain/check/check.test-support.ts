import { fromTemporal, type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { type Check, newCheck } from './check.ts';
import { DEFAULT_CONFIG } from './settings.ts';
import { deadlineOf } from './status.ts';

export const MINUTE: Micros = seconds(60);
export const HOUR: Micros = 60 * MINUTE;
export const DAY: Micros = 24 * HOUR;

/** An instant from text: `2024-03-31T01:00Z`. */
export function at(text: string): Instant {
  return fromTemporal(Temporal.Instant.from(text));
}

/** The moment at which most tests take place. */
export const NOW: Instant = at('2024-03-01T12:00Z');

/** A simple check with a period of a day and a grace of an hour, unless told otherwise; its deadline fits. */
export function aCheck(overrides: Partial<Check> = {}): Check {
  const identity = {
    uuid: '31365bce-8da9-4729-8ff3-aaa71d56b712',
    badgeKey: '0d9ad3b1-4b0a-4a0e-8d3a-6a3b7f2f9a11',
    projectId: 1,
    createdAt: NOW - 30 * DAY,
  };
  const check = { id: 1, ...newCheck(DEFAULT_CONFIG, identity), ...overrides };
  return { ...check, deadlineAt: deadlineOf(check) };
}
