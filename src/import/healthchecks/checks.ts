import type { StoredStatus } from '../../domain/check/check.ts';
import type { CheckEdit } from '../../domain/check/check-edit.ts';
import { MAX_DURATION_SECONDS, MIN_DURATION_SECONDS } from '../../domain/check/settings.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault } from '../../lib/fields.ts';
import { type Instant, MICROS_PER_SECOND, type Micros } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { ChecksOfProject, ImportedCheck, ImportedState } from '../../services/importing/import.ts';
import { CHECK_FIELDS, scheduleFault } from '../../wire/api/check-fields.ts';
import type { RemarkList } from '../remarks.ts';
import { presentZone } from './accounts.ts';
import { type About, storableText } from './foreign-text.ts';
import { type CarriedCheck, readFlips, statusOf } from './history.ts';
import type { ProjectFound } from './projects.ts';
import { everyColumn, type HealthchecksSource } from './source.ts';
import type { Row } from './tables.ts';

/** Mail addresses of checks demand version 4. Healthchecks makes no others. */
const UUID_V4 = /^.{14}4.{4}[89ab]/;
const DAY_SECONDS = 86_400;
const NO_ALIASES: ImportedCheck['aliases'] = [];
/** Checks of one project that are made at once. */
const CHECKS_AT_ONCE = 100;
/** Rows of several small projects that are read at once. */
const ROWS_AT_ONCE = 1_000;

/** The checks of the projects that are read, without their contents. */
export interface ChecksFound {
  /** Those that come, by their ids in the source. */
  readonly carried: ReadonlyMap<number, CarriedCheck>;
  /** The numbers of checks by the ids of projects. */
  readonly ofProjects: ReadonlyMap<number, { readonly rows: number; readonly carried: number }>;
  readonly newestPingAt: Instant | null;
}

interface Schedule extends Pick<CheckEdit, 'schedule' | 'timeoutSeconds'> {
  /** The expression that is not understood here. */
  readonly refused?: string;
}

/** Finds all checks of the projects. */
export async function findChecks(
  source: HealthchecksSource,
  projects: ReadonlyMap<number, ProjectFound>,
  now: Instant,
): Promise<ChecksFound> {
  const carried = new Map<number, CarriedCheck>();
  const ofProjects = new Map<number, { rows: number; carried: number }>();
  const uuids = new Set<string>();
  let newestPingAt: Instant | null = null;
  const columns = ['id', 'code', 'project_id', 'n_pings', 'last_ping', 'last_start'] as const;
  for await (const row of source.rows('api_check', columns)) {
    const { id, code, project_id: project } = row;
    // It belongs to a project that does not come.
    if (project === null || !projects.has(project)) continue;
    const { rows = 0, carried: before = 0 } = ofProjects.get(project) ?? {};
    const isCarried = id !== null && code !== null && UUID_V4.test(code) && !uuids.has(code);
    ofProjects.set(project, { rows: rows + 1, carried: before + (isCarried ? 1 : 0) });
    if (!isCarried) continue;
    uuids.add(code);
    carried.set(id, { uuid: code, pingCount: pingCountOf(row) });
    newestPingAt = latest(newestPingAt, past(row.last_ping, now), past(row.last_start, now));
  }
  return { carried, ofProjects, newestPingAt };
}

export interface ChecksContext {
  readonly projects: ReadonlyMap<number, ProjectFound>;
  /** The UUIDs of integrations by their ids. */
  readonly channels: ReadonlyMap<number, string>;
  readonly found: ChecksFound;
  readonly now: Instant;
  readonly remarks: RemarkList;
}

