import { ADDRESS_FORMS, type AddressForm } from '../../domain/ping/ping-address.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { type Field, oneOf, refined, text } from '../../lib/fields.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { JsonObject } from '../api/body.ts';
import { readInput } from './input.ts';

/** The name of a project: one line that is not empty. */
export const projectNameField: Field<string> = refined(
  text({ maxLength: TEXT_LIMITS.projectName }),
  'name',
  (value) => oneLine(value) || null,
);

export function parseProjectName(body: JsonObject): { readonly name: string } {
  return readInput({ name: projectNameField }, body);
}

/** A name that somebody repeats. It is compared with a name that was read when it was given. */
export function parseTypedName(body: JsonObject): { readonly name: string } {
  return readInput({ name: text() }, body);
}

/** The UUID of the member to whom a project is offered. */
export function parseOffer(body: JsonObject): { readonly account: string } {
  return readInput({ account: text({ maxLength: 36 }) }, body);
}

/** What stands in the ping addresses that the project shows. */
export function parseAddressForm(body: JsonObject): AddressForm {
  return readInput({ form: oneOf(ADDRESS_FORMS, 'Form of ping addresses') }, body).form;
}
