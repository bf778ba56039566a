import { OFF_REASONS } from '../../domain/alert/channel.ts';
import {
  component,
  flag,
  instant,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from '../openapi/schema.ts';
import { CHANNEL_REF_SCHEMA } from './channel-schema.ts';
import type { DeliveryJson, TestMessageJson } from './delivery-output.ts';
import { MESSAGE_EVENT, TOLD_BECAUSE } from './telling-schema.ts';

const ATTEMPT_SCHEMA = object<DeliveryJson['attempts'][number]>({
  n: integer('Its number within the notification, counted from 1.', { minimum: 1 }),
  date: instant('When it began, to the microsecond.'),
  duration: number('Seconds that it took.', { minimum: 0 }),
  error: text('Why it failed; empty when it did not.'),
});

export const DELIVERY_STATE = oneOf(
  ['open', 'delivered', 'given_up', 'skipped'],
  '`open` until the provider took it, or there was no point in trying any longer; `skipped` when it was not sent because the integration was off.',
);

export const DELIVERY_SCHEMA = component(
  'Delivery',
  object<DeliveryJson>({
    id: uuid('What providers know the notification by; the same over all its tries.'),
    channel: CHANNEL_REF_SCHEMA,
    status: oneOf(['up', 'down'], 'The news: whether the check went down or came up.'),
    state: DELIVERY_STATE,
    created: instant('When the change was noticed, and there was something to tell.'),
    finished: nullable(instant('When it was delivered, given up or skipped; null while it is open.')),
    next_attempt: nullable(
      instant(
        'When it is tried next; null once it is over. While a try is under way: when another one would be made if nothing more were heard of it.',
      ),
    ),
    error: text('What the last try failed with, or why it was skipped; else empty.'),
    attempts: list(ATTEMPT_SCHEMA, 'The tries that have ended, oldest first.'),
    event: optional(MESSAGE_EVENT),
    because: optional(TOLD_BECAUSE),
  }),
);

export const TEST_MESSAGE_SCHEMA = component(
  'TestMessage',
  object<TestMessageJson>({
    ok: flag('Whether the provider took the message.'),
    error: optional(text('Why it did not. Only when `ok` is false.')),
    disabled: optional(
      flag('The integration is off: nothing but tests is sent to it. Absent while it is on.'),
    ),
    disabled_reason: optional(oneOf(OFF_REASONS, 'Why it is off. Absent while it is on.')),
    request: optional(text('What was sent, and where to. Absent where nothing was.')),
    answer: optional(text('What the provider answered, without secrets. Absent where it was not asked.')),
  }),
);
