import { OFF_REASONS } from '../../domain/channel.ts';
import { component, flag, instant, nullable, object, oneOf, text, uuid } from '../openapi/schema.ts';
import type { ChannelJson, ChannelRefJson } from './channel-output.ts';

const REF = {
  id: uuid('What `channels` of a check lists.'),
  name: text('What its owner calls it; may be empty.'),
  kind: text('How it notifies: `email`, `webhook`, …'),
};

export const CHANNEL_REF_SCHEMA = object<ChannelRefJson>(REF);

export const CHANNEL_SCHEMA = component(
  'Integration',
  object<ChannelJson>({
    ...REF,
    verified: flag('False while nobody has confirmed that the address is right: nothing is sent to it.'),
    disabled: flag('Whether it is off: nothing is sent to it until it is edited or switched on.'),
    disabled_reason: nullable(
      oneOf(
        OFF_REASONS,
        'Why it is off: the recipient has unsubscribed, mail was returned, its provider reported a complaint, the destination takes no more messages, or somebody switched it off. Null while it is on.',
      ),
    ),
    disabled_error: text('What the destination said when it was switched off for that; else empty.'),
    disabled_since: nullable(instant('Since when it is off; null while it is on, or where nobody knows.')),
    last_attempt: nullable(
      instant('When a message to it was last tried, tests included; null where none was.'),
    ),
    last_error: text('What that failed with; empty when it did not fail.'),
  }),
);
