import { BUTTON_CHOICES, type ButtonChoice } from '../../domain/alert/button.ts';
import {
  CHANNEL_EVENTS,
  type ChannelEvent,
  TOLD_EVENTS,
  type ToldEvent,
} from '../../domain/alert/channel.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, oneOf, someOf, text } from '../../lib/fields.ts';
import { readGiven, readInput } from '../dashboard/input.ts';
import type { JsonObject } from './body.ts';

/** Checks that one request assigns. */
export const MAX_ASSIGNED_CHECKS = 10_000;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const settingsField: Field<JsonObject> = {
  read: (value, name) => (isObject(value) ? value : new Fault(`${name} is not an object`)),
  schema: {
    type: 'object',
    description: 'The settings of the kind, by the schema that the list of kinds shows.',
  },
};

const eventsField = someOf(
  CHANNEL_EVENTS,
  'What it is told of. Each change of status, where this is left out.',
);

const buttonsField = oneOf(
  BUTTON_CHOICES,
  'What readers of a message about a check that is down can do at once, without signing in: acknowledge it and snooze it for an hour (`answer`), also pause it (`pause`), or nothing. `answer`, where this is left out. Kinds whose messages have no buttons refuse it.',
);

/** All checks, or their UUIDs: as an array, or as a text with commas, in which more of them fit into a request. */
export const checksField: Field<readonly string[] | 'all', string | readonly string[]> = {
  read(value, name) {
    if (value === '*') return 'all';
    const given = typeof value === 'string' ? value.split(',').filter((uuid) => uuid !== '') : value;
    if (!Array.isArray(given)) return new Fault(`${name} is neither "*" nor a list of UUIDs`);
    if (given.length > MAX_ASSIGNED_CHECKS) return new Fault(`${name} has too many items`);
    if (!given.every(isUuid)) return new Fault(`an item in '${name}' is not a UUID`);
    return given;
  },
  schema: {
    type: ['string', 'array'],
    items: { type: 'string', format: 'uuid' },
    maxItems: MAX_ASSIGNED_CHECKS,
    description:
      'The checks that it is assigned to: `*` for all, or their UUIDs, as an array or separated by commas.',
  },
};

const nameField = text({
  maxLength: TEXT_LIMITS.channelName,
  description: 'What its owner calls it; may be empty.',
});

export const NEW_CHANNEL_FIELDS = {
  kind: text({ description: 'One of the kinds that the list of kinds shows.' }),
  name: nameField,
  settings: settingsField,
  events: eventsField,
  buttons: buttonsField,
  checks: checksField,
};

export interface NewChannelInput {
  readonly kind: string;
  readonly name: string;
  readonly settings: JsonObject;
  readonly events?: readonly ChannelEvent[] | undefined;
  readonly buttons?: ButtonChoice | undefined;
  readonly checks?: readonly string[] | 'all' | undefined;
}

export function parseNewChannel(body: JsonObject): NewChannelInput {
  const { kind, settings } = readInput({ kind: NEW_CHANNEL_FIELDS.kind, settings: settingsField }, body);
  const { name = '', events, buttons, checks } = readGiven(NEW_CHANNEL_FIELDS, body);
  return { kind, settings, name, events, buttons, checks };
}

const { kind: _kind, ...EDIT_FIELDS } = NEW_CHANNEL_FIELDS;

/** Absent fields stay as they are. */
export const CHANNEL_EDIT_FIELDS = EDIT_FIELDS;

export interface ChannelEditInput {
  readonly name?: string | undefined;
  readonly settings?: JsonObject | undefined;
  readonly events?: readonly ChannelEvent[] | undefined;
  readonly buttons?: ButtonChoice | undefined;
  readonly checks?: readonly string[] | 'all' | undefined;
}

export function parseChannelEdit(body: JsonObject): ChannelEditInput {
  const { name, settings, events, buttons, checks } = readGiven(CHANNEL_EDIT_FIELDS, body);
  return { name, settings, events, buttons, checks };
}

export const PREVIEW_FIELDS = {
  event: oneOf(TOLD_EVENTS, 'What the message is about. The first, where this is left out.'),
  check: {
    read: (value: unknown, name: string) => (isUuid(value) ? value : new Fault(`${name} is not a UUID`)),
    schema: {
      type: 'string',
      format: 'uuid',
      description: 'The check that the message is about. One that is invented, where this is left out.',
    },
  } satisfies Field<string>,
};

export interface PreviewInput {
  readonly event?: ToldEvent | undefined;
  readonly check?: string | undefined;
}

export function parsePreview(body: JsonObject): PreviewInput {
  const { event, check } = readGiven(PREVIEW_FIELDS, body);
  return { event, check };
}

export const CONFIRMATION_FIELDS = {
  code: text({ maxLength: TEXT_LIMITS.confirmationCode, description: 'The code that the recipient got.' }),
};

export function parseConfirmationCode(body: JsonObject): string {
  return readInput(CONFIRMATION_FIELDS, body).code;
}

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
