import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { type Field, refined, text } from '../../lib/fields.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { readInput } from '../dashboard/input.ts';
import type { JsonObject } from './body.ts';

/** The name of a project: one line that is not empty. */
export const projectNameField: Field<string> = refined(
  text({ maxLength: TEXT_LIMITS.projectName }),
  'name',
  (value) => oneLine(value) || null,
);

export function parseProjectName(body: JsonObject): { readonly name: string } {
  return readInput({ name: projectNameField }, body);
}
