import { canonicalTimezone } from '../../domain/schedule/timezone.ts';
import type { Field } from '../../lib/fields.ts';
import { type InputValues, nameField, optional } from './input.ts';

/** The zone of the browser. Null if it is not known here: a browser may know others. */
const browserZoneField: Field<string | null, string> = {
  read: (value) => (typeof value === 'string' ? canonicalTimezone(value) : null),
  schema: {},
};

export const NEW_PROFILE = { name: optional(nameField), tz: optional(browserZoneField) };

export function newProfile({ name = '', tz = null }: InputValues<typeof NEW_PROFILE>) {
  return { name, tz };
}
