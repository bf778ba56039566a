import { BUTTON_CHOICES } from '../../domain/alert/button.ts';
import { CHANNEL_EVENTS, OFF_REASONS } from '../../domain/alert/channel.ts';
import {
  allOptional,
  component,
  flag,
  instant,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
  uuid,
} from '../openapi/schema.ts';
import type {
  ChannelDetailsJson,
  ChannelJson,
  ChannelRefJson,
  ChannelStateJson,
  KindJson,
  ListedChannelJson,
  PreviewJson,
} from './channel-output.ts';

const REF = {
  id: uuid('What `channels` of a check lists.'),
  name: text('What its owner calls it; may be empty.'),
  kind: text('How it notifies: `email`, `webhook`, …'),
};

export const CHANNEL_REF_SCHEMA = object<ChannelRefJson>(REF);

const STATE = {
  verified: flag(
    'False while its recipient has not confirmed that messages are wanted: nothing else is sent to it.',
  ),
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
};

const CHANNEL = { ...REF, ...STATE };

export const LISTED_CHANNEL_SCHEMA = component(
  'ListedIntegration',
  object<ListedChannelJson>({ ...REF, ...allOptional<ChannelStateJson>(STATE) }),
);

export const CHANNEL_SCHEMA = component('Integration', object<ChannelJson>(CHANNEL));

const anything = (description: string): Schema<Record<string, unknown>> => ({
  json: { type: 'object', description },
});

export const CHANNEL_DETAILS_SCHEMA = component(
  'IntegrationDetails',
  object<ChannelDetailsJson>({
    ...CHANNEL,
    health: oneOf(
      ['delivering', 'waiting', 'failing', 'unconfirmed', 'disabled'],
      'Whether messages arrive: the last one did, none was sent yet, the last one did not, nobody has confirmed the address, or it is off.',
    ),
    failing_since: nullable(instant('When the first message failed since the last one that arrived.')),
    events: list(oneOf(CHANNEL_EVENTS, 'An event.'), 'What it is told of.'),
    settings: anything('Its settings. Secret parts are masked; a masked value that is sent back keeps them.'),
    buttons: oneOf(
      BUTTON_CHOICES,
      'What readers of a message about a check that is down can do at once: acknowledge it and snooze it for an hour, also pause it, or nothing.',
    ),
  }),
);

export const KIND_SCHEMA = component(
  'IntegrationKind',
  object<KindJson>({
    kind: text('Its name in requests.'),
    label: text('Its name for people.'),
    category: text('The group in which people look for it.'),
    description: text('A sentence about it.'),
    offered: flag('Whether this instance can send messages of the kind.'),
    missing: nullable(
      text(
        'All settings of the operator that are missing, with commas between them; null where it is offered.',
      ),
    ),
    needs_confirmation: flag('Whether the recipient has to confirm that messages are wanted.'),
    confirmed_by: nullable(
      oneOf(
        ['link', 'code'],
        'How the recipient does that: by a link in a mail, or by a code that somebody hands in. Null where nobody has to.',
      ),
    ),
    settings: anything('The JSON Schema of its settings.'),
    secrets: list(text('A name.'), 'The settings that are never shown.'),
    connected_only: list(
      text('A name.'),
      'The settings that no request can give or change: the provider names them when somebody connects the integration in the dashboard, or the operator in a file.',
    ),
    example: anything('Settings that are valid.'),
  }),
);

export const PREVIEW_SCHEMA = component(
  'MessagePreview',
  object<PreviewJson>({
    requests: list(
      object<PreviewJson['requests'][number]>({
        method: text('The method.'),
        url: text('The address, with its secret parts masked.'),
        headers: mapOf(text('A value.'), 'The headers, with their secrets masked.'),
        body: text('The body; empty where there is none.'),
      }),
      'The requests, one after the other.',
    ),
    mails: list(
      object<PreviewJson['mails'][number]>({
        to: text('The recipient.'),
        subject: text('The subject.'),
        text: text('The part in plain text.'),
      }),
      'The mails.',
    ),
    channels: list(uuid('An integration.'), 'The integrations that would send it instead.'),
    error: text('Why nothing would be sent; else empty.'),
  }),
);
