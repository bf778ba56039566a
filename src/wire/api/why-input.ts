import { TOLD_EVENTS, type ToldEvent } from '../../domain/alert/channel.ts';
import { AppError } from '../../domain/errors.ts';
import { MAX_AHEAD, type Supposition } from '../../domain/policy/supposition.ts';
import { integer } from '../../lib/fields.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { LATEST_SECOND, readWhole } from './flips.ts';

/** Clocks of askers differ, and `at` is a whole second. */
const TOLERATED = seconds(60);

/** When it is supposed to happen, where a body says it. */
export const SUPPOSED_AT = integer({
  minimum: 0,
  maximum: LATEST_SECOND,
  description: 'When, in seconds since 1970.',
});

/** What is supposed. Null: nothing. `at` is a UNIX time. */
export function parseSupposition(query: URLSearchParams, now: Instant): Supposition | null {
  const given = query.getAll('if').at(-1);
  const second = readWhole(query, 'at', LATEST_SECOND);
  if (given === undefined || given === '') return suppositionOf(null, second, now);
  const event = TOLD_EVENTS.find((one) => one === given);
  if (event === undefined)
    throw new AppError('invalid_query', `if is not one of ${TOLD_EVENTS.join(', ')}`, { field: 'if' });
  return suppositionOf(event, second, now);
}

/** `second` is a UNIX time. Null: now, or when it comes next. */
export function suppositionOf(
  event: ToldEvent | null,
  second: number | null,
  now: Instant,
): Supposition | null {
  if (event !== null) return { event, at: second === null ? null : ahead(seconds(second), now) };
  if (second === null) return null;
  throw new AppError('invalid_query', 'at needs if: what happens then', { field: 'at' });
}

function ahead(at: Instant, now: Instant): Instant {
  if (at < now - TOLERATED) throw new AppError('invalid_query', 'at is over', { field: 'at' });
  if (at > now + MAX_AHEAD)
    throw new AppError('invalid_query', 'at is more than 30 days ahead', { field: 'at' });
  return Math.max(at, now);
}
