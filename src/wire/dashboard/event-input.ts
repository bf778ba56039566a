import { AppError } from '../../domain/errors.ts';
import {
  EVENT_KINDS,
  type EventFilter,
  type EventKind,
  type EventPlace,
} from '../../domain/history/event-log.ts';
import { MAX_SEARCH } from './limits.ts';
import { readTime } from './query-input.ts';

const VIEWS = ['runs', 'signals'] as const;

/**
 * `kinds` are separated by commas; without them all are wanted. `start` and `end` are UNIX times, `q` is what to search for.
 * All that is given applies together.
 */
export function parseEventFilter(query: URLSearchParams): EventFilter {
  return {
    kinds: readKinds(query.get('kinds')),
    from: readTime(query, 'start'),
    before: readTime(query, 'end'),
    words: readWords(query.get('q') ?? ''),
    view: oneOf(query, 'view', VIEWS),
  };
}

/** The start of a page, as an earlier page gave it. */
export function parseEventPlace(text: string): EventPlace {
  const [n, createdAt, id, ...rest] = text
    .split('.')
    .map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : NaN));
  if (n === undefined || createdAt === undefined || id === undefined || rest.length > 0)
    throw strangeCursor();
  if (![n, createdAt, id].every(Number.isSafeInteger)) throw strangeCursor();
  return { n, flip: { createdAt, id } };
}

function strangeCursor(): AppError {
  return invalid('cursor', 'cursor is not one that was given out');
}

function readKinds(text: string | null): readonly EventKind[] {
  if (text === null) return EVENT_KINDS;
  return text
    .split(',')
    .filter((name) => name !== '')
    .map((name) => {
      const kind = EVENT_KINDS.find((one) => one === name);
      if (kind === undefined) throw invalid('kinds', `kinds are some of ${EVENT_KINDS.join(', ')}`);
      return kind;
    });
}

function readWords(text: string): string {
  if (text.length > MAX_SEARCH) throw invalid('q', `q is longer than ${MAX_SEARCH} characters`);
  return text.trim().toLowerCase();
}

/** The first of the values is the usual one. */
function oneOf<Name extends string>(
  query: URLSearchParams,
  field: string,
  names: readonly [Name, ...Name[]],
): Name {
  const text = query.get(field) ?? names[0];
  const found = names.find((name) => name === text);
  if (found === undefined) throw invalid(field, `${field} is none of ${names.join(', ')}`);
  return found;
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid_query', message, { field });
}
