import { TOLD_EVENTS } from '../../domain/alert/channel.ts';
import { GATES, WITHHELD_REASONS } from '../../domain/policy/reasons.ts';
import {
  component,
  flag,
  instant,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../openapi/schema.ts';
import { CHANNEL_REF_SCHEMA } from './channel-schema.ts';
import { DELIVERY_STATE } from './delivery-schema.ts';
import { MESSAGE_EVENT, TOLD_BECAUSE } from './telling-schema.ts';
import type { WhyJson, WhyMessageJson, WhyToldJson, WithheldJson } from './why-output.ts';

const messageFields = (when: string) => ({
  at: instant(when),
  channel: CHANNEL_REF_SCHEMA,
  status: oneOf(['up', 'down'], 'Whether it tells of the beginning of an outage or of its end.'),
  event: MESSAGE_EVENT,
  because: TOLD_BECAUSE,
});

const TOLD_SCHEMA = object<WhyToldJson>({ ...messageFields('When it was queued.'), state: DELIVERY_STATE });

const WITHHELD_SCHEMA = object<WithheldJson>({
  channel: CHANNEL_REF_SCHEMA,
  because: oneOf(
    WITHHELD_REASONS,
    'Why: it is `not_assigned`, does not want the event, is `off` or `unverified`, is outside its hours (`channel_hours`), was told already, has an open message, was reminded as often as the policy says (`again_limit`), or a gate is shut.',
  ),
  says: text('The same in words.'),
  until: nullable(instant('When that ends. Null: it does not end by itself, or nobody knows.')),
});

export const WHY_SCHEMA = component(
  'Why',
  object<WhyJson>({
    status: oneOf(['new', 'up', 'grace', 'down', 'paused'], 'The status of the check now.'),
    cause: nullable(
      text(
        'While it is down, why: `missed`, `overran`, `failed` or the name of a rule. Null where nobody knows.',
      ),
    ),
    since: nullable(instant('Since when it is so.')),
    if: optional(
      object({
        event: oneOf(TOLD_EVENTS, 'What is supposed.'),
        at: instant('When it would happen.'),
      }),
    ),
    policy: object({
      name: text('The policy that counts. `at-once`: none.'),
      because: text('What has chosen it: `check`, `tag …`, `project` or, if nothing has, `default`.'),
    }),
    asks_again: nullable(instant('When it is decided anew. Null: when something happens.')),
    gates: list(
      object({
        gate: oneOf(GATES, 'Its name.'),
        open: flag('Whether it lets the outage be told. The first that does not names the reason.'),
        says: text('The same in words.'),
        until: nullable(instant('When a shut one opens, or is asked again. Null: nobody knows.')),
      }),
      'What can keep an outage from being told, in the order in which it is asked. Empty if there is none.',
    ),
    told: list(TOLD_SCHEMA, 'The messages about the outage so far, oldest first.'),
    waits: list(WITHHELD_SCHEMA, 'Integrations that wait for their hours.'),
    would_tell: list(
      object<WhyMessageJson>(messageFields('When it would be queued.')),
      'The messages to come if nothing else happens, in order.',
    ),
    not_told: list(
      WITHHELD_SCHEMA,
      'The other integrations of the project, to which no message comes. Empty if there is nothing to tell.',
    ),
  }),
);
