import type { QuietTimeInput } from '../../domain/check/quiet-time.ts';
import { MAX_QUIET_SECONDS, MIN_QUIET_SECONDS } from '../../domain/check/quiet-time.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, type FieldValues, integer, refined, text } from '../../lib/fields.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { JsonObject } from './body.ts';
import { readKnownFields } from './known-fields.ts';

/** Checks that one quiet time names. With more, a tag is the better way. */
export const MAX_NAMED_CHECKS = 500;
/** The last second of the year 9999. */
const LATEST_SECOND = 253_402_300_799;

const checkField = text({ maxLength: TEXT_LIMITS.checkSlug });

const checksField: Field<readonly string[]> = {
  read(value, name) {
    if (!Array.isArray(value)) return new Fault(`${name} is not an array`);
    if (value.length > MAX_NAMED_CHECKS) return new Fault(`${name} has too many items`);
    const items = value.map((item) => checkField.read(item, `an item in '${name}'`));
    return items.find((item) => item instanceof Fault) ?? items.filter((item) => typeof item === 'string');
  },
  schema: {
    type: 'array',
    items: checkField.schema,
    maxItems: MAX_NAMED_CHECKS,
    description: 'UUIDs or slugs of checks. Without checks and tags it covers the whole project.',
  },
};

const second = (description: string): Field<number> =>
  integer({ minimum: 0, maximum: LATEST_SECOND, description });

export const QUIET_TIME_FIELDS = {
  name: refined(
    text({ maxLength: TEXT_LIMITS.quietTimeName, description: 'One line. Without it: the reason.' }),
    'name',
    (value) => oneLine(value).trim() || null,
  ),
  reason: text({ maxLength: TEXT_LIMITS.quietTimeReason, description: 'Why, for people who ask.' }),
  checks: checksField,
  tags: text({
    maxLength: TEXT_LIMITS.checkTags,
    description: 'Tags, separated by spaces. A check with any of them is covered.',
  }),
  from: second('When it begins, in seconds since 1970. Without it: now.'),
  until: second('When it ends, in seconds since 1970.'),
  duration: integer({
    minimum: MIN_QUIET_SECONDS,
    maximum: MAX_QUIET_SECONDS,
    description: 'How many seconds it lasts, where `until` is left out.',
  }),
  schedule: text({
    maxLength: TEXT_LIMITS.checkSchedule,
    description: 'When it begins again and again: cron or OnCalendar. Without it, it comes once.',
  }),
  tz: text({ maxLength: 50, description: 'The time zone of the schedule. Without it: UTC.' }),
};

export function parseQuietTime(body: JsonObject): QuietTimeInput {
  return quietTimeOf(readKnownFields(QUIET_TIME_FIELDS, body, 'quiet time'));
}

/** The quiet time that these fields describe. */
export function quietTimeOf({
  from,
  until,
  ...given
}: FieldValues<typeof QUIET_TIME_FIELDS>): QuietTimeInput {
  return quietTimeInput({ ...given, from: instantOf(from), until: instantOf(until) });
}

type Given = Omit<FieldValues<typeof QUIET_TIME_FIELDS>, 'from' | 'until'> & {
  readonly from: Instant | null;
  readonly until: Instant | null;
};

/** Fills in what is left out. */
export function quietTimeInput({ from, until, ...given }: Given): QuietTimeInput {
  return {
    name: given.name ?? '',
    reason: oneLine(given.reason ?? ''),
    checks: given.checks ?? [],
    tags: given.tags ?? '',
    fromAt: from,
    untilAt: until,
    durationSeconds: given.duration ?? null,
    schedule: given.schedule ?? '',
    tz: given.tz ?? 'UTC',
  };
}

const instantOf = (second: number | undefined): Instant | null =>
  second === undefined ? null : seconds(second);
