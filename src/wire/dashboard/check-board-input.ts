import { AppError } from '../../domain/errors.ts';

/** Rows that can be asked for by their keys at once. */
export const MAX_ASKED_ROWS = 200;

const KEY = /^[0-9a-f]{40}$/;

/** The unique keys of checks, separated by commas: `?checks=a,b`. Null if none are named. */
export function parseCheckKeys(query: URLSearchParams, most: number): string[] | null {
  const text = query.get('checks');
  if (text === null) return null;
  const keys = text === '' ? [] : text.split(',', most + 1);
  if (keys.length > most) throw refused(`checks names more than ${most}`);
  if (!keys.every((key) => KEY.test(key))) throw refused('checks are not unique keys');
  return keys;
}

/** The same where keys have to be named. */
export function requireCheckKeys(query: URLSearchParams, most: number): string[] {
  const keys = parseCheckKeys(query, most);
  if (keys === null) throw refused('checks is missing');
  return keys;
}

function refused(reason: string): AppError {
  return new AppError('invalid_query', reason, { field: 'checks' });
}
