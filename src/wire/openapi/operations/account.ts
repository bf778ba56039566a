import {
  ACCOUNT_PROJECT_SCHEMA,
  DELETED_PROJECT_SCHEMA,
  PROJECT_NAME_SCHEMA,
} from '../../api/account-project-schema.ts';
import { KEY_SCHEMA, MADE_KEY_SCHEMA, NEW_KEY_SCHEMA, ROTATION_SCHEMA } from '../../api/key-schema.ts';
import { ACCOUNT_PROJECT, API_KEY, DELETED_PROJECT, MADE_API_KEY, PING_KEY } from '../examples.ts';
import { type BodyDoc, errorReply, jsonReply, type OperationDoc, type ResponseDoc } from '../operation.ts';
import { list, nullable, object, text } from '../schema.ts';
import { UNREADABLE_BODY } from './checks.ts';

export const DONE: ResponseDoc = { description: 'Done. The answer has no body.' };

export const invalidBody = (...faults: string[]): ResponseDoc =>
  errorReply(
    'The body is not a JSON object, or a field in it is not valid. The first fault found is named.',
    ...UNREADABLE_BODY,
    ...faults,
  );

export const jsonBody = (
  description: string,
  schema: BodyDoc['schema'],
  examples: BodyDoc['examples'],
): BodyDoc => ({
  description,
  contentType: 'application/json',
  schema,
  examples,
});

export const listProjects: OperationDoc = {
  id: 'listProjects',
  group: 'Projects',
  summary: 'List projects',
  description: `The projects in which the account has a role, in order of creation. A token that is limited to some projects sees
those. Needs the scope \`projects.view\`.`,
  responses: {
    200: jsonReply('The projects.', object({ projects: list(ACCOUNT_PROJECT_SCHEMA) }).json, {
      'one project': { projects: [ACCOUNT_PROJECT] },
    }),
  },
};

export const getAccountProject: OperationDoc = {
  id: 'getAccountProject',
  group: 'Projects',
  summary: 'Get a project',
  description: 'Needs the scope `project.view`.',
  responses: {
    200: jsonReply('The project.', ACCOUNT_PROJECT_SCHEMA.json, { 'a project': ACCOUNT_PROJECT }),
  },
};

export const createProject: OperationDoc = {
  id: 'createProject',
  group: 'Projects',
  summary: 'Create a project',
  description: 'The account becomes its owner. Needs the scope `projects.edit`.',
  body: jsonBody('The project.', PROJECT_NAME_SCHEMA, { 'a project': { name: 'Backups' } }),
  responses: {
    201: jsonReply('The project.', ACCOUNT_PROJECT_SCHEMA.json, { 'a project': ACCOUNT_PROJECT }),
    400: invalidBody('name is missing', 'name is too long'),
    403: errorReply('The account owns as many projects as it can.', 'You have too many projects.'),
  },
};

export const renameProject: OperationDoc = {
  id: 'renameProject',
  group: 'Projects',
  summary: 'Rename a project',
  description: 'Needs the scope `project.edit`.',
  body: jsonBody('The new name.', PROJECT_NAME_SCHEMA, { 'a name': { name: 'Backups' } }),
  responses: {
    200: jsonReply('The project.', ACCOUNT_PROJECT_SCHEMA.json, { 'a project': ACCOUNT_PROJECT }),
    400: invalidBody('name is missing', 'name is too long'),
  },
};

export const deleteProject: OperationDoc = {
  id: 'deleteProject',
  group: 'Projects',
  summary: 'Delete a project',
  description: `Its owner can restore it for some days. Meanwhile its keys are refused, and nobody is notified of anything. Needs
the scope \`project.delete\`.`,
  responses: {
    200: jsonReply('Until when it can be restored.', DELETED_PROJECT_SCHEMA.json, {
      'a project': DELETED_PROJECT,
    }),
  },
};

export const restoreProject: OperationDoc = {
  id: 'restoreProject',
  group: 'Projects',
  summary: 'Restore a deleted project',
  description: 'Needs the scope `projects.edit`, and to be its owner.',
  body: jsonBody('Nothing is needed here.', { type: 'object' }, { nothing: {} }),
  responses: {
    200: jsonReply('The project.', ACCOUNT_PROJECT_SCHEMA.json, { 'a project': ACCOUNT_PROJECT }),
    400: invalidBody(),
  },
};

