import { newCheck, type Status } from '../../domain/check/check.ts';
import { DEFAULT_CONFIG } from '../../domain/check/settings.ts';
import { FIELD_WRITERS, SOURCED_FIELDS } from '../../domain/check/sources.ts';
import type { Field, JsonSchema } from '../../lib/fields.ts';
import {
  allOptional,
  component,
  flag,
  instant,
  integer,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  optional,
  type Properties,
  text,
  url,
  uuid,
} from '../openapi/schema.ts';
import { CHECK_FIELDS, type NamedSettings } from './check-fields.ts';
import {
  type CheckAddresses,
  type CheckExtras,
  type CheckFacts,
  type CheckOrigins,
  type CheckPeriod,
  type CheckPseudonym,
  type CheckSchedule,
  checkJson,
  type HintJson,
} from './check-output.ts';

type CheckField = keyof typeof CHECK_FIELDS;

/** A check that was created without any field, as the API shows it. The documented defaults come from it. */
const UNTOUCHED: Readonly<Record<string, unknown>> = {
  ...checkJson(
    { id: 0, ...newCheck(DEFAULT_CONFIG, { uuid: '', badgeKey: '', projectId: 0, createdAt: 0 }) },
    [],
    {
      seesAddresses: true,
      version: 3,
      now: 0,
      site: { root: '', pingEndpoint: '', masterBadgeLabel: '' },
    },
  ),
  tz: DEFAULT_CONFIG.tz,
  unique: [],
};

/** Without `started`, which only version 1 has. The document describes version 3. */
type FactsOfVersion3 = Omit<CheckFacts, 'status'> & { status: Status };

/** The facts besides settings. */
const STATE: Properties<Omit<FactsOfVersion3, keyof NamedSettings>> = {
  n_pings: integer('How many pings were received, of whatever sort.', { minimum: 0 }),
  status: oneOf(
    ['new', 'up', 'grace', 'down', 'paused'],
    'How the check is doing at this moment. `new`: no ping yet. `grace`: a ping is late, but not yet too late.',
  ),
  started: flag('Whether a run is open: a start signal came, and no end.'),
  last_ping: nullable(instant('When the last success or failure signal came.')),
  next_ping: nullable(
    instant('When the next ping is expected; while a run is open, no later than its start. Null: never.'),
  ),
  subject: text('Older name of `success_kw`; empty while `filter_subject` is off.'),
  subject_fail: text('Older name of `failure_kw`; empty while `filter_subject` is off.'),
  badge_url: url('Public badge of this check.'),
  last_duration: optional(
    integer('Seconds that the last run took, rounded down. Only where a start signal came before its end.', {
      minimum: 0,
    }),
  ),
};

const ADDRESSES: Properties<CheckAddresses> = {
  uuid: uuid('Identifies the check. Whoever knows it can ping.'),
  ping_url: url('Where the job reports.'),
  update_url: url('Address of the check in this API.'),
  pause_url: url('A POST here pauses the check.'),
  resume_url: url('A POST here resumes it.'),
  channels: text('UUIDs of the assigned integrations, separated by commas; empty when there are none.'),
};

const ORIGINS: Properties<CheckOrigins> = {
  sources: optional(
    mapOf(
      oneOf(FIELD_WRITERS, 'Who has set the field last.'),
      `Who has set which fields: ${SOURCED_FIELDS.map((field) => `\`${field}\``).join(', ')}. \`timing\` is the timeout or the schedule. A field that nobody has set is absent. Since version 3.`,
    ),
  ),
  hints: optional(
    list(
      object<HintJson>({
        message: text('What is remarkable, as a sentence.'),
        timeout: integer('Seconds between two expected pings that would fit.'),
        grace: integer('Seconds of grace that would fit.'),
      }),
      'Pings that contradict the timing of the check. Only where a single check is asked for; absent if there are none. Since version 3.',
    ),
  ),
};

const EXTRAS: Properties<CheckExtras> = {
  // Clients read the rules as they have written them.
  run_rules: optional({
    json: {
      ...CHECK_FIELDS.run_rules.schema,
      type: 'object',
      description: 'Rules for runs. Only where some are set. Since version 3.',
    },
  }),
  last_success: optional(
    instant('When a run last succeeded. Only while the last one has failed. Since version 3.'),
  ),
  acknowledged: optional({
    json: {
      ...object<{ at: string; by: string }>({ at: instant('When.'), by: text('Who.') }).json,
      description: 'Who has the outage. Only while somebody has it. Since version 3.',
    },
  }),
  snoozed_until: optional(
    instant(
      'Nothing that begins is told before this time. Only while the check is snoozed. Since version 3.',
    ),
  ),
  quiet_until: optional(
    instant('When the quiet time ends that covers the check now. Only in a quiet time. Since version 3.'),
  ),
  policy: optional(
    text('The policy of its own by which its outages are told. Only where one is set. Since version 3.'),
  ),
  parents: optional(
    list(
      text('A UUID; a unique key for a read-only key.'),
      'Checks without which it cannot work. Only where there are some. Since version 3.',
    ),
  ),
  done_channels: optional(
    text(
      'UUIDs of the integrations that are told of each success, separated by commas. Only where there are some, and for a read-write key. Since version 3.',
    ),
  ),
};

