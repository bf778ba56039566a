import {
  createCalendar,
  deleteCalendar,
  editCalendar,
  getCalendar,
  listCalendars,
} from '../../services/alert/calendars.ts';
import type { Deps } from '../../services/core/deps.ts';
import { parseCalendarEdit, parseNewCalendar } from '../../wire/api/calendar-input.ts';
import { calendarJson } from '../../wire/api/calendar-output.ts';
import * as docs from '../../wire/openapi/operations/calendars.ts';
import { CALENDAR_SEGMENT } from '../path-segments.ts';
import { type Endpoint, withKey } from './endpoint.ts';

/** Hours that come again, to which policies refer. */
export function calendarEndpoints(deps: Deps): Endpoint[] {
  return [
    {
      path: '/calendars/',
      operations: {
        GET: withKey(docs.listCalendars, 'policies.view', async ({ actor }) => ({
          status: 200,
          json: { calendars: (await listCalendars(deps, actor)).map(calendarJson) },
        })),
        POST: withKey(docs.createCalendar, 'policies.edit', async ({ actor, body }) => ({
          status: 201,
          json: calendarJson(await createCalendar(deps, actor, parseNewCalendar(body))),
        })),
      },
    },
    {
      path: `/calendars/${CALENDAR_SEGMENT}`,
      operations: {
        GET: withKey(docs.getCalendar, 'policies.view', async ({ actor, params }) => ({
          status: 200,
          json: calendarJson(await getCalendar(deps, actor, params.calendar ?? '')),
        })),
        POST: withKey(docs.updateCalendar, 'policies.edit', async ({ actor, params, body }) => ({
          status: 200,
          json: calendarJson(await editCalendar(deps, actor, params.calendar ?? '', parseCalendarEdit(body))),
        })),
        DELETE: withKey(docs.deleteCalendar, 'policies.edit', async ({ actor, params, query }) => {
          const isForced = query.getAll('force').at(-1) === '1';
          return {
            status: 200,
            json: calendarJson(await deleteCalendar(deps, actor, params.calendar ?? '', isForced)),
          };
        }),
      },
    },
  ];
}
