import {
  type CheckConfig,
  type CheckState,
  LONG_TEXTS,
  type NewCheck,
  type PingedCheck,
} from '../../domain/check/check.ts';
import type { Reader, Value } from '../driver.ts';
import { type Stored, Table } from './table.ts';

const columnOf: Record<keyof NewCheck, string> = {
  uuid: 'uuid',
  projectId: 'project_id',
  badgeKey: 'badge_key',
  uniqueKey: 'unique_key',
  name: 'name',
  slug: 'slug',
  tags: 'tags',
  description: 'description',
  kind: 'kind',
  timeoutSeconds: 'timeout_seconds',
  schedule: 'schedule',
  tz: 'tz',
  graceSeconds: 'grace_seconds',
  manualResume: 'manual_resume',
  methods: 'methods',
  startKeywords: 'start_keywords',
  successKeywords: 'success_keywords',
  failureKeywords: 'failure_keywords',
  filterSubject: 'filter_subject',
  filterBody: 'filter_body',
  filterHttpBody: 'filter_http_body',
  filterDefaultFail: 'filter_default_fail',
  status: 'status',
  pingCount: 'ping_count',
  lastReceivedAt: 'last_received_at',
  lastPingAt: 'last_ping_at',
  lastStartAt: 'last_start_at',
  lastStartRid: 'last_start_rid',
  runReported: 'run_reported',
  lastDuration: 'last_duration_micros',
  lastFlipAt: 'last_flip_at',
  excusedUntilAt: 'excused_until_at',
  hasConfirmationLink: 'has_confirmation_link',
  deadlineAt: 'deadline_at',
  createdAt: 'created_at',
};

export const table = new Table<keyof NewCheck>('checks', columnOf, { alarm_at: 'deadlineAt' });

/** Every statement that changes what readers see of a check contains it. */
export const NEXT_REVISION = 'revision = checks.revision + 1';

/** The fields that determine the meaning of a ping and the time of the next one. */
export const RULES = [
  'kind',
  'timeoutSeconds',
  'schedule',
  'tz',
  'graceSeconds',
  'manualResume',
  'methods',
  'startKeywords',
  'successKeywords',
  'failureKeywords',
  'filterSubject',
  'filterBody',
  'filterHttpBody',
  'filterDefaultFail',
] as const satisfies readonly (keyof CheckConfig)[];

/** The fields that an edit may change. `deadlineAt` follows from the others. */
export const EDITABLE = [
  'name',
  'slug',
  'tags',
  'description',
  ...RULES,
  'deadlineAt',
] as const satisfies readonly (keyof CheckConfig | 'deadlineAt')[];

/** The fields that pings, pauses and time change. */
export const STATE = [
  'status',
  'pingCount',
  'lastReceivedAt',
  'lastPingAt',
  'lastStartAt',
  'lastStartRid',
  'runReported',
  'lastDuration',
  'lastFlipAt',
  'excusedUntilAt',
  'hasConfirmationLink',
  'deadlineAt',
] as const satisfies readonly (keyof CheckState)[];

export const STATE_TYPES: Record<(typeof STATE)[number], string> = {
  status: 'text',
  pingCount: 'bigint',
  lastReceivedAt: 'bigint',
  lastPingAt: 'bigint',
  lastStartAt: 'bigint',
  lastStartRid: 'uuid',
  runReported: 'boolean',
  lastDuration: 'bigint',
  lastFlipAt: 'bigint',
  excusedUntilAt: 'bigint',
  hasConfirmationLink: 'boolean',
  deadlineAt: 'bigint',
};

const isLongText = (field: keyof NewCheck) => LONG_TEXTS.some((text) => text === field);

export const SELECT_SUMMARIES = `select ${table.columnsOf(
  // The keys of the table are the fields of a new check.
  (Object.keys(columnOf) as (keyof NewCheck)[]).filter((field) => !isLongText(field)),
)} from checks`;

/** Reads checks, or the part of them that `select` names. */
export async function rowsOf<Row extends Flags>(
  db: Reader,
  select: string,
  where: string,
  params: readonly Value[],
): Promise<Row[]> {
  const rows = await db.all<Stored<Row>>(`${select} ${where}`, params);
  // Only the booleans have to be converted.
  return rows.map((row) => Object.assign(row, booleansOf(row)) as unknown as Row);
}

type Flags = Pick<
  PingedCheck,
  | 'manualResume'
  | 'filterSubject'
  | 'filterBody'
  | 'filterHttpBody'
  | 'filterDefaultFail'
  | 'runReported'
  | 'hasConfirmationLink'
>;

/** The result is assigned to the row, which only the caller has. That costs less than a copy of its many columns. */
export function booleansOf(row: Stored<Flags>): Flags {
  return {
    manualResume: Boolean(row.manualResume),
    filterSubject: Boolean(row.filterSubject),
    filterBody: Boolean(row.filterBody),
    filterHttpBody: Boolean(row.filterHttpBody),
    filterDefaultFail: Boolean(row.filterDefaultFail),
    runReported: Boolean(row.runReported),
    hasConfirmationLink: Boolean(row.hasConfirmationLink),
  };
}
