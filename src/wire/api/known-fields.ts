import { AppError } from '../../domain/errors.ts';
import type { Fields, FieldValues } from '../../lib/fields.ts';
import { readGiven } from '../dashboard/input.ts';
import type { JsonObject } from './body.ts';

/** Reads a body that has these fields and no others: a misspelled name would silently mean what is left out. */
export function readKnownFields<F extends Fields>(
  fields: F,
  { api_key: _key, ...body }: JsonObject,
  of: string,
): FieldValues<F> {
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    throw new AppError(
      'invalid_field',
      `json validation error: ${of} has an unknown key ${JSON.stringify(unknown)}`,
    );
  return readGiven(fields, body);
}
