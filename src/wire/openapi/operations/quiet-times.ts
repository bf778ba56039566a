import { KEY_IN_BODY } from '../../api/check-schema.ts';
import { QUIET_TIME_FIELDS } from '../../api/quiet-time-input.ts';
import { QUIET_TIME_SCHEMA } from '../../api/quiet-time-schema.ts';
import { QUIET_TIME, SUNDAYS } from '../examples.ts';
import { type BodyDoc, errorReply, jsonReply, type OperationDoc } from '../operation.ts';
import { list, object } from '../schema.ts';
import { UNREADABLE_BODY } from './checks.ts';

const NONE_SUCH = errorReply('There is no such quiet time in the project.', 'quiet time not found');

const WRONG_FIELD = errorReply(
  'The body is not a JSON object, or a field in it is not valid. The first fault found is named.',
  ...UNREADABLE_BODY,
  'json validation error: quiet time has an unknown key "tag"',
  'until or duration is missing',
  'until is in the past',
  'duration is longer than the time between two of its beginnings',
  'invalid check: db-backup',
);

const BODY: BodyDoc = {
  description: 'What is covered, and when.',
  contentType: 'application/json',
  schema: {
    type: 'object',
    properties: {
      api_key: KEY_IN_BODY,
      ...Object.fromEntries(Object.entries(QUIET_TIME_FIELDS).map(([name, { schema }]) => [name, schema])),
    },
  },
  examples: {
    'half an hour from now': { reason: 'deploy 412', tags: 'web', duration: 1800 },
    'every Sunday': { name: 'sunday', schedule: 'Sun 01:00', tz: 'Europe/Riga', duration: 14_400 },
  },
};

const reply = (description: string, example: unknown = QUIET_TIME) =>
  jsonReply(description, QUIET_TIME_SCHEMA.json, { 'a deployment': example });

export const listQuietTimes: OperationDoc = {
  id: 'listQuietTimes',
  group: 'Quiet times',
  summary: 'List quiet times',
  description: 'Those that run or will come, then those that are over, each in the order of their creation.',
  responses: {
    200: jsonReply('The quiet times.', object({ quiet_times: list(QUIET_TIME_SCHEMA) }).json, {
      'one that runs, and one that recurs': { quiet_times: [QUIET_TIME, SUNDAYS] },
    }),
  },
};

export const announceQuietTime: OperationDoc = {
  id: 'announceQuietTime',
  group: 'Quiet times',
  summary: 'Announce a quiet time',
  description: `In a quiet time no run is expected, and nobody is told that a check is down. What is still down at its end is
told then. A quiet time that comes once and has the name of one that runs or will come replaces it: a deployment that is tried
again leaves one.`,
  body: BODY,
  responses: {
    200: reply('One of this name was there. It is changed.'),
    201: reply('The quiet time.'),
    400: WRONG_FIELD,
    403: errorReply(
      'The project has as many quiet times as it can have.',
      'The project has as many quiet times as it can have.',
    ),
  },
};

export const getQuietTime: OperationDoc = {
  id: 'getQuietTime',
  group: 'Quiet times',
  summary: 'Get a quiet time',
  description: 'One quiet time.',
  responses: { 200: reply('The quiet time.'), 404: NONE_SUCH },
};

export const editQuietTime: OperationDoc = {
  id: 'editQuietTime',
  group: 'Quiet times',
  summary: 'Change a quiet time',
  description: 'Replaces all of it. Checks that it does not cover any more are expected again at once.',
  body: BODY,
  responses: { 200: reply('The quiet time as it is now.'), 400: WRONG_FIELD, 404: NONE_SUCH },
};

export const deleteQuietTime: OperationDoc = {
  id: 'deleteQuietTime',
  group: 'Quiet times',
  summary: 'Delete a quiet time',
  description: 'If it runs, it ends now. It never comes again.',
  responses: { 200: reply('The quiet time as it was.'), 404: NONE_SUCH },
};

export const stopQuietTime: OperationDoc = {
  id: 'stopQuietTime',
  group: 'Quiet times',
  summary: 'Stop a quiet time',
  description: `The span that runs ends now, and what it held back is told. One that recurs comes again; one that has not begun
never does.`,
  responses: {
    200: reply('The quiet time as it is now.'),
    400: errorReply('The body is neither empty nor a JSON object.', ...UNREADABLE_BODY),
    404: NONE_SUCH,
  },
};