export const listKeys: OperationDoc = {
  id: 'listKeys',
  group: 'Projects',
  summary: 'List API keys',
  description: `The API keys of the project, in order of creation. The keys themselves are not shown. Needs the scope
\`keys.edit\`.`,
  responses: {
    200: jsonReply('The keys.', object({ keys: list(KEY_SCHEMA) }).json, { 'one key': { keys: [API_KEY] } }),
  },
};

const TOO_MANY_KEYS = errorReply('The project has as many keys as it can have.', 'key limit reached');
const NO_SUCH_KEY = errorReply('There is no such key in the project.', 'key not found');
const madeKey = (description: string): ResponseDoc =>
  jsonReply(description, MADE_KEY_SCHEMA.json, { 'a key': MADE_API_KEY });

export const createKey: OperationDoc = {
  id: 'createKey',
  group: 'Projects',
  summary: 'Create an API key',
  description: `The answer is the only one that has the key itself. Needs the scope \`keys.edit\`. A key can do more than that
scope: whoever may make keys may do all that a read-write key may.`,
  body: jsonBody('What the key is for.', NEW_KEY_SCHEMA, {
    'a key for Terraform': { name: 'Terraform', kind: 'read_write' },
    'a key until the end of the year': {
      name: 'Prometheus',
      kind: 'read_only',
      expires: '2026-12-31T23:59:59+00:00',
    },
  }),
  responses: {
    201: madeKey('The key.'),
    400: invalidBody('name is missing', 'kind has unexpected value', 'expires is not in the future'),
    403: TOO_MANY_KEYS,
  },
};

export const rotateKey: OperationDoc = {
  id: 'rotateKey',
  group: 'Projects',
  summary: 'Replace an API key',
  description: `Makes a key of the same kind and name. The old one stays valid for some hours, so that programs can be told of the
new one without a gap. Needs the scope \`keys.edit\`.`,
  body: jsonBody('How long both are valid.', ROTATION_SCHEMA, {
    'a day': {},
    'the old one is revoked at once': { overlap_hours: 0 },
  }),
  responses: {
    201: madeKey('The new key.'),
    400: invalidBody('overlap_hours is too large', 'expires is not in the future'),
    403: TOO_MANY_KEYS,
    404: NO_SUCH_KEY,
  },
};

export const revokeKey: OperationDoc = {
  id: 'revokeKey',
  group: 'Projects',
  summary: 'Revoke an API key',
  description: 'The key is refused from the next request on. Needs the scope `keys.edit`.',
  responses: { 204: DONE, 404: NO_SUCH_KEY },
};

export const getPingKey: OperationDoc = {
  id: 'getPingKey',
  group: 'Projects',
  summary: 'Get the ping key',
  description: `The part of ping addresses that stands before the slug; null if the project has none. Needs the scope
\`keys.edit\`.`,
  responses: {
    200: jsonReply('The ping key.', object({ ping_key: nullable(text('The ping key.')) }).json, {
      'a ping key': { ping_key: PING_KEY },
      none: { ping_key: null },
    }),
  },
};

export const replacePingKey: OperationDoc = {
  id: 'replacePingKey',
  group: 'Projects',
  summary: 'Make or replace the ping key',
  description: `Ping addresses with the key from before work no longer. Needs the scope \`keys.edit\`.`,
  body: jsonBody('Nothing is needed here.', { type: 'object' }, { nothing: {} }),
  responses: {
    201: jsonReply('The new ping key.', object({ ping_key: text('The ping key.') }).json, {
      'a ping key': { ping_key: PING_KEY },
    }),
    400: invalidBody(),
  },
};

export const revokePingKey: OperationDoc = {
  id: 'revokePingKey',
  group: 'Projects',
  summary: 'Take the ping key away',
  description: 'Addresses with slugs work no longer. Needs the scope `keys.edit`.',
  responses: { 204: DONE, 404: errorReply('The project has no ping key.', 'key not found') },
};