/** Reads all checks of the projects, project by project. */
export async function* readChecks(
  source: HealthchecksSource,
  context: ChecksContext,
): AsyncGenerator<ChecksOfProject> {
  const { projects, channels, found, now, remarks } = context;
  const assigned = await readAssignments(source, channels);
  const flips = await readFlips(source, now);
  const unsent = flips.untold.filter((id) => found.carried.has(id)).length;
  if (unsent > 0)
    remarks.leaveOut({
      what: 'alerts',
      name: String(unsent),
      reason: 'the old server had not sent them yet, and nobody is told of them here',
      hint: 'see which checks are down',
    });
  for (const projectIds of lotsOf(found)) {
    const waiting = new Map<ProjectFound, ImportedCheck[]>();
    for await (const row of source.rows('api_check', everyColumn('api_check'), { projectIds })) {
      const project = projects.get(row.project_id ?? 0);
      if (project === undefined) continue;
      const made = checkOf(row, project, context);
      if (made === null) continue;
      const { id, ...check } = made;
      const some = waiting.get(project) ?? [];
      waiting.set(project, some);
      const declared = { ...check.declared, channels: assigned.get(id) ?? '' };
      some.push({ ...check, declared, flips: flips.of(id) });
      if (some.length < CHECKS_AT_ONCE) continue;
      waiting.delete(project);
      yield { projectUuid: project.uuid, checks: some };
    }
    for (const [{ uuid: projectUuid }, checks] of waiting) yield { projectUuid, checks };
  }
}

/** The ids of projects that are read together. A large project is alone. */
function* lotsOf({ ofProjects }: ChecksFound): Generator<readonly number[]> {
  let lot: number[] = [];
  let rows = 0;
  for (const [id, project] of ofProjects) {
    if (lot.length > 0 && rows + project.rows > ROWS_AT_ONCE) {
      yield lot;
      [lot, rows] = [[], 0];
    }
    lot.push(id);
    rows += project.rows;
  }
  if (lot.length > 0) yield lot;
}

/** Null if it does not come. */
function checkOf(
  row: Row<'api_check'>,
  project: ProjectFound,
  { found, now, remarks }: ChecksContext,
): (Omit<ImportedCheck, 'flips'> & { readonly id: number }) | null {
  const { id, code } = row;
  const label = row.name || row.slug || (code ?? '');
  const carried = found.carried.get(id ?? 0);
  if (id === null || carried === undefined) {
    const reason = 'its address is no UUID of version 4';
    remarks.leaveOut({ what: 'check', name: label, project: project.name, reason });
    return null;
  }
  const about = { entry: `check ${project.name}/${label}`, remarks };
  const schedule = scheduleOf(row, about);
  return {
    id,
    declared: { line: 0, uuid: carried.uuid, ...editOf(row, schedule, about) },
    createdAt: Math.min(row.created ?? now, now),
    badgeKey: row.badge_key,
    state: stateOf(row, schedule, now, about),
    aliases: NO_ALIASES,
  };
}

/** The UUIDs of integrations, separated by commas, by the ids of checks. */
async function readAssignments(
  source: HealthchecksSource,
  channels: ReadonlyMap<number, string>,
): Promise<ReadonlyMap<number, string>> {
  const once = keptOnce();
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

/** Equal texts become one, since most checks share their assignments. */
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
  about: About,
): { readonly slug: string; readonly edit: CheckEdit } {
  const keywords = (field: 'start_kw' | 'success_kw' | 'failure_kw') =>
    storableText(field, row[field], TEXT_LIMITS.checkKeywords, about);
  const slug = accepted('slug', row.slug, '', about);
  const description = storableText('desc', row.desc, TEXT_LIMITS.checkDescription, about);
  return {
    slug,
    edit: {
      slug,
      name: storableText('name', row.name, TEXT_LIMITS.checkName, about),
      tags: storableText('tags', row.tags, TEXT_LIMITS.checkTags, about),
      description: refused === undefined ? description : withLastLine(description, refused),
      ...schedule,
      tz: presentZone(row.tz, about),
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
  const lastPingAt = past(row.last_ping, now);
  const lastStartAt = past(row.last_start, now);
  return {
    status: refused === undefined ? knownStatus(row, lastPingAt, about) : 'paused',
    pingCount: pingCountOf(row),
    lastPingAt,
    lastStartAt,
    lastStartRid: lastStartAt === null ? null : row.last_start_rid,
    lastDuration: row.last_duration === null ? null : Math.max(row.last_duration, 0),
    hasConfirmationLink: row.has_confirmation_link,
  };
}

function pingCountOf({ n_pings: count }: Pick<Row<'api_check'>, 'n_pings'>): number {
  return Math.max(count ?? 0, 0);
}

/** A clock may have been ahead. */
function past(at: Instant | null, now: Instant): Instant | null {
  return at === null ? null : Math.min(at, now);
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
