import { AppError } from '../../domain/errors.ts';
import { accountEmail } from '../../domain/people/email-address.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, type Fields, type FieldValues, flag, refined, text } from '../../lib/fields.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { JsonObject } from '../api/body.ts';
import { MAX_LISTED_UUIDS } from './limits.ts';

/** A field that may be left out. */
interface OptionalField<T, Sent = unknown> extends Field<T, Sent> {
  readonly isOptional: true;
}

type ValueOf<F> = F extends Field<infer T> ? T : never;
type SentOf<F> = F extends Field<infer T, infer Sent> ? (unknown extends Sent ? T : Sent) : never;
type OptionalNames<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalField<unknown> ? K : never;
}[keyof F];

/** All values of a table of fields. */
export type InputValues<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]>;
} & { readonly [K in OptionalNames<F>]?: ValueOf<F[K]> };

export type SentValues<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalNames<F>>]: SentOf<F[K]>;
} & { readonly [K in OptionalNames<F>]?: SentOf<F[K]> };

/** The input that pages send to an operation. */
export type SentTo<O> = O extends { readonly input?: infer F extends Fields } ? SentValues<F> : never;

export function optional<T, Sent>(field: Field<T, Sent>): OptionalField<T, Sent> {
  return { ...field, isOptional: true };
}

type AllOptional<F extends Fields> = { [K in keyof F]: OptionalField<ValueOf<F[K]>, SentOf<F[K]>> };

/** Makes every field optional. */
export function allOptional<F extends Fields>(fields: F): AllOptional<F> {
  const entries = Object.entries(fields).map(([name, field]) => [name, optional(field)]);
  // Each field has its name.
  return Object.fromEntries(entries) as AllOptional<F>;
}

/** Reads the fields of a form. The first fault names its field, so that the page can show it there. */
export function readInput<F extends Fields>(fields: F, body: JsonObject): InputValues<F> {
  for (const [name, field] of Object.entries(fields))
    if (!Object.hasOwn(body, name) && !('isOptional' in field)) throw missing(name);
  // All are there that have to be.
  return readGiven(fields, body) as InputValues<F>;
}

/** Reads the fields that the form has. */
export function readGiven<F extends Fields>(fields: F, body: JsonObject): FieldValues<F> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(body, name)) continue;
    const value = field.read(body[name], name);
    if (value instanceof Fault) throw new AppError('invalid_field', value.reason, { field: name });
    values[name] = value;
  }
  // Each value was read by the field of its name.
  return values as FieldValues<F>;
}

function missing(name: string): AppError {
  return new AppError('invalid_field', `${name} is missing`, { field: name });
}

/** An e-mail address, as accounts have it. */
export const emailField: Field<string> = refined(
  text({ maxLength: TEXT_LIMITS.emailAddress }),
  'e-mail address',
  accountEmail,
);

/** A password as somebody types it. Whether it may be chosen is another question. */
export const passwordField: Field<string> = text({ maxLength: TEXT_LIMITS.password });

/** Whether a new password revokes the tokens of the account. */
export const revokeTokensField: Field<boolean> = flag(
  'Whether the tokens of the account are revoked as well.',
);

/** The secret part of a link. */
export const tokenField: Field<string> = text({ maxLength: 100 });

/** The secret part of the link of an invitation. It may contain an address, sealed. */
export const invitationTokenField: Field<string> = text({ maxLength: 2_000 });

export const nameField: Field<string> = refined(
  text({ maxLength: TEXT_LIMITS.accountName }),
  'name',
  (value) => oneLine(value).trim(),
);

/** A code of an app, or a recovery code. */
export const codeField: Field<string> = text({ maxLength: 100 });

/** Sealed text that the page got from the server and sends back. */
export const sealedField: Field<string> = text({ maxLength: 2_000 });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const uuidField: Field<string> = refined(text({ maxLength: 36 }), 'UUID', (value) =>
  UUID.test(value) ? value : null,
);

/** UUIDs, each once. */
export const uuidListField: Field<string[], readonly string[]> = {
  read(value, name) {
    if (!Array.isArray(value)) return new Fault(`${name} is not a list`);
    if (value.length > MAX_LISTED_UUIDS)
      return new Fault(`${name} has more than ${MAX_LISTED_UUIDS} entries`);
    if (!value.every((item) => typeof item === 'string' && UUID.test(item)))
      return new Fault(`${name} has an entry that is no UUID`);
    return [...new Set<string>(value)];
  },
  schema: {},
};
