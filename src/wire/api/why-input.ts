import { TOLD_EVENTS } from '../../domain/alert/channel.ts';
import { AppError } from '../../domain/errors.ts';
import { MAX_AHEAD, type Supposition } from '../../domain/policy/supposition.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { LATEST_SECOND, readWhole } from './flips.ts';

/** Clocks of askers differ, and `at` is a whole second. */
const TOLERATED = seconds(60);

/** What is supposed. Null: nothing. `at` is a UNIX time. */
export function parseSupposition(query: URLSearchParams, now: Instant): Supposition | null {
  const given = query.getAll('if').at(-1);
  const second = readWhole(query, 'at', LATEST_SECOND);
  if (given === undefined || given === '') {
    if (second !== null)
      throw new AppError('invalid_query', 'at needs if: what happens then', { field: 'at' });
    return null;
  }
  const event = TOLD_EVENTS.find((one) => one === given);
  if (event === undefined)
    throw new AppError('invalid_query', `if is not one of ${TOLD_EVENTS.join(', ')}`, { field: 'if' });
  return { event, at: second === null ? null : ahead(seconds(second), now) };
}

function ahead(at: Instant, now: Instant): Instant {
  if (at < now - TOLERATED) throw new AppError('invalid_query', 'at is over', { field: 'at' });
  if (at > now + MAX_AHEAD)
    throw new AppError('invalid_query', 'at is more than 30 days ahead', { field: 'at' });
  return Math.max(at, now);
}
