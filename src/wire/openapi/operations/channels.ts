import {
  CHANNEL_EDIT_FIELDS,
  CONFIRMATION_FIELDS,
  NEW_CHANNEL_FIELDS,
  PREVIEW_FIELDS,
} from '../../api/channel-input.ts';
import {
  CHANNEL_DETAILS_SCHEMA,
  CHANNEL_SCHEMA,
  KIND_SCHEMA,
  LISTED_CHANNEL_SCHEMA,
  PREVIEW_SCHEMA,
} from '../../api/channel-schema.ts';
import { KEY_IN_BODY } from '../../api/check-schema.ts';
import { TEST_MESSAGE_SCHEMA } from '../../api/delivery-schema.ts';
import {
  CHANNEL_DETAILS,
  CHANNEL_KINDS,
  CHANNELS,
  DISABLED_CHANNEL,
  ENABLED_CHANNEL,
  MESSAGE_PREVIEW,
  NEW_CHANNEL,
  REFUSED_TEST_MESSAGE,
  TEST_MESSAGE,
  TEST_MESSAGE_TO_DISABLED,
} from '../examples.ts';
import { type BodyDoc, errorReply, jsonReply, type OperationDoc } from '../operation.ts';
import { list, object } from '../schema.ts';
import { NOTHING_TO_SAY, UNREADABLE_BODY } from './checks.ts';

const OF_ANOTHER = errorReply('The integration belongs to another project.', 'access denied');
const NO_SUCH_CHANNEL = errorReply('There is no such integration.', 'channel not found');

type Described = Readonly<Record<string, { readonly schema: Readonly<Record<string, unknown>> }>>;

function bodyOf(fields: Described, required: readonly string[], examples: BodyDoc['examples']): BodyDoc {
  const properties = Object.entries(fields).map(([name, { schema }]) => [name, schema]);
  return {
    description: 'What is to be set.',
    contentType: 'application/json',
    schema: {
      type: 'object',
      properties: { api_key: KEY_IN_BODY, ...Object.fromEntries(properties) },
      ...(required.length > 0 && { required }),
    },
    examples,
  };
}

const WRONG_FIELD = errorReply(
  'The body is not a JSON object, or a field in it is not valid. The first fault found is named.',
  ...UNREADABLE_BODY,
  'email is not a valid e-mail address',
  'events is empty',
  'url contains a masked value: give the value itself',
  'repo cannot be given: connect GitHub in the dashboard',
  'token is kept only for the same scheme, host, port and path: give it again',
);

export const listChannels: OperationDoc = {
  id: 'listChannels',
  group: 'Integrations',
  summary: 'List integrations',
  description: `Where the project can send notifications, in the order of their creation. Assign them to a check through
its \`channels\`. \`details=1\` also tells how each one is: whether it is off, and why. The settings of one are told by
*Get an integration*.`,
  query: {
    details: {
      description: '1: with the fields that tell how each integration is, `verified` to `last_error`.',
      schema: { type: 'string' },
      example: '1',
    },
  },
  responses: {
    200: jsonReply('The integrations.', object({ channels: list(LISTED_CHANNEL_SCHEMA) }).json, {
      'one e-mail address': { channels: CHANNELS },
      'the same with `details=1`': { channels: [ENABLED_CHANNEL] },
    }),
  },
};

export const listKinds: OperationDoc = {
  id: 'listChannelKinds',
  group: 'Integrations',
  summary: 'List kinds of integrations',
  description: `Every kind of integration that the program knows, each with the JSON Schema of its settings and an example.
Some kinds need settings of the operator. Where some are missing, \`offered\` is false and \`missing\` names them all.`,
  responses: {
    200: jsonReply('The kinds.', object({ kinds: list(KIND_SCHEMA) }).json, {
      'one kind': { kinds: CHANNEL_KINDS },
    }),
  },
};

