import { RULE_SCHEMAS } from '../../../domain/policy/rules.ts';
import { KEY_IN_BODY } from '../../api/check-schema.ts';
import { ALERTING_FIELDS, POLICY_NAME_FIELD } from '../../api/policy-input.ts';
import { ALERTING_SCHEMA, POLICY_SCHEMA } from '../../api/policy-schema.ts';
import { type BodyDoc, errorReply, jsonReply, type OperationDoc } from '../operation.ts';
import { list, object } from '../schema.ts';
import { UNREADABLE_BODY } from './checks.ts';

const UUID = '5c6e2f3a-6a0e-4f0c-9a3b-0f6f2c1d7e55';
const CHANNEL = '4ec5a071-2d08-4baa-898a-eb4eb3cd6941';
/** A literal with this key looks like a promise to a linter. */
const then = (...tell: string[]) => Object.fromEntries([['then', [{ after: 1800, tell }]]]);
const NIGHT = { uuid: UUID, name: 'night', wait: 900, again: 3600, ...then(CHANNEL) };
const ALERTING = { policy: 'patient', tags: [{ tag: 'db', policy: 'night' }] };

const NO_SUCH_POLICY = errorReply('There is no such policy.', 'policy not found');
const WRONG_FIELD = errorReply(
  'The body is not a JSON object, or a field in it is not valid. The first fault found is named.',
  ...UNREADABLE_BODY,
  'json validation error: policy.again is too small',
  'json validation error: policy has an unknown key "agian"',
  'invalid channel identifier: Phone',
);
const NAME_TAKEN = errorReply('Another policy of the project has the name.', 'another policy has this name');

function body(properties: object, required: readonly string[], examples: BodyDoc['examples']): BodyDoc {
  return {
    description: 'What is to be set.',
    contentType: 'application/json',
    schema: {
      type: 'object',
      properties: { api_key: KEY_IN_BODY, ...properties },
      ...(required.length > 0 && { required }),
    },
    examples,
  };
}

const POLICY_PROPERTIES = { name: POLICY_NAME_FIELD.schema, ...(RULE_SCHEMAS.properties as object) };

/** In a change, null removes a rule. */
const CHANGED_PROPERTIES = {
  name: POLICY_NAME_FIELD.schema,
  ...Object.fromEntries(
    Object.entries(RULE_SCHEMAS.properties as Record<string, { readonly type: string }>).map(
      ([name, schema]) => [name, { ...schema, type: [schema.type, 'null'] }],
    ),
  ),
};

const ONE = jsonReply('The policy.', POLICY_SCHEMA.json, { 'a policy': NIGHT });

export const listPolicies: OperationDoc = {
  id: 'listPolicies',
  group: 'Policies',
  summary: 'List policies',
  description: 'The policies of the project, in the order of their creation.',
  responses: {
    200: jsonReply('The policies.', object({ policies: list(POLICY_SCHEMA) }).json, {
      'one policy': { policies: [NIGHT] },
    }),
  },
};

export const createPolicy: OperationDoc = {
  id: 'createPolicy',
  group: 'Policies',
  summary: 'Create a policy',
  description: `Adds a policy to the project. It counts once the project or a tag refers to it, see *Say how outages are told*.
Integrations in \`then\` are named by UUID or exact name, and shown by UUID.`,
  body: body(POLICY_PROPERTIES, ['name'], {
    'for nights': { name: 'night', wait: 900, again: 3600, ...then('Phone') },
  }),
  responses: {
    201: ONE,
    400: WRONG_FIELD,
    403: errorReply('The project has as many policies as it can have.', 'policy limit reached'),
    409: NAME_TAKEN,
  },
};

export const getPolicy: OperationDoc = {
  id: 'getPolicy',
  group: 'Policies',
  summary: 'Get a policy',
  description: 'The policy with its rules.',
  responses: { 200: ONE, 404: NO_SUCH_POLICY },
};

export const updatePolicy: OperationDoc = {
  id: 'updatePolicy',
  group: 'Policies',
  summary: 'Change a policy',
  description: `Rules that are left out stay as they are; \`null\` removes one. Outages that are open follow the new rules from
now on: what they would have told by now is told at once, and steps that were done are not repeated.`,
  body: body(CHANGED_PROPERTIES, [], { 'no repeats': { again: null } }),
  responses: { 200: ONE, 400: WRONG_FIELD, 404: NO_SUCH_POLICY, 409: NAME_TAKEN },
};

export const deletePolicy: OperationDoc = {
  id: 'deletePolicy',
  group: 'Policies',
  summary: 'Delete a policy',
  description:
    'A policy that is in use is refused. With `force=1` it is deleted, and what used it is told at once.',
  query: {
    force: {
      description: '1: also if it is in use.',
      schema: { type: 'string' },
      example: '1',
    },
  },
  responses: {
    200: ONE,
    404: NO_SUCH_POLICY,
    409: errorReply('The policy is in use.', 'policy is in use: the project, tag db'),
  },
};

export const getAlerting: OperationDoc = {
  id: 'getAlerting',
  group: 'Policies',
  summary: 'Get how outages are told',
  description: 'The policy of the project, and the tags that have policies of their own.',
  responses: { 200: jsonReply('How outages are told.', ALERTING_SCHEMA.json, { 'one tag': ALERTING }) },
};

export const setAlerting: OperationDoc = {
  id: 'setAlerting',
  group: 'Policies',
  summary: 'Say how outages are told',
  description: `Replaces all of it. For a check counts the policy of the first tag in the list that the check has, else that
of the project. Without one, outages are told at once. Outages that are open follow from now on.`,
  body: body(
    Object.fromEntries(Object.entries(ALERTING_FIELDS).map(([name, { schema }]) => [name, schema])),
    [],
    { 'one tag': ALERTING },
  ),
  responses: {
    200: jsonReply('How outages are told.', ALERTING_SCHEMA.json, { 'one tag': ALERTING }),
    400: errorReply(
      'The body is not a JSON object, or a field in it is not valid. The first fault found is named.',
      ...UNREADABLE_BODY,
      'json validation error: invalid policy: nihgt',
    ),
    403: errorReply('The project has as many policies as it can have.', 'policy limit reached'),
  },
};
