import { Fault, type Field, text } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { optional, readGiven, readInput } from './input.ts';
import { MAX_SHOWN } from './limits.ts';

/** A view that a page shows while somebody acts. */
export interface ShownView {
  readonly view: string;
  /** The UUID of the project, for a view of a project. */
  readonly project?: string;
  /** The UUID or the unique key of the check, for a view of a check. */
  readonly check?: string;
  readonly input: JsonObject;
}

const NAMED = {
  view: text({ maxLength: 100 }),
  project: optional(text({ maxLength: 100 })),
  check: optional(text({ maxLength: 100 })),
};

const objects: Field<readonly JsonObject[]> = {
  read(value, name) {
    if (!Array.isArray(value) || !value.every(isObject)) return new Fault(`${name} is not a list of objects`);
    return value.length > MAX_SHOWN ? new Fault(`${name} has more than ${MAX_SHOWN} entries`) : value;
  },
  schema: {},
};

/** The views that the page wants to be read after the act. Null if it asks for none. */
export function parseShown(body: JsonObject): readonly ShownView[] | null {
  const { shown } = readGiven({ shown: objects }, body);
  return (
    shown?.map((one) => ({ ...readInput(NAMED, one), input: isObject(one.input) ? one.input : {} })) ?? null
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
