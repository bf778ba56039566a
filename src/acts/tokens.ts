import { SCOPES, type Scope } from '../domain/people/permission.ts';
import { Fault, type Field, someOf } from '../lib/fields.ts';
import * as tokens from '../services/people/tokens.ts';
import { expiresField, keyNameField } from '../wire/api/key-input.ts';
import { optional, uuidField } from '../wire/dashboard/input.ts';
import { personAct } from './act.ts';

const anyScopes = someOf(SCOPES, 'What the token may do.');

const scopesField: Field<Scope[], readonly Scope[]> = {
  schema: anyScopes.schema,
  read(value, name) {
    const scopes = anyScopes.read(value, name);
    if (scopes instanceof Fault) return scopes;
    return scopes.length === 0 ? new Fault(`${name} is empty`) : [...new Set(scopes)];
  },
};

/** UUIDs. Null: all projects of the account. */
const projectsField: Field<string[] | null> = {
  read(value, name) {
    if (value === null) return null;
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    if (!isList || value.length === 0) return new Fault(`${name} is not an array of UUIDs`);
    return [...new Set(value)];
  },
  schema: {},
};

/** The token itself, which is never shown again. */
export const createToken = personAct({
  permission: 'tokens.edit',
  input: {
    name: keyNameField,
    scopes: scopesField,
    projects: optional(projectsField),
    expires: optional(expiresField),
  },
  run: async (
    deps,
    { person, client, input: { name, scopes, projects = null, expires: expiresAt = null } },
  ) => {
    const made = await tokens.createToken(deps, person, client, { name, scopes, projects, expiresAt });
    return { name: made.token.name, secret: made.secret };
  },
});

export const revokeToken = personAct({
  permission: 'tokens.revoke',
  input: { token: uuidField },
  run: (deps, { person, input }) => tokens.revokeToken(deps, person, input.token),
});
