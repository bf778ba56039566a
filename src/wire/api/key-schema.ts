import { API_KEY_KINDS } from '../../domain/people/api-key.ts';
import type { Means } from '../../domain/people/audit.ts';
import {
  component,
  flag,
  instant,
  nullable,
  object,
  oneOf,
  type Properties,
  text,
  uuid,
} from '../openapi/schema.ts';
import { expiresField, NEW_KEY_FIELDS, ROTATION_FIELDS } from './key-input.ts';
import type { KeyJson, MadeKeyJson } from './key-output.ts';

const MEANS: readonly Means[] = [
  'session',
  'api_key',
  'account_token',
  'file',
  'import',
  'command',
  'link',
  'program',
];

const KEY_PROPERTIES: Properties<KeyJson> = {
  uuid: uuid('Names the key in addresses. It opens nothing.'),
  name: text('What it is for. Names need not be unique.'),
  kind: oneOf(API_KEY_KINDS, 'Whether it opens everything in the project, or only shows.'),
  key: text('Its first characters. The rest is masked.'),
  created: instant('When it was made.'),
  created_by: nullable(text('The e-mail address of whoever made it, if that is an account that exists.')),
  made_by: oneOf(MEANS, 'By which means it was made. What a file has made, the file makes again.'),
  expires: nullable(instant('From then on it is refused. Null: never.')),
  is_expired: flag('Whether it is refused already.'),
  last_used: nullable(instant('When it was last used, to a minute. Null: never.')),
  last_used_address: nullable(text('The address from which it was used.')),
};

export const KEY_SCHEMA = component('ApiKey', object<KeyJson>(KEY_PROPERTIES));

export const MADE_KEY_SCHEMA = component(
  'MadeApiKey',
  object<MadeKeyJson>({ ...KEY_PROPERTIES, secret: text('The key itself. It is never shown again.') }),
);

export const NEW_KEY_SCHEMA = {
  type: 'object',
  properties: {
    name: NEW_KEY_FIELDS.name.schema,
    kind: NEW_KEY_FIELDS.kind.schema,
    expires: expiresField.schema,
  },
  required: ['name', 'kind'],
};

export const ROTATION_SCHEMA = {
  type: 'object',
  properties: { overlap_hours: ROTATION_FIELDS.overlap_hours.schema, expires: expiresField.schema },
};