export const createChannel: OperationDoc = {
  id: 'createChannel',
  group: 'Integrations',
  summary: 'Create an integration',
  description: `Adds an integration to the project. The owner of an e-mail address gets a mail with a link, and whoever has
the phone number, or is in the room, gets a code. Nothing else is sent before that is confirmed: until then \`verified\` is
false. \`checks\` assigns it to checks at once.

Some kinds have settings that only their provider can name (\`connected_only\` in the list of kinds). They are connected in
the dashboard, and cannot be created here.`,
  body: bodyOf(NEW_CHANNEL_FIELDS, ['kind', 'settings'], { 'an e-mail address': NEW_CHANNEL }),
  responses: {
    201: jsonReply('The integration.', CHANNEL_DETAILS_SCHEMA.json, { 'an e-mail address': CHANNEL_DETAILS }),
    400: WRONG_FIELD,
    403: errorReply('The project has as many integrations as it can have.', 'integration limit reached'),
    409: errorReply(
      'The instance does not offer the kind.',
      'this service does not offer po: PUSHOVER_API_TOKEN',
    ),
  },
};

export const getChannel: OperationDoc = {
  id: 'getChannel',
  group: 'Integrations',
  summary: 'Get an integration',
  description: 'The integration with its settings. Secret parts of them are masked.',
  responses: {
    200: jsonReply('The integration.', CHANNEL_DETAILS_SCHEMA.json, { 'an e-mail address': CHANNEL_DETAILS }),
    403: OF_ANOTHER,
    404: NO_SUCH_CHANNEL,
  },
};

export const updateChannel: OperationDoc = {
  id: 'updateChannel',
  group: 'Integrations',
  summary: 'Change an integration',
  description: `What is left out stays as it is, also each single setting. A masked value that is sent back keeps the
secret. A secret that is sent to an address has to be given again when the scheme, the host, the port or the path of that
address changes. New settings switch an integration on that was off. Another e-mail address, number
or room has to be confirmed again.`,
  body: bodyOf(CHANNEL_EDIT_FIELDS, [], { 'another name': { name: 'Second line' } }),
  responses: {
    200: jsonReply('The integration as it is now.', CHANNEL_DETAILS_SCHEMA.json, {
      'an e-mail address': CHANNEL_DETAILS,
    }),
    400: WRONG_FIELD,
    403: OF_ANOTHER,
    404: NO_SUCH_CHANNEL,
  },
};

export const deleteChannel: OperationDoc = {
  id: 'deleteChannel',
  group: 'Integrations',
  summary: 'Delete an integration',
  description: 'Deletes it for good, with the history of what was sent to it. Checks and groups lose it.',
  responses: {
    200: jsonReply('The integration as it was.', CHANNEL_DETAILS_SCHEMA.json, {
      'an e-mail address': CHANNEL_DETAILS,
    }),
    403: OF_ANOTHER,
    404: NO_SUCH_CHANNEL,
  },
};

export const previewChannel: OperationDoc = {
  id: 'previewChannel',
  group: 'Integrations',
  summary: 'Preview a message',
  description: `The requests or mails by which the integration would tell of an event, with secrets masked. Nothing is
sent. A group names the integrations that would send it.`,
  body: {
    ...bodyOf(PREVIEW_FIELDS, [], { 'a check that is up again': { event: 'up' } }),
    description: 'What it is about.',
  },
  responses: {
    200: jsonReply('What would be sent.', PREVIEW_SCHEMA.json, { 'a webhook': MESSAGE_PREVIEW }),
    400: errorReply(
      'The body is not a JSON object, or a field in it is not valid.',
      ...UNREADABLE_BODY,
      'event has unexpected value',
    ),
    403: errorReply('The integration or the check belongs to another project.', 'access denied'),
    404: errorReply(
      'There is no such integration, or no such check.',
      'channel not found',
      'check not found',
    ),
  },
};

const switchingReplies = (description: string, example: unknown): OperationDoc['responses'] => ({
  200: jsonReply(description, CHANNEL_SCHEMA.json, { 'an e-mail address': example }),
  400: errorReply('The body is neither empty nor a JSON object.', ...UNREADABLE_BODY),
  403: errorReply('The integration belongs to another project.', 'access denied'),
  404: errorReply('There is no such integration.', 'channel not found'),
});

