import { CALENDAR_FIELDS } from '../../api/calendar-input.ts';
import { CALENDAR_SCHEMA } from '../../api/calendar-schema.ts';
import { KEY_IN_BODY } from '../../api/check-schema.ts';
import { type BodyDoc, errorReply, jsonReply, type OperationDoc } from '../operation.ts';
import { list, object } from '../schema.ts';
import { UNREADABLE_BODY } from './checks.ts';

const WORKING_HOURS = {
  ...{ uuid: '0c0e6f7e-2a53-4a4c-8a0e-2f3f3a5f9b10', name: 'working-hours', schedule: 'Mon..Fri 08:00' },
  ...{ tz: 'Europe/Riga', duration: 36_000, except: ['2026-12-24'] },
};
const { uuid: _uuid, ...GIVEN } = WORKING_HOURS;

const NO_SUCH_CALENDAR = errorReply('There is no such calendar.', 'calendar not found');
const WRONG_FIELD = errorReply(
  'The body is not a JSON object, or a field in it is not valid. The first fault found is named.',
  ...UNREADABLE_BODY,
  'json validation error: duration is too small',
  "json validation error: an item in 'except' is not a date such as 2026-12-24",
);
const NAME_TAKEN = errorReply(
  'Another calendar of the project has the name.',
  'another calendar has this name',
);

function body(required: readonly string[], examples: BodyDoc['examples']): BodyDoc {
  const properties = Object.entries(CALENDAR_FIELDS).map(([name, { schema }]) => [name, schema]);
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

const ONE = jsonReply('The calendar.', CALENDAR_SCHEMA.json, { 'working hours': WORKING_HOURS });

export const listCalendars: OperationDoc = {
  id: 'listCalendars',
  group: 'Policies',
  summary: 'List calendars',
  description: 'The calendars of the project, in the order of their creation.',
  responses: {
    200: jsonReply('The calendars.', object({ calendars: list(CALENDAR_SCHEMA) }).json, {
      'one calendar': { calendars: [WORKING_HOURS] },
    }),
  },
};

export const createCalendar: OperationDoc = {
  id: 'createCalendar',
  group: 'Policies',
  summary: 'Create a calendar',
  description: `Adds hours that come again. Policies and settings of integrations refer to them by name: see \`hours\` there. Hours that begin
before the last ones have ended are one span.`,
  body: body(['name', 'schedule', 'duration'], { 'working hours': GIVEN }),
  responses: {
    201: ONE,
    400: WRONG_FIELD,
    403: errorReply('The project has as many calendars as it can have.', 'calendar limit reached'),
    409: NAME_TAKEN,
  },
};

export const getCalendar: OperationDoc = {
  id: 'getCalendar',
  group: 'Policies',
  summary: 'Get a calendar',
  description: 'The calendar.',
  responses: { 200: ONE, 404: NO_SUCH_CALENDAR },
};

export const updateCalendar: OperationDoc = {
  id: 'updateCalendar',
  group: 'Policies',
  summary: 'Change a calendar',
  description: 'Fields that are left out stay as they are. What waits for these hours is decided about anew.',
  body: body([], { 'no hours on New Year': { except: ['2026-12-24', '2027-01-01'] } }),
  responses: { 200: ONE, 400: WRONG_FIELD, 404: NO_SUCH_CALENDAR, 409: NAME_TAKEN },
};

export const deleteCalendar: OperationDoc = {
  id: 'deleteCalendar',
  group: 'Policies',
  summary: 'Delete a calendar',
  description:
    'A calendar that is in use is refused. With `force=1` it is deleted, and what used it has no hours.',
  query: {
    force: {
      description: '1: also if it is in use.',
      schema: { type: 'string' },
      example: '1',
    },
  },
  responses: {
    200: ONE,
    404: NO_SUCH_CALENDAR,
    409: errorReply('The calendar is in use.', 'calendar is in use: policy night'),
  },
};
