import { type CheckState, isInSummary, type NewCheck } from '../../domain/check/check.ts';
import { type CheckConfig, DEFAULT_CONFIG, SETTING_NAMES } from '../../domain/check/settings.ts';
import { snakeCase } from '../../lib/snake-case.ts';
import type { Reader, Value } from '../driver.ts';
import { type SqlBoolean, type Stored, Table } from './table.ts';

/** The type of a setting's column, by the type of its value. */
const COLUMN_TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'integer',
  boolean: 'boolean',
};

/** The types of the fields that pings, pauses and time change. */
export const STATE_TYPES: Record<keyof CheckState, string> = {
  status: 'text',
  pingCount: 'bigint',
  lastReceivedAt: 'bigint',
  lastPingAt: 'bigint',
  lastSuccessAt: 'bigint',
  lastResult: 'text',
  lastStartAt: 'bigint',
  lastStartRid: 'uuid',
  lastAliveAt: 'bigint',
  runReported: 'boolean',
  lastDuration: 'bigint',
  lastFlags: 'integer',
  badCount: 'integer',
  lastFlipAt: 'bigint',
  excusedUntilAt: 'bigint',
  timedAt: 'bigint',
  quietFromAt: 'bigint',
  quietUntilAt: 'bigint',
  hasConfirmationLink: 'boolean',
  deadlineAt: 'bigint',
};

// The names of the fields are the keys of their types.
export const STATE = Object.keys(STATE_TYPES) as readonly (keyof CheckState)[];

/** The fields that an edit may change. `timedAt` and `deadlineAt` follow from the others. */
export const EDITABLE = [...SETTING_NAMES, 'sources', 'timedAt', 'deadlineAt'] as const;

/** The types of the settings' columns. */
const SETTING_TYPES = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, COLUMN_TYPES[typeof DEFAULT_CONFIG[name]]]),
  // One entry for each setting.
) as Record<keyof CheckConfig, string>;

/** The column of each field, and its type. */
const columnOf: Record<keyof NewCheck, string> = {
  uuid: 'uuid uuid',
  projectId: 'project_id bigint',
  badgeKey: 'badge_key text',
  uniqueKey: 'unique_key text',
  ...snakeCased(SETTING_TYPES),
  ...snakeCased(STATE_TYPES),
  lastDuration: `last_duration_micros ${STATE_TYPES.lastDuration}`,
  createdAt: 'created_at bigint',
  sources: 'sources text',
  snoozedUntilAt: 'snoozed_until_at bigint',
  snoozedBy: 'snoozed_by text',
  isHeard: 'is_heard boolean',
};

function snakeCased<Field extends string>(types: Record<Field, string>): Record<Field, string> {
  const columns = Object.entries<string>(types).map(([field, type]) => [
    field,
    `${snakeCase(field)} ${type}`,
  ]);
  // One entry for each field.
  return Object.fromEntries(columns) as Record<Field, string>;
}

export const table = new Table<keyof NewCheck>('checks', columnOf, { alarm_at: 'deadlineAt' });

/** The fields that decide the status of a check. */
export const TIMED_FIELDS = [
  'status',
  'kind',
  'timeoutSeconds',
  'graceSeconds',
  'runRules',
  'schedule',
  'tz',
  'lastPingAt',
  'lastStartAt',
  'lastAliveAt',
  'runReported',
  'lastFlipAt',
  'excusedUntilAt',
  'quietFromAt',
  'quietUntilAt',
] as const satisfies readonly (keyof NewCheck)[];

/** Every statement that changes what readers see of a check contains it. */
export const NEXT_REVISION = 'revision = checks.revision + 1';

export const SELECT_SUMMARIES = `select ${table.columnsOf(
  // The keys of the table are the fields of a new check.
  (Object.keys(columnOf) as (keyof NewCheck)[]).filter(isInSummary),
)} from checks`;

/** The fields of a check that are booleans. */
type Flag = {
  [Field in keyof NewCheck]: NewCheck[Field] extends boolean ? Field : never;
}[keyof NewCheck];

const FLAGS = Object.entries(columnOf)
  .filter(([, column]) => column.endsWith(' boolean'))
  // The type lists the fields whose values are booleans.
  .map(([field]) => field as Flag);

/** Reads checks, or the part of them that `select` names. */
export async function rowsOf<Row extends Partial<Record<Flag, boolean>>>(
  db: Reader,
  select: string,
  where: string,
  params: readonly Value[],
): Promise<Row[]> {
  return withBooleans<Row>(await db.all<Stored<Row>>(`${select} ${where}`, params));
}

/**
 * Converts the booleans of rows in place: only the caller has them. That costs less than copies of their many columns. All rows
 * have the same columns, but not each of the booleans: pings read the rules only.
 */
export function withBooleans<Row extends Partial<Record<Flag, boolean>>>(rows: Stored<Row>[]): Row[] {
  const [first] = rows;
  if (first === undefined) return [];
  const selected = FLAGS.filter((flag) => flag in first);
  // Only the booleans are not yet as the type says.
  const converted = rows as unknown as Record<Flag, SqlBoolean>[];
  for (const row of converted) for (const flag of selected) row[flag] = Boolean(row[flag]);
  return converted as unknown as Row[];
}
