import type { StoredStatus } from '../../domain/check/check.ts';
import type { CheckEdit } from '../../domain/check/check-edit.ts';
import { MAX_DURATION_SECONDS, MIN_DURATION_SECONDS } from '../../domain/check/settings.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault } from '../../lib/fields.ts';
import { type Instant, MICROS_PER_SECOND, type Micros } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { ImportedCheck, ImportedState } from '../../services/importing/import.ts';
import { CHECK_FIELDS, scheduleFault } from '../../wire/api/check-fields.ts';
import type { RemarkList } from '../remarks.ts';
import { presentZone } from './accounts.ts';
import { type About, storableText } from './foreign-text.ts';
import { type FlipFound, readFlips, statusOf } from './history.ts';
import type { ProjectFound } from './projects.ts';
import { everyColumn, type HealthchecksSource } from './source.ts';
import type { Row } from './tables.ts';

/** Mail addresses of checks demand version 4. Healthchecks makes no others. */
const UUID_V4 = /^.{14}4.{4}[89ab]/;
const DAY_SECONDS = 86_400;
const NO_FLIPS: readonly FlipFound[] = [];
const NO_ALIASES: ImportedCheck['aliases'] = [];

export interface ChecksFound {
  readonly imported: ReadonlyMap<string, ImportedCheck>;
  /** The UUIDs of carried checks by their ids in the source. */
  readonly uuids: ReadonlyMap<number, string>;
  readonly newestPingAt: Instant | null;
}

interface Schedule extends Pick<CheckEdit, 'schedule' | 'timeoutSeconds'> {
  /** The expression that is not understood here. */
  readonly refused?: string;
}

/** Reads all checks of the projects, and adds them to these. `channels` are UUIDs of integrations by their ids. */
export async function readChecks(
  source: HealthchecksSource,
  projects: ReadonlyMap<number, ProjectFound>,
  channels: ReadonlyMap<number, string>,
  now: Instant,
  remarks: RemarkList,
): Promise<ChecksFound> {
  const once = keptOnce();
  const assigned = await readAssignments(source, channels, once);
  const flips = await readFlips(source, now);
  const imported = new Map<string, ImportedCheck>();
  const uuids = new Map<number, string>();
  let newestPingAt: Instant | null = null;
  for await (const row of source.rows('api_check', everyColumn('api_check'))) {
    const project = projects.get(row.project_id ?? 0);
    // It belongs to a project that does not come.
    if (project === undefined) continue;
    const { id, code } = row;
    const label = row.name || row.slug || (code ?? '');
    if (id === null || code === null || !UUID_V4.test(code) || imported.has(code)) {
      const reason = 'its address is no UUID of version 4';
      remarks.leaveOut({ what: 'check', name: label, project: project.name, reason });
      continue;
    }
    const about = { entry: `check ${project.name}/${label}`, remarks };
    const schedule = scheduleOf({ ...row, schedule: once(row.schedule) }, about);
    const state = stateOf(row, schedule, now, about);
    project.checks.push({
      line: 0,
      uuid: code,
      ...editOf(row, schedule, once, about),
      channels: assigned.get(id) ?? '',
    });
    imported.set(code, {
      createdAt: Math.min(row.created ?? now, now),
      badgeKey: row.badge_key,
      state,
      flips: flips.get(id) ?? NO_FLIPS,
      aliases: NO_ALIASES,
    });
    flips.delete(id);
    uuids.set(id, code);
    newestPingAt = latest(newestPingAt, state.lastPingAt, state.lastStartAt);
  }
  return { imported, uuids, newestPingAt };
}

/** The UUIDs of integrations, separated by commas, by the ids of checks. */
async function readAssignments(
  source: HealthchecksSource,
  channels: ReadonlyMap<number, string>,
  once: (text: string) => string,
): Promise<ReadonlyMap<number, string>> {
  const assigned = new Map<number, string>();
  for await (const row of source.rows('api_channel_checks', ['channel_id', 'check_id'])) {
    const uuid = channels.get(row.channel_id ?? 0);
    if (uuid === undefined || row.check_id === null) continue;
    const known = assigned.get(row.check_id);
    if (known === undefined) assigned.set(row.check_id, uuid);
    else if (!known.includes(uuid)) assigned.set(row.check_id, once(`${known},${uuid}`));
  }
  return assigned;
}

/** Equal texts become one, since most checks share zones, schedules, tags and assignments. */
function keptOnce(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const kept = known.get(text);
    if (kept === undefined) known.set(text, text);
    return kept ?? text;
  };
}

