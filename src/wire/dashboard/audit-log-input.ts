import { AppError } from '../../domain/errors.ts';
import type { ActFilter, ActPlace } from '../../domain/people/audit.ts';
import { readTime } from './query-input.ts';

/** Characters of a filter. No action, UUID or id is longer. */
const MAX_FILTER = 100;

/** Forms in which a log leaves the service. */
export const LOG_FORMATS = ['csv', 'jsonl'] as const;

export type LogFormat = (typeof LOG_FORMATS)[number];

/** `start` and `end` are UNIX times. All that is given applies together. */
export function parseActFilter(query: URLSearchParams): ActFilter {
  return {
    action: readText(query, 'action'),
    account: readText(query, 'account'),
    subject: readText(query, 'subject'),
    from: readTime(query, 'start'),
    before: readTime(query, 'end'),
  };
}

/** The place after which a page begins, as the page before it told. Null for the first page. */
export function parseCursor(query: URLSearchParams): ActPlace | null {
  const text = query.get('cursor');
  if (text === null || text === '') return null;
  const [, at, id] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  const place = { createdAt: Number(at), id: Number(id) };
  if (Number.isSafeInteger(place.createdAt) && Number.isSafeInteger(place.id)) return place;
  throw new AppError('invalid_query', 'cursor is not one that was given out', { field: 'cursor' });
}

export function parseLogFormat(query: URLSearchParams): LogFormat {
  const text = query.get('format') ?? 'csv';
  const format = LOG_FORMATS.find((one) => one === text);
  if (format !== undefined) return format;
  throw new AppError('invalid_query', `format is none of ${LOG_FORMATS.join(', ')}`, { field: 'format' });
}

function readText(query: URLSearchParams, name: string): string | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  if (text.length <= MAX_FILTER) return text;
  throw new AppError('invalid_query', `${name} is too long`, { field: name });
}
