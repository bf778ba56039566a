import { SCOPES, type Scope } from '../../domain/people/permission.ts';
import { Fault, type Field, someOf } from '../../lib/fields.ts';
import type { Instant } from '../../lib/instant.ts';
import type { JsonObject } from '../api/body.ts';
import { expiryOf, keyNameField } from '../api/key-input.ts';
import { readGiven, readInput } from './input.ts';

const anyScopes = someOf(SCOPES, 'What the token may do.');

const scopesField: Field<Scope[]> = {
  ...anyScopes,
  read(value, name) {
    const scopes = anyScopes.read(value, name);
    if (scopes instanceof Fault) return scopes;
    return scopes.length === 0 ? new Fault(`${name} is empty`) : [...new Set(scopes)];
  },
};

const projectsField: Field<string[] | null> = {
  read(value, name) {
    if (value === null) return null;
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    if (!isList || value.length === 0) return new Fault(`${name} is not an array of UUIDs`);
    return [...new Set(value)];
  },
  schema: { type: ['array', 'null'], items: { type: 'string', format: 'uuid' } },
};

export interface NewTokenInput {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null: all projects of the account. */
  readonly projects: readonly string[] | null;
  readonly expiresAt: Instant | null;
}

export function parseNewToken(body: JsonObject): NewTokenInput {
  const { projects = null } = readGiven({ projects: projectsField }, body);
  return {
    ...readInput({ name: keyNameField, scopes: scopesField }, body),
    projects,
    expiresAt: expiryOf(body),
  };
}
