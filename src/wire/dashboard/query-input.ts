import { AppError } from '../../domain/errors.ts';
import { type Instant, seconds } from '../../lib/instant.ts';

export const LATEST_SECOND = 10_000_000_000;

/** A UNIX time. Null if it is not given. */
export function readTime(query: URLSearchParams, name: string): Instant | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  const value = /^\d{1,11}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= LATEST_SECOND) return seconds(value);
  throw new AppError('invalid_query', `${name} is not a whole number from 0 to ${LATEST_SECOND}`, {
    field: name,
  });
}
