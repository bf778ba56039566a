import {
  CHECK_SCHEMA,
  CREATE_CHECK_SCHEMA,
  KEY_IN_BODY,
  SHOWN_CHECK_SCHEMA,
  UPDATE_CHECK_SCHEMA,
} from '../../api/check-schema.ts';
import { SNOOZE_FIELDS } from '../../api/snooze-input.ts';
import {
  CHANNEL_UUID,
  CRON_CHECK,
  PAUSED_CHECK,
  READ_ONLY_CHECK,
  RESUMED_CHECK,
  SIMPLE_CHECK,
} from '../examples.ts';
import {
  type BodyDoc,
  errorReply,
  jsonReply,
  type OperationDoc,
  type ResponseDoc,
  UNCHANGED,
} from '../operation.ts';
import { list, object } from '../schema.ts';

export const OF_OTHER_PROJECT = errorReply('The check belongs to another project.', 'access denied');
export const NO_SUCH_CHECK = errorReply('There is no such check.', 'check not found');

export const UNREADABLE_BODY = [
  'could not parse request body',
  'json validation error: value is not an object',
];

const INVALID_FIELDS = errorReply(
  'The body is not a JSON object, or a field in it is not valid. The first fault found is named.',
  ...UNREADABLE_BODY,
  'json validation error: timeout is too small',
  'json validation error: schedule is not a valid cron or OnCalendar expression',
  'invalid channel identifier: On call',
);

const SHOWN_EXAMPLES = {
  'a Simple check': SIMPLE_CHECK,
  'a check that follows a schedule': CRON_CHECK,
  'to a read-only key': READ_ONLY_CHECK,
};

const theCheck = (description: string, example: unknown = SIMPLE_CHECK): ResponseDoc =>
  jsonReply(description, CHECK_SCHEMA.json, { 'the check': example });

export const NOTHING_TO_SAY: BodyDoc = {
  description: 'Nothing is needed here. Fields other than `api_key` are ignored.',
  contentType: 'application/json',
  schema: { type: ['object', 'null'], properties: { api_key: KEY_IN_BODY } },
  examples: { nothing: {}, null: null },
};

export const listChecks: OperationDoc = {
  id: 'listChecks',
  group: 'Checks',
  summary: 'List checks',
  description: `All checks of the project, in the order of their creation, on one page.

A read-only key sees each check without \`uuid\`, \`ping_url\`, \`update_url\`, \`pause_url\`, \`resume_url\` and
\`channels\`, and with \`unique_key\` instead.

Programs that ask often should send the \`ETag\` of the last answer as \`If-None-Match\`: as long as nothing has changed,
the answer is 304 without a body. A list of more than about twelve megabytes has no \`ETag\`.`,
  query: {
    slug: {
      description: 'Only checks with this slug, which may be none or several. Empty: all.',
      schema: { type: 'string' },
      example: 'database-backup',
    },
    tag: {
      description: 'Only checks that carry this tag. When repeated, only those that carry all of them.',
      schema: { type: 'array', items: { type: 'string' } },
      example: ['prod'],
    },
  },
  responses: {
    200: jsonReply('The checks.', object({ checks: list(SHOWN_CHECK_SCHEMA) }).json, {
      'to a read-write key': { checks: [SIMPLE_CHECK, CRON_CHECK] },
      'to a read-only key': { checks: [READ_ONLY_CHECK] },
    }),
    304: UNCHANGED,
  },
};

export const createCheck: OperationDoc = {
  id: 'createCheck',
  group: 'Checks',
  summary: 'Create a check, or update the one that is there',
  description: `Every field is optional; those left out take their defaults. For a **Simple** check send \`timeout\`;
for one that follows a **cron** or **OnCalendar** expression send \`schedule\` and \`tz\`. When both are sent, the
schedule is taken.

With \`unique\` this is an upsert: a check of the project that equals the request in all the listed fields is
updated instead, and the answer is 200. Of several such checks it is the oldest. A listed field that is not sent
itself finds nothing.

No integrations are assigned unless \`channels\` says so.`,
  body: {
    description: 'The new check. Unknown fields are ignored, as is the content type.',
    contentType: 'application/json',
    schema: CREATE_CHECK_SCHEMA.json,
    examples: {
      'a Simple check': { name: 'Database backup', tags: 'prod db', timeout: 86_400, grace: 900 },
      'a check that follows a schedule': {
        name: 'Invoices',
        schedule: '15 2 * * *',
        tz: 'Europe/Riga',
        grace: 1_800,
        channels: '*',
      },
      'an upsert': { name: 'Database backup', timeout: 86_400, unique: ['name'] },
    },
  },
  responses: {
    200: theCheck('A check was found by `unique`, and updated.'),
    201: theCheck('The check was created.', CRON_CHECK),
    400: INVALID_FIELDS,
    403: errorReply("The account's limit of checks is reached.", 'check limit reached'),
  },
};

