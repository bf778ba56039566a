import { AppError } from '../../domain/errors.ts';
import { MAX_SNOOZE } from '../../domain/policy/outage.ts';
import { integer } from '../../lib/fields.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { JsonObject } from './body.ts';
import { readKnownFields } from './known-fields.ts';

/** The last second of the year 9999. */
const LATEST_SECOND = 253_402_300_799;

export const SNOOZE_FIELDS = {
  for: integer({ minimum: 1, maximum: MAX_SNOOZE / seconds(1), description: 'For how many seconds.' }),
  until: integer({
    minimum: 0,
    maximum: LATEST_SECOND,
    description: 'Until when, in seconds since 1970, where `for` is left out.',
  }),
};

/** For how long a check is snoozed. */
export function parseSnooze(body: JsonObject): { readonly for: Micros } | { readonly until: Instant } {
  const given = readKnownFields(SNOOZE_FIELDS, body, 'snooze');
  if (given.for !== undefined) return { for: seconds(given.for) };
  if (given.until !== undefined) return { until: seconds(given.until) };
  throw new AppError('invalid_field', 'for or until is missing', { field: 'for' });
}
