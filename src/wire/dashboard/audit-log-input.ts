import { AppError } from '../../domain/errors.ts';
import type { ActFilter, ActPlace } from '../../domain/people/audit.ts';
import { Fault, type Field, text } from '../../lib/fields.ts';
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

/** The text of a filter. */
export const actTextField = text({ maxLength: MAX_FILTER });

/** The place after which a page begins, as the page before it told. Empty for the first page. */
export const cursorField: Field<ActPlace | null, string> = {
  read(value, name) {
    if (value === '') return null;
    const [, at, id] = (typeof value === 'string' && /^(\d{1,16})\.(\d{1,16})$/.exec(value)) || [];
    const place = { createdAt: Number(at), id: Number(id) };
    if (Number.isSafeInteger(place.createdAt) && Number.isSafeInteger(place.id)) return place;
    return new Fault(`${name} is not one that was given out`);
  },
  schema: {},
};

export function parseLogFormat(query: URLSearchParams): LogFormat {
  const given = query.get('format') ?? 'csv';
  const format = LOG_FORMATS.find((one) => one === given);
  if (format !== undefined) return format;
  throw new AppError('invalid_query', `format is none of ${LOG_FORMATS.join(', ')}`, { field: 'format' });
}

function readText(query: URLSearchParams, name: string): string | null {
  const given = query.get(name);
  if (given === null || given === '') return null;
  if (given.length <= MAX_FILTER) return given;
  throw new AppError('invalid_query', `${name} is too long`, { field: name });
}