const PSEUDONYM: Properties<CheckPseudonym> = {
  unique_key: text(
    'Follows from the UUID, but not the other way round. Identifies the check where only reading is allowed.',
    { pattern: '^[0-9a-f]{40}$' },
  ),
};

/**
 * Has either the period or the schedule. Only the descriptions say so: of a `oneOf` beside properties, generators of clients
 * make no model.
 */
type Timing = Partial<CheckPeriod & CheckSchedule>;

const TIMING: Properties<Timing> = {
  timeout: optional(integer('Seconds between two expected pings. Only for Simple checks.')),
  schedule: optional(text('Cron or OnCalendar expression. Only for checks that follow one.')),
  tz: optional(text('Time zone of `schedule`, and only together with it.')),
};

/** A setting means the same in answers as in requests. Answers have no limits. */
function answered([name, { schema }]: [string, Field<unknown>]): [string, unknown] {
  const { type, enum: values, description } = schema;
  return [name, { json: { type, ...(values !== undefined && { enum: values }), description } }];
}

const SCHEMAS: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(Object.entries(CHECK_FIELDS).map(answered)),
  ...STATE,
};

const FACTS = Object.fromEntries(
  [...Object.keys(UNTOUCHED), 'last_duration']
    .filter((name) => !Object.hasOwn({ ...ADDRESSES, ...TIMING, unique: null }, name))
    .map((name) => [name, SCHEMAS[name]]),
  // Without addresses and timing, the facts remain.
) as Properties<FactsOfVersion3>;

/** A check as a read-write key sees it. */
export const CHECK_SCHEMA = component(
  'Check',
  object<FactsOfVersion3 & CheckAddresses & Timing & CheckOrigins & CheckExtras>({
    ...FACTS,
    ...ADDRESSES,
    ...TIMING,
    ...ORIGINS,
    ...EXTRAS,
  }),
);

/**
 * A check as any key sees it: with its addresses, or with its pseudonym. One schema for both, because generated clients cannot
 * tell two apart by the names of their fields.
 */
export const SHOWN_CHECK_SCHEMA = component(
  'ShownCheck',
  object<FactsOfVersion3 & Partial<CheckAddresses & CheckPseudonym> & Timing & CheckOrigins & CheckExtras>({
    ...FACTS,
    ...allOptional<CheckAddresses & CheckPseudonym>({ ...ADDRESSES, ...PSEUDONYM }),
    ...TIMING,
    ...ORIGINS,
    ...EXTRAS,
  }),
);

export const KEY_IN_BODY: JsonSchema = {
  type: 'string',
  description: 'The API key, for clients that cannot set the `X-Api-Key` header. The header wins.',
};

/** The order of fields in the document. Fields that are not listed follow. */
const READING_ORDER: readonly CheckField[] = [
  'name',
  'slug',
  'tags',
  'desc',
  'timeout',
  'grace',
  'schedule',
  'tz',
  'channels',
  'unique',
  'manual_resume',
  'methods',
];

const FIELD_SCHEMAS = [...new Set([...READING_ORDER, ...Object.keys(CHECK_FIELDS)])].map(
  (name): [string, JsonSchema] => [name, CHECK_FIELDS[name as CheckField].schema],
);

/**
 * The default is told in words. As a keyword it makes generated clients require the field, or send it always: an upsert
 * would then reset fields that it does not mention.
 */
function withDefault(schema: JsonSchema, value: unknown): JsonSchema {
  return { ...schema, description: `${schema.description} Default: \`${JSON.stringify(value)}\`.` };
}

export const CREATE_CHECK_SCHEMA = component('CreateCheck', {
  json: {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        FIELD_SCHEMAS.map(([name, schema]) => [
          name,
          Object.hasOwn(UNTOUCHED, name) ? withDefault(schema, UNTOUCHED[name]) : schema,
        ]),
      ),
      api_key: KEY_IN_BODY,
    },
  },
});

export const UPDATE_CHECK_SCHEMA = component('UpdateCheck', {
  json: {
    type: 'object',
    properties: {
      // An update also reads `unique`, but ignores it, since the path names the check.
      ...Object.fromEntries(FIELD_SCHEMAS.filter(([name]) => name !== 'unique')),
      api_key: KEY_IN_BODY,
    },
  },
});
