import { component, integer, list, object, text, uuid } from '../openapi/schema.ts';
import type { CalendarJson } from './calendar-output.ts';

export const CALENDAR_SCHEMA = component(
  'Calendar',
  object<CalendarJson>({
    uuid: uuid('What addresses name it by.'),
    name: text('Its name.'),
    schedule: text('When the hours begin: cron or OnCalendar.'),
    tz: text('The time zone of the schedule.'),
    duration: integer('For how many seconds they last, also over a change of clocks.', { minimum: 60 }),
    except: list(text('A date such as 2026-12-24.'), 'Days that are outside of the hours.'),
  }),
);
