import { RULE_SCHEMAS } from '../../domain/policy/rules.ts';
import { component, flag, list, object, optional, type Schema, text, uuid } from '../openapi/schema.ts';
import type { AlertingJson, PolicyJson } from './policy-output.ts';

const IDENTITY = {
  uuid: uuid('What addresses name it by.'),
  name: text('Its name.'),
};

const named: Schema<PolicyJson> = {
  json: {
    ...RULE_SCHEMAS,
    properties: {
      ...Object.fromEntries(Object.entries(IDENTITY).map(([name, { json }]) => [name, json])),
      ...(RULE_SCHEMAS.properties as object),
    },
    required: ['uuid', 'name'],
    description: 'A policy: only the rules that are set are listed.',
  },
};

export const POLICY_SCHEMA = component('Policy', named);

export const ALERTING_SCHEMA = component(
  'Alerting',
  object<AlertingJson>({
    policy: text('The name of the policy of the project; `at-once` where it has none.'),
    tags: list(
      object<AlertingJson['tags'][number]>({
        tag: text('A tag.'),
        policy: text('The name of its policy; empty where it has none.'),
        as_one: optional(flag('Whether its checks are told of together. Only where they are.')),
      }),
      'Tags with something of their own, in the order in which they are looked for.',
    ),
  }),
);
