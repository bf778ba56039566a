import type { CheckMatch } from '../../domain/check/check.ts';
import type { CheckEdit } from '../../domain/check/check-edit.ts';
import { listed, MAX_PARENTS } from '../../domain/check/check-links.ts';
import { type RuleValues, runRulesField, storedRules } from '../../domain/check/run-rules.ts';
import {
  type CheckConfig,
  MAX_DURATION_SECONDS,
  MIN_DURATION_SECONDS,
  SETTING_NAMES,
} from '../../domain/check/settings.ts';
import { AppError } from '../../domain/errors.ts';
import { ScheduleError, validateSchedule } from '../../domain/schedule/schedule.ts';
import { acceptedTimezone } from '../../domain/schedule/timezone.ts';
import { SLUG_PATTERN, slugOf } from '../../domain/slug.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import {
  Fault,
  type Field,
  type FieldValues,
  flag,
  integer,
  oneOf,
  readFields,
  refined,
  someOf,
  text,
} from '../../lib/fields.ts';
import { type SnakeCase, snakeCase } from '../../lib/snake-case.ts';
import type { ApiVersion } from './version.ts';

const duration = (description: string) =>
  integer({ minimum: MIN_DURATION_SECONDS, maximum: MAX_DURATION_SECONDS, description });
const parentField = text({ maxLength: TEXT_LIMITS.checkSlug, pattern: /^[^,\s]+$/ });
const keywords = (description: string) => text({ maxLength: TEXT_LIMITS.checkKeywords, description });

/** Names of settings in the API that differ. The others are in snake case. */
const OTHER_NAMES = {
  description: 'desc',
  timeoutSeconds: 'timeout',
  graceSeconds: 'grace',
  startKeywords: 'start_kw',
  successKeywords: 'success_kw',
  failureKeywords: 'failure_kw',
  subjectKeywords: 'subject',
  subjectFailureKeywords: 'subject_fail',
} as const satisfies Partial<Record<keyof CheckEdit, string>>;

type FieldName<Setting extends string> = Setting extends keyof typeof OTHER_NAMES
  ? (typeof OTHER_NAMES)[Setting]
  : SnakeCase<Setting>;

/** A list, or a text with commas, in which forms send it. */
const parentsField: Field<string, string | readonly string[]> = {
  read(value, name) {
    const items = typeof value === 'string' ? listed(value) : value;
    if (!Array.isArray(items)) return new Fault(`${name} is not an array`);
    if (items.length > MAX_PARENTS) return new Fault(`${name} has too many items`);
    const read = items.map((item) => parentField.read(item, `an item in '${name}'`));
    return read.find((item) => item instanceof Fault) ?? read.join(',');
  },
  schema: {
    type: ['string', 'array'],
    items: { type: 'string' },
    maxItems: MAX_PARENTS,
    description:
      'Checks of the project without which this one cannot work, by slug or UUID: as an array, or separated by commas. While one of them is down, nobody is told of this one. Since version 3.',
  },
};

/** Every field of a create or update request, in the order in which the contract checks them. */
export const CHECK_FIELDS = {
  channels: text({
    maxLength: TEXT_LIMITS.checkChannels,
    description:
      'Integrations to assign: `*` for all of the project, an empty text for none, else a comma-separated list of UUIDs or of exact names.',
  }),
  desc: text({ maxLength: TEXT_LIMITS.checkDescription, description: 'Free description.' }),
  done_channels: text({
    maxLength: TEXT_LIMITS.checkChannels,
    description:
      'Integrations that are told of each success, too, if they are assigned: written as `channels`. Only those that take messages in any words. Since version 3.',
  }),
  failure_kw: keywords('Comma-separated keywords that mark a failure signal.'),
  filter_subject: flag('Match keywords in the subject of e-mail pings.'),
  filter_body: flag('Match keywords in the body of e-mail pings, plain text and HTML.'),
  filter_http_body: flag('Match keywords in the body of HTTP pings.'),
  filter_default_fail: flag('Treat pings that match no keyword as failures instead of ignoring them.'),
  grace: duration('Seconds a ping may be late before the check goes down.'),
  manual_resume: flag('A paused check ignores pings until it is resumed by hand.'),
  methods: oneOf(['', 'POST'], 'Which HTTP methods count as pings: an empty text for all, or only `POST`.'),
  name: text({ maxLength: TEXT_LIMITS.checkName, description: 'Name of the check.' }),
  parents: parentsField,
  policy: text({
    maxLength: TEXT_LIMITS.policyName,
    description:
      'How outages of the check are told: the name or UUID of a policy, or `at-once`; an empty text for that of a tag or of the project.',
  }),
  run_rules: runRulesField,
  schedule: refined(
    text({
      maxLength: TEXT_LIMITS.checkSchedule,
      description: 'Cron or OnCalendar expression; takes precedence over `timeout`.',
    }),
    'cron or OnCalendar expression',
    readSchedule,
  ),
  slug: text({
    maxLength: TEXT_LIMITS.checkSlug,
    pattern: SLUG_PATTERN,
    description: 'For ping URLs by slug. Need not be unique.',
  }),
  start_kw: keywords('Comma-separated keywords that mark a start signal.'),
  subject: keywords('Older name of `success_kw`; also turns `filter_subject` on.'),
  subject_fail: keywords('Older name of `failure_kw`; also turns `filter_subject` on.'),
  success_kw: keywords('Comma-separated keywords that mark a success signal.'),
  tags: text({ maxLength: TEXT_LIMITS.checkTags, description: 'Tags, separated by spaces.' }),
  timeout: duration('Seconds between two expected pings.'),
  tz: refined(text({ description: 'Name of a time zone, for `schedule`.' }), 'timezone', acceptedTimezone),
  unique: someOf(
    ['name', 'slug', 'tags', 'timeout', 'grace'],
    'On create: fields by which to look for an existing check to update instead.',
  ),
} satisfies {
  [Setting in keyof CheckEdit as FieldName<Setting>]-?: Field<Exclude<CheckEdit[Setting], undefined>>;
} & { channels: Field<string>; unique: Field<string[]> };

