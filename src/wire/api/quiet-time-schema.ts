import {
  component,
  flag,
  instant,
  integer,
  list,
  nullable,
  object,
  oneOf,
  text,
  uuid,
} from '../openapi/schema.ts';
import type { QuietTimeJson } from './quiet-time-output.ts';

export const QUIET_TIME_SCHEMA = component(
  'QuietTime',
  object<QuietTimeJson>({
    uuid: uuid('Names it in addresses.'),
    name: text('What it is called.'),
    reason: text('Why it was announced; may be empty.'),
    made_by: text('Who has announced it.'),
    checks: list(text('The UUID of a check that it covers, or its unique key for those who may not ping.')),
    tags: text('Tags, separated by spaces. Checks with any of them are covered.'),
    state: oneOf(['running', 'coming', 'over'], 'Whether it runs, will come, or never comes again.'),
    from: nullable(instant('When the span begins that runs or comes next, or when it began.')),
    until: nullable(instant('When that span ends.')),
    schedule: nullable(text('When it begins again and again. Null: it comes once.')),
    tz: nullable(text('The time zone of the schedule.')),
    duration: integer('How many seconds it lasts.'),
    whole_project: flag(
      'Whether it covers all checks of the project. Without tags, and if the checks that it names are gone, it covers none.',
    ),
  }),
);