export const enableChannel: OperationDoc = {
  id: 'enableChannel',
  group: 'Integrations',
  summary: 'Switch an integration on',
  description: `Notifications go there again, whatever it was off for. What was withheld meanwhile is not sent.

An e-mail address whose owner has unsubscribed counts as not confirmed (\`verified\` is false) until it is confirmed again.`,
  body: NOTHING_TO_SAY,
  responses: switchingReplies('The integration, now on.', ENABLED_CHANNEL),
};

export const disableChannel: OperationDoc = {
  id: 'disableChannel',
  group: 'Integrations',
  summary: 'Switch an integration off',
  description: `Nothing but tests is sent there until it is switched on. Notifications that are still open, and those of later
changes, are withheld: they are listed as \`skipped\`. An integration that is off already keeps its reason.`,
  body: NOTHING_TO_SAY,
  responses: switchingReplies('The integration, now off.', DISABLED_CHANNEL),
};

const TOO_MANY = errorReply(
  'Too many were sent or tried. `Retry-After` says after how many seconds there is another one.',
  'Too many attempts, please try later.',
);

export const askForConfirmation: OperationDoc = {
  id: 'askForConfirmation',
  group: 'Integrations',
  summary: 'Ask the recipient again',
  description: `Sends another mail with a link, or another code, to the recipient of an integration that is not confirmed. An
earlier code is worth nothing then. Nothing happens to one that is confirmed. How many are sent to one recipient, and for the
projects of one account, is limited.`,
  body: NOTHING_TO_SAY,
  responses: {
    ...switchingReplies('The integration.', ENABLED_CHANNEL),
    424: errorReply(
      'The provider did not take the code.',
      'The code could not be sent: Received status code 400',
    ),
    429: TOO_MANY,
  },
};

export const confirmChannel: OperationDoc = {
  id: 'confirmChannel',
  group: 'Integrations',
  summary: 'Confirm with a code',
  description: `Confirms the integration with the code that its recipient got. A code is good for 15 minutes and for five
tries, and once. Only kinds whose \`confirmed_by\` is \`code\` have one: a mail has a link instead.`,
  body: bodyOf(CONFIRMATION_FIELDS, ['code'], { 'six digits': { code: '482913' } }),
  responses: {
    ...switchingReplies('The integration, now confirmed.', ENABLED_CHANNEL),
    400: errorReply(
      'The body is not a JSON object, or the code is not the one that was sent last.',
      ...UNREADABLE_BODY,
      'code is wrong, or has expired',
    ),
    429: TOO_MANY,
  },
};

export const testChannel: OperationDoc = {
  id: 'testChannel',
  group: 'Integrations',
  summary: 'Send a test message',
  description: `Sends one message through the integration, at once, and tells what the provider said. The message is about
a check named \`TEST\`, which has gone down because it was silent for too long; an integration that is not told
when checks go down gets one about the check coming up.

A message that the provider does not take is an answer, too: the status is 200, and \`ok\` is false. The message is
not tried again. The answer comes within 20 seconds; later, the provider may still take the message.

The message is also sent through an integration that is switched off. It stays off, and the answer says so. Nothing is
sent to a recipient who has not confirmed it.`,
  body: NOTHING_TO_SAY,
  responses: {
    200: jsonReply('How it went.', TEST_MESSAGE_SCHEMA.json, {
      'the provider took it': TEST_MESSAGE,
      'the provider did not': REFUSED_TEST_MESSAGE,
      'the integration is off': TEST_MESSAGE_TO_DISABLED,
    }),
    400: errorReply('The body is neither empty nor a JSON object.', ...UNREADABLE_BODY),
    403: errorReply('The integration belongs to another project.', 'access denied'),
    404: errorReply('There is no such integration.', 'channel not found'),
  },
};