export type CheckInput = FieldValues<typeof CHECK_FIELDS>;

export function parseCheckInput(body: Readonly<Record<string, unknown>>): CheckInput {
  const input = readFields(CHECK_FIELDS, body);
  if (input instanceof Fault) throw new AppError('invalid_field', `json validation error: ${input.reason}`);
  return input;
}

/** The name that requests, forms and files use for a setting of a check. */
export function fieldName<Setting extends string>(setting: Setting): FieldName<Setting> {
  const names: Readonly<Record<string, string>> = OTHER_NAMES;
  // The type computes the same.
  return (names[setting] ?? snakeCase(setting)) as FieldName<Setting>;
}

/** The settings that a request can set, with their fields. No field sets the kind: it follows from others. */
const SETTERS = [...SETTING_NAMES, 'subjectKeywords', 'subjectFailureKeywords'].map(
  (setting) => [setting, fieldName(setting)] as const,
);

/** Turns a request into an edit of the domain. Before v3 the slug is made from the name unless it is sent, and checks have neither rules for runs nor policies nor links. */
export function toCheckEdit(input: CheckInput, version: ApiVersion): CheckEdit {
  const slug = input.slug ?? (version < 3 && input.name !== undefined ? slugOf(input.name) : undefined);
  const since3 = { run_rules: undefined, policy: undefined, parents: undefined, done_channels: undefined };
  const sinceVersion3 = version < 3 && since3;
  const given: Readonly<Record<string, unknown>> = { ...input, slug, ...sinceVersion3 };
  const entries = SETTERS.map(([setting, name]) => [setting, given[name]]);
  // An absent field means "leave as it is". The type of the fields says that each has the type of its setting.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as CheckEdit;
}

/** The settings of a check by the names that requests, forms and files use. */
export type NamedSettings = {
  [Setting in keyof CheckConfig as FieldName<Setting>]: Setting extends 'runRules'
    ? RuleValues
    : CheckConfig[Setting];
};

export function namedSettings(config: CheckConfig): NamedSettings {
  // The type is made of the same names.
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [fieldName(name), spokenValue(config, name)]),
  ) as NamedSettings;
}

function spokenValue(config: CheckConfig, name: keyof CheckConfig): unknown {
  return name === 'runRules' ? storedRules(config.runRules) : config[name];
}

/** The values by which a create looks for an existing check. Null if it always creates one. */
export function matchOf(input: CheckInput): CheckMatch | null {
  const { unique = [] } = input;
  // If a field of `unique` was not sent, a check is created, as in the reference.
  if (unique.length === 0 || unique.some((field) => input[field] === undefined)) return null;
  const wanted = new Set(unique);
  return {
    ...(wanted.has('name') && { name: input.name }),
    ...(wanted.has('slug') && { slug: input.slug }),
    ...(wanted.has('tags') && { tags: input.tags }),
    ...(wanted.has('timeout') && { timeoutSeconds: input.timeout }),
    ...(wanted.has('grace') && { graceSeconds: input.grace }),
  };
}

/** Why an expression is not a valid schedule, as a sentence for people. The API uses one text for all reasons. */
export function scheduleFault(expression: string): string | null {
  try {
    validateSchedule(expression);
    return null;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

function readSchedule(expression: string): Exclude<CheckEdit['schedule'], undefined> | null {
  try {
    return { kind: validateSchedule(expression), expression };
  } catch (error) {
    if (error instanceof ScheduleError) return null;
    throw error;
  }
}