export const getCheck: OperationDoc = {
  id: 'getCheck',
  group: 'Checks',
  summary: 'Get a check',
  description:
    'One check, by its UUID or by its unique key. What is shown depends on the API key, not on the path.',
  responses: {
    200: jsonReply('The check.', SHOWN_CHECK_SCHEMA.json, SHOWN_EXAMPLES),
    304: UNCHANGED,
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
};

export const updateCheck: OperationDoc = {
  id: 'updateCheck',
  group: 'Checks',
  summary: 'Update a check',
  description: `Changes the fields that are sent and leaves the others as they are. Sending only \`timeout\` makes a
check a Simple one, sending \`schedule\` makes it follow that; the values it had before stay stored and come back
with the next change of kind. The status of the check stays as it is.

An empty \`channels\` unassigns all integrations.`,
  body: {
    description: 'What to change. Unknown fields are ignored, as is the content type.',
    contentType: 'application/json',
    schema: UPDATE_CHECK_SCHEMA.json,
    examples: {
      'another name': { name: 'Database backup, nightly' },
      'other integrations': { channels: CHANNEL_UUID },
      'no integrations': { channels: '' },
    },
  },
  responses: {
    200: theCheck('The check as it is now.'),
    400: INVALID_FIELDS,
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
};

export const deleteCheck: OperationDoc = {
  id: 'deleteCheck',
  group: 'Checks',
  summary: 'Delete a check',
  description: 'Removes the check for good, with its pings, flips and badge.',
  responses: { 200: theCheck('The check as it was.'), 403: OF_OTHER_PROJECT, 404: NO_SUCH_CHECK },
};

export const pauseCheck: OperationDoc = {
  id: 'pauseCheck',
  group: 'Checks',
  summary: 'Pause a check',
  description: `Stops watching the check without deleting it. The next ping takes it out of the pause, unless
\`manual_resume\` is set: a success makes it \`up\`, a failure \`down\`, and a start \`new\` with \`started\`. Pausing a
paused check changes nothing.`,
  body: NOTHING_TO_SAY,
  responses: {
    200: theCheck('The check, now paused.', PAUSED_CHECK),
    400: errorReply('The body is neither empty nor a JSON object.', ...UNREADABLE_BODY),
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
};

const ANSWERED = {
  400: errorReply('The body is neither empty nor a JSON object.', ...UNREADABLE_BODY),
  403: OF_OTHER_PROJECT,
  404: NO_SUCH_CHECK,
};
const NOT_DOWN = errorReply('The check is not down.', 'check is not down');

export const acknowledgeCheck: OperationDoc = {
  id: 'acknowledgeCheck',
  group: 'Checks',
  summary: 'Acknowledge an outage',
  description: `Somebody takes the outage on: nothing more is told of it until the check is up. The first who does so stays; a second
acknowledgement changes nothing. That the check is up again is told as ever.`,
  body: NOTHING_TO_SAY,
  responses: { 200: theCheck('The check.', SIMPLE_CHECK), ...ANSWERED, 409: NOT_DOWN },
};

export const unacknowledgeCheck: OperationDoc = {
  id: 'unacknowledgeCheck',
  group: 'Checks',
  summary: 'Take an acknowledgement back',
  description: 'What is due is told again, as if nobody had taken the outage on.',
  body: NOTHING_TO_SAY,
  responses: { 200: theCheck('The check.', SIMPLE_CHECK), ...ANSWERED, 409: NOT_DOWN },
};

export const snoozeCheck: OperationDoc = {
  id: 'snoozeCheck',
  group: 'Checks',
  summary: 'Snooze a check',
  description: `Nothing that begins is told until then, 30 days at most. What is still down at its end, and was not told, is told then. A
longer snooze replaces a shorter one.`,
  body: {
    description: 'For how long.',
    contentType: 'application/json',
    schema: {
      type: 'object',
      properties: { api_key: KEY_IN_BODY, for: SNOOZE_FIELDS.for.schema, until: SNOOZE_FIELDS.until.schema },
    },
    examples: { 'an hour': { for: 3600 } },
  },
  responses: {
    200: theCheck('The check.', SIMPLE_CHECK),
    ...ANSWERED,
    400: errorReply(
      'The body is not a JSON object, or does not say for how long.',
      ...UNREADABLE_BODY,
      'for or until is missing',
      'for is too large',
      'This time is over.',
      'A snooze lasts 30 days at most.',
    ),
  },
};

export const unsnoozeCheck: OperationDoc = {
  id: 'unsnoozeCheck',
  group: 'Checks',
  summary: 'End a snooze',
  description: 'What is down and was not told is told now. A check that is not snoozed stays as it is.',
  body: NOTHING_TO_SAY,
  responses: { 200: theCheck('The check.', SIMPLE_CHECK), ...ANSWERED },
};

export const resumeCheck: OperationDoc = {
  id: 'resumeCheck',
  group: 'Checks',
  summary: 'Resume a check',
  description: 'Ends the pause. The check is then `new`: watched again from its next ping on.',
  body: NOTHING_TO_SAY,
  responses: {
    200: theCheck('The check, now new.', RESUMED_CHECK),
    400: errorReply('The body is neither empty nor a JSON object.', ...UNREADABLE_BODY),
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
    409: errorReply('The check is not paused.', 'check is not paused'),
  },
};
