import { MAX_VIEW_QUERY } from '../../domain/saved-view.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { type Field, flag, refined, text } from '../../lib/fields.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { JsonObject } from '../api/body.ts';
import { readGiven, readInput } from './input.ts';

const nameField: Field<string> = refined(
  text({ maxLength: TEXT_LIMITS.viewName }),
  'name',
  (value) => oneLine(value).trim() || null,
);

/** The query of an address: characters that need no further escape. */
const queryField: Field<string> = refined(text({ maxLength: MAX_VIEW_QUERY }), 'query', (value) =>
  /^[\w%+&=.~*!'()-]*$/.test(value) ? value : null,
);

const sharedField = flag('Whether everybody in the project sees it.');

const FIELDS = { name: nameField, query: queryField, shared: sharedField };

interface ViewInput {
  readonly name: string;
  readonly query: string;
  readonly isShared: boolean;
}

export function parseView(body: JsonObject): ViewInput {
  const { shared: isShared, ...view } = readInput(FIELDS, body);
  return { ...view, isShared };
}

export function parseViewChange(body: JsonObject): Partial<ViewInput> {
  const { shared: isShared, ...change } = readGiven(FIELDS, body);
  return { ...change, ...(isShared !== undefined && { isShared }) };
}
