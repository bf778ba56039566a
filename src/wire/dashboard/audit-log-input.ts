import { AppError } from '../../domain/errors.ts';
import type { ActFilter, ActPlace } from '../../domain/people/audit.ts';
import { Fault, type Field, integer, text } from '../../lib/fields.ts';
import { MAX_ACT_FILTER } from './limits.ts';
import { LATEST_SECOND, readTime } from './query-input.ts';

/** Forms in which a log leaves the service. */
export const LOG_FORMATS = ['csv', 'jsonl'] as const;

export type LogFormat = (typeof LOG_FORMATS)[number];

/** `start` and `end` are UNIX times. All that is given applies together. */
export function parseActFilter(query: URLSearchParams): ActFilter {
  return {
    action: readText(query, 'action'),
    account: readText(query, 'account'),
    subject: readText(query, 'subject'),
    search: readText(query, 'search'),
    from: readTime(query, 'start'),
    before: readTime(query, 'end'),
  };
}

/** The text of a filter. */
export const actTextField = text({ maxLength: MAX_ACT_FILTER });

/** A UNIX time. */
export const secondField = integer({ minimum: 0, maximum: LATEST_SECOND });

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
  if (given.length <= MAX_ACT_FILTER) return given;
  throw new AppError('invalid_query', `${name} is too long`, { field: name });
}
