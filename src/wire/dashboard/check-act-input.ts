import { text } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { readGiven, readInput, uuidField } from './input.ts';

/** The project to which a check is copied. Absent: its own. */
export function parseCopy(body: JsonObject): { readonly project?: string } {
  return readGiven({ project: uuidField }, body);
}

/** The project to which a check is moved. */
export function parseMove(body: JsonObject): { readonly project: string } {
  return readInput({ project: uuidField }, body);
}

/** The name of the check, if somebody has typed it. */
export function parseDeletion(body: JsonObject): { readonly name?: string } {
  return readGiven({ name: text() }, body);
}
