import { AppError } from '../../domain/errors.ts';
import type { Window } from '../../domain/history/timeline.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { readTime } from './query-input.ts';

const HOUR = 3_600;
/** The time that a timeline may show, in seconds. */
export const MIN_TIMELINE_SECONDS = 6 * HOUR;
export const MAX_TIMELINE_SECONDS = 7 * 24 * HOUR;
/** How far ahead it may look. */
const MAX_AHEAD_SECONDS = MAX_TIMELINE_SECONDS;

/** `?from=…&until=…`, in UNIX time. */
export function parseTimelineWindow(query: URLSearchParams, now: Instant): Window {
  const from = readTime(query, 'from');
  const until = readTime(query, 'until');
  if (from === null || until === null) throw refused('from and until are missing');
  const length = until - from;
  if (length < seconds(MIN_TIMELINE_SECONDS) || length > seconds(MAX_TIMELINE_SECONDS))
    throw refused('from and until are 6 hours to 7 days apart');
  if (until > now + seconds(MAX_AHEAD_SECONDS)) throw refused('until is more than 7 days ahead');
  return { from, until };
}

function refused(reason: string): AppError {
  return new AppError('invalid_query', reason, { field: 'from' });
}