function editOf(
  row: Row<'api_check'>,
  { refused, ...schedule }: Schedule,
  once: (text: string) => string,
  about: About,
): { readonly slug: string; readonly edit: CheckEdit } {
  const text = (field: string, value: string, limit: number) =>
    once(storableText(field, value, limit, about));
  const keywords = (field: 'start_kw' | 'success_kw' | 'failure_kw') =>
    text(field, row[field], TEXT_LIMITS.checkKeywords);
  const slug = accepted('slug', row.slug, '', about);
  const description = storableText('desc', row.desc, TEXT_LIMITS.checkDescription, about);
  return {
    slug,
    edit: {
      slug,
      name: storableText('name', row.name, TEXT_LIMITS.checkName, about),
      tags: text('tags', row.tags, TEXT_LIMITS.checkTags),
      description: refused === undefined ? description : withLastLine(description, refused),
      ...schedule,
      tz: once(presentZone(row.tz, about)),
      graceSeconds: durationOf('grace', row.grace, about),
      manualResume: row.manual_resume,
      methods: accepted('methods', row.methods, '', about),
      startKeywords: keywords('start_kw'),
      successKeywords: keywords('success_kw'),
      failureKeywords: keywords('failure_kw'),
      filterSubject: row.filter_subject,
      filterBody: row.filter_body,
      filterHttpBody: row.filter_http_body,
      filterDefaultFail: row.filter_default_fail,
    },
  };
}

/** The value as the API reads it, or else the given one, with a remark. */
function accepted<T extends string>(
  field: 'slug' | 'methods',
  value: string,
  otherwise: T,
  { entry, remarks }: About,
): T {
  const read = CHECK_FIELDS[field].read(value, field);
  // The fields of these names read texts of this type.
  if (!(read instanceof Fault)) return read as T;
  remarks.change({ entry, field, was: value, became: otherwise, reason: read.reason });
  return otherwise;
}

function scheduleOf(row: Row<'api_check'>, about: About): Schedule {
  const { kind, schedule: written } = row;
  if (kind === 'simple') return { timeoutSeconds: durationOf('timeout', row.timeout, about) };
  const schedule = CHECK_FIELDS.schedule.read(written, 'schedule');
  if (!(schedule instanceof Fault) && schedule.kind === kind) return { schedule };
  const refused = storableText('schedule', written, TEXT_LIMITS.checkSchedule, about);
  about.remarks.change({
    entry: about.entry,
    field: 'schedule',
    was: refused,
    became: 'paused, every day',
    reason: scheduleFault(refused) ?? `it is no schedule of the kind ${kind}`,
  });
  return { timeoutSeconds: DAY_SECONDS, refused };
}

function durationOf(field: 'timeout' | 'grace', duration: Micros | null, { entry, remarks }: About): number {
  const written = Math.round((duration ?? 0) / MICROS_PER_SECOND);
  const became = Math.min(Math.max(written, MIN_DURATION_SECONDS), MAX_DURATION_SECONDS);
  if (became !== written)
    remarks.change({ entry, field, was: written, became, reason: 'it is between a minute and a year' });
  return became;
}

function withLastLine(text: string, line: string): string {
  if (text === '') return line;
  return `${firstCharacters(text, TEXT_LIMITS.checkDescription - line.length - 1)}\n${line}`;
}

function stateOf(row: Row<'api_check'>, { refused }: Schedule, now: Instant, about: About): ImportedState {
  const past = (at: Instant | null) => (at === null ? null : Math.min(at, now));
  const lastPingAt = past(row.last_ping);
  const lastStartAt = past(row.last_start);
  return {
    status: refused === undefined ? knownStatus(row, lastPingAt, about) : 'paused',
    pingCount: Math.max(row.n_pings ?? 0, 0),
    lastPingAt,
    lastStartAt,
    lastStartRid: lastStartAt === null ? null : row.last_start_rid,
    lastDuration: row.last_duration === null ? null : Math.max(row.last_duration, 0),
    hasConfirmationLink: row.has_confirmation_link,
  };
}

/** A check without a ping cannot be up: lateness counts from the last one. */
function knownStatus(
  { status: written }: Row<'api_check'>,
  lastPingAt: Instant | null,
  { entry, remarks }: About,
): StoredStatus {
  const status = statusOf(written);
  if (status !== null && (status !== 'up' || lastPingAt !== null)) return status;
  const reason = status === null ? 'there is no such status' : 'it has no last ping';
  remarks.change({ entry, field: 'status', was: written, became: 'new', reason });
  return 'new';
}

function latest(...times: (Instant | null)[]): Instant | null {
  const known = times.filter((at) => at !== null);
  return known.length === 0 ? null : Math.max(...known);
}
