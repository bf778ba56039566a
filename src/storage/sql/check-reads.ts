import type { Check, CheckOutline, CheckRef, CheckSummary, PingedCheck } from '../../domain/check/check.ts';
import { RULES } from '../../domain/check/settings.ts';
import type { Timed } from '../../domain/check/status.ts';
import type { Role } from '../../domain/people/permission.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Value } from '../driver.ts';
import { type FoundCheck, findAccess, findVisited } from './check-access.ts';
import { rowsOf, SELECT_SUMMARIES, STATE, TIMED_FIELDS, table } from './check-rows.ts';
import { findMailed, type MailedCheck, type SlugTarget } from './checks-by-address.ts';
import { alarmedAt, downAt, overdueAt, STORED_DOWN } from './down.ts';
import { isLive } from './membership.ts';
import { Statements } from './statements.ts';
import { oneRow, type Stored } from './table.ts';

/** A check with the fields that decide its status. */
export interface TimedCheck extends Timed {
  readonly id: number;
  readonly snoozedUntilAt: Instant | null;
}

export interface CheckFilter {
  /** Null matches any slug. A slug need not be unique. */
  readonly slug: string | null;
  /** A check must carry all of them. */
  readonly tags: readonly string[];
}

/** A check with the number of its present form. Any change of what readers see of the check raises the number. */
export interface RevisedCheck extends Check {
  readonly revision: number;
}

/** Enough to know whether a kept form of a check is still right. */
export interface CheckRevision {
  readonly id: number;
  readonly projectId: number;
  readonly revision: number;
}

/** The tags of a check, and who has set its fields. */
export interface SourcedCheck {
  readonly id: number;
  readonly tags: string;
  readonly sources: string;
}

export interface CheckLabel {
  readonly uniqueKey: string;
  readonly name: string;
  readonly slug: string;
}

export interface OthersDown {
  readonly total: number;
  readonly down: number;
  /** Those that nobody is told of, since they depend on the given one. */
  readonly held: number;
  readonly newest: readonly CheckSummary[];
}

export const pingedColumns = table.columnsOf(['uuid', 'projectId', 'isHeard', ...RULES, ...STATE]);

export const SELECT_PINGED = `select ${pingedColumns} from checks`;

export const SELECT_CHECKS = `select ${table.columns} from checks`;

const SELECT_TIMED = `select ${table.columnsOf([...TIMED_FIELDS, 'snoozedUntilAt'])} from checks`;

/** The checks of project `$1` after id `$2` with tag `$4`, at most `$3`. An index alone tells them. */
const TAGGED_IDS = `select check_id as id from check_tags where project_id = $1 and tag = $4 and check_id > $2
  order by check_id limit $3`;

/** Both engines know the length of a text without reading it. */
const SELECT_OUTLINES = 'select id, revision, octet_length(description) as "descriptionBytes" from checks';

const SELECT_REVISED = `select ${table.columns}, revision from checks`;

const SELECT_REVISIONS = 'select id, project_id as "projectId", revision from checks';

/**
 * The largest number of overdue checks that are compared to find the oldest deadline. Only alarms have an index, and an
 * alarm may be earlier than its deadline.
 */
const MAX_COMPARED = 100;

const NO_FILTER: CheckFilter = { slug: null, tags: [] };

/** The largest number of checks that are compared to find one for an example. */
const MAX_EXAMPLES = 100;

/** A condition: the column equals one of the texts that `textList` binds to the parameter. */
export function amongTexts({ hasArrays }: Dialect, column: string, parameter: string): string {
  return hasArrays
    ? `${column} = any(${parameter}::text[])`
    : `${column} in (select value from json_each(${parameter}))`;
}

/** A condition: the check has one of the UUIDs that `textList` binds to the parameter. */
export function amongUuids(dialect: Dialect, parameter: string): string {
  return dialect.hasArrays ? `uuid = any(${parameter}::uuid[])` : amongTexts(dialect, 'uuid', parameter);
}

export function textList({ hasArrays }: Dialect, texts: readonly string[]): Value {
  return hasArrays ? texts : JSON.stringify(texts);
}

/** Our texts never contain NUL, and PostgreSQL rejects a query with it. */
function isStorable(text: string): boolean {
  return !text.includes('\0');
}

interface AssignedUuid {
  readonly checkId: number;
  readonly uuid: string;
}

function uuidsByCheck(links: readonly AssignedUuid[]): Map<number, string[]> {
  const byCheck = Map.groupBy(links, ({ checkId }) => checkId);
  return new Map([...byCheck].map(([checkId, group]) => [checkId, group.map(({ uuid }) => uuid)]));
}

export class SqlCheckReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The project's checks in order of creation. */
  async ofProject(projectId: number): Promise<CheckSummary[]> {
    return rowsOf(this.db, SELECT_SUMMARIES, 'where project_id = $1 order by id', [projectId]);
  }

  /** The project's checks after that id, in order of creation, at most `limit`. */
  async pageOfProject(projectId: number, afterId: number, limit: number): Promise<CheckSummary[]> {
    const where = 'where project_id = $1 and id > $2 order by id limit $3';
    return rowsOf(this.db, SELECT_SUMMARIES, where, [projectId, afterId, limit]);
  }

  /** The columns that decide the status of these checks. With a tag, only checks with the tag. */
  async timedPage(
    projectId: number,
    afterId: number,
    limit: number,
    tag: string | null,
  ): Promise<TimedCheck[]> {
    if (tag !== null && !isStorable(tag)) return [];
    const where =
      tag === null
        ? 'where project_id = $1 and id > $2 order by id limit $3'
        : `where id in (${TAGGED_IDS}) order by id`;
    return this.#timed(where, [projectId, afterId, limit, ...(tag === null ? [] : [tag])]);
  }

  /** The timed columns of these checks, in order of creation. */
  async timedByIds(ids: readonly number[]): Promise<TimedCheck[]> {
    return this.#timed(`where id ${this.dialect.inList('$1')} order by id`, [this.dialect.list(ids)]);
  }

  async #timed(where: string, params: readonly Value[]): Promise<TimedCheck[]> {
    const rows = await this.db.all<Stored<TimedCheck>>(`${SELECT_TIMED} ${where}`, params);
    return rows.map((row) => Object.assign(row, { runReported: Boolean(row.runReported) }));
  }

  /** The ids of the project's checks with the tag after that id, in order of creation, at most `limit`. */
  async idsTagged(projectId: number, tag: string, afterId: number, limit: number): Promise<number[]> {
    if (!isStorable(tag)) return [];
    const rows = await this.db.all<{ id: number }>(TAGGED_IDS, [projectId, afterId, limit, tag]);
    return rows.map(({ id }) => id);
  }

  /** The project's checks that name the policy as their own, in order of creation. */
  async ofPolicy(projectId: number, policy: string): Promise<CheckSummary[]> {
    return rowsOf(this.db, SELECT_SUMMARIES, 'where project_id = $1 and policy = $2 order by id', [
      projectId,
      policy,
    ]);
  }

  /** How many of the project's checks name each policy as their own, by its name. */
  async countByPolicy(projectId: number): Promise<Map<string, number>> {
    const rows = await this.db.all<{ policy: string; count: number }>(
      `select policy, count(*) as count from checks where project_id = $1 and policy <> '' group by policy`,
      [projectId],
    );
    return new Map(rows.map(({ policy, count }) => [policy, count]));
  }

  /** The number of the project's checks with the tag, and of those that are stored as down. */
  async countTagged(
    projectId: number,
    tag: string,
  ): Promise<{ readonly total: number; readonly down: number }> {
    const rows = await this.db.all<{ total: number; down: number | null }>(
      `select count(*) as total, sum(case when ${STORED_DOWN} then 1 else 0 end) as down
         from check_tags join checks on checks.id = check_tags.check_id
        where check_tags.project_id = $1 and tag = $2`,
      [projectId, tag],
    );
    const { total, down } = oneRow(rows);
    return { total, down: down ?? 0 };
  }

  /** The tags of the project's checks, each once, by code point. */
  async tagsOfProject(projectId: number): Promise<string[]> {
    const rows = await this.db.all<{ tag: string }>(
      'select distinct tag from check_tags where project_id = $1 order by tag',
      [projectId],
    );
    return rows.map(({ tag }) => tag);
  }

  /**
   * The project's checks that are down at that time, in order of creation. They count even if the deadline loop has not
   * noticed yet.
   */
  async downOfProject(projectId: number, now: number): Promise<CheckSummary[]> {
    const where = `where project_id = $1 and ${downAt('$2')} order by id`;
    return rowsOf(this.db, SELECT_SUMMARIES, where, [projectId, now]);
  }

  /**
   * The number of checks in the project, the number that are down besides the given one, and the `limit` of these that
   * went down last.
   */
  async othersDown(projectId: number, exceptId: number, now: Instant, limit: number): Promise<OthersDown> {
    const where = `project_id = $1 and ${downAt('$2')} and id <> $3`;
    const params = [projectId, now, exceptId];
    const [counted] = await this.db.all<{ down: number; held: number }>(
      `select count(*) as down,
              (select count(*) from check_parents join outages on outages.check_id = check_parents.check_id
                where parent_id = $3 and ended_at is null and held_by = 'parent') as held
         from checks where ${where}`,
      params,
    );
    const { down = 0, held = 0 } = counted ?? {};
    const newest =
      down === 0
        ? []
        : await rowsOf<CheckSummary>(
            this.db,
            SELECT_SUMMARIES,
            `where ${where} order by coalesce(last_flip_at, 0) desc, id limit $4`,
            [...params, limit],
          );
    return { total: await this.countOfProject(projectId), down, held, newest };
  }

  /**
   * A check for an example of an alert: the one that went down last, else the one that was pinged last. In a project with
   * very many checks, only some of those that are down and the newest ones are compared. Null if the project has none.
   */
  async exampleOfProject(projectId: number): Promise<Check | null> {
    const fallen = `select id, last_flip_at as at from checks where project_id = $1 and ${STORED_DOWN} limit $2`;
    const pinged =
      'select id, last_received_at as at from checks where project_id = $1 order by id desc limit $2';
    const latest = (some: string) =>
      `(select id from (${some}) as compared order by coalesce(at, 0) desc, id limit 1)`;
    const where = `where id = coalesce(${latest(fallen)}, ${latest(pinged)})`;
    const [check] = await rowsOf<Check>(this.db, SELECT_CHECKS, where, [projectId, MAX_EXAMPLES]);
    return check ?? null;
  }

  /** The project's checks that are up and were down before, since after that time, the newest first, at most `limit`. */
  async recoveredSince(
    projectId: number,
    after: Instant,
    limit: number,
  ): Promise<{ name: string; at: Instant }[]> {
    return this.db.all(
      `select checks.name, checks.last_flip_at as at from checks
        where project_id = $1 and status = 'up' and last_flip_at > $2
          and exists (select 1 from flips
                       where check_id = checks.id and created_at = checks.last_flip_at
                         and old_status = 'down' and new_status = 'up')
        order by last_flip_at desc, id limit $3`,
      [projectId, after, limit],
    );
  }

  /** The project's checks that match the filter, in order of creation. */
  async outlinesOf(projectId: number, { slug, tags }: CheckFilter = NO_FILTER): Promise<CheckOutline[]> {
    if (![slug ?? '', ...tags].every(isStorable)) return [];
    const params: Value[] = [projectId];
    const conditions = ['project_id = $1'];
    if (slug !== null) conditions.push(`slug = $${params.push(slug)}`);
    if (tags.length > 0) {
      const wanted = [...new Set(tags)];
      const isWanted = amongTexts(this.dialect, 'tag', `$${params.push(textList(this.dialect, wanted))}`);
      conditions.push(`id in (select check_id from check_tags where project_id = $1 and ${isWanted}
        group by check_id having count(*) = $${params.push(wanted.length)})`);
    }
    return this.db.all(`${SELECT_OUTLINES} where ${conditions.join(' and ')} order by id`, params);
  }

  /** The names by which the project's checks are found, in order of creation. */
  async namesOfProject(projectId: number): Promise<{ id: number; uuid: string; slug: string }[]> {
    return this.db.all('select id, uuid, slug from checks where project_id = $1 order by id', [projectId]);
  }

  /** What people call the project's checks, in order of creation, at most `most`. */
  async labelsOfProject(projectId: number, most: number): Promise<CheckLabel[]> {
    return this.db.all(
      'select unique_key as "uniqueKey", name, slug from checks where project_id = $1 order by id limit $2',
      [projectId, most],
    );
  }

  /** The zones of the project's checks that have a schedule, the most used first, at most ten. */
  async zonesOfProject(projectId: number): Promise<string[]> {
    const rows = await this.db.all<{ tz: string }>(
      `select tz from checks where project_id = $1 and kind <> 'simple'
        group by tz order by count(*) desc, tz limit 10`,
      [projectId],
    );
    return rows.map(({ tz }) => tz);
  }

  /** The first checks of the project with this slug. */
  async namedBySlug(projectId: number, slug: string): Promise<{ id: number; name: string }[]> {
    if (!isStorable(slug)) return [];
    return this.db.all(
      'select id, name from checks where project_id = $1 and slug = $2 order by id limit 2',
      [projectId, slug],
    );
  }

  async byId(id: number): Promise<Check | null> {
    const [check] = await rowsOf<Check>(this.db, SELECT_CHECKS, 'where id = $1', [id]);
    return check ?? null;
  }

  async keysOf(ids: readonly number[]): Promise<{ id: number; uniqueKey: string }[]> {
    return this.db.all(
      `select id, unique_key as "uniqueKey" from checks where id ${this.dialect.inList('$1')}`,
      [this.dialect.list(ids)],
    );
  }

  /** The UUIDs of these checks, by their ids. */
  async uuidsOf(projectId: number, ids: readonly number[]): Promise<Map<number, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db.all<{ id: number; uuid: string }>(
      `select id, uuid from checks where project_id = $1 and id ${this.dialect.inList('$2')}`,
      [projectId, this.dialect.list(ids)],
    );
    return new Map(rows.map(({ id, uuid }) => [id, uuid]));
  }

  /** The checks with these ids, in order of creation. */
  async byIds(ids: readonly number[]): Promise<Check[]> {
    const where = `where id ${this.dialect.inList('$1')} order by id`;
    return rowsOf(this.db, SELECT_CHECKS, where, [this.dialect.list(ids)]);
  }

  async revisedById(id: number): Promise<RevisedCheck | null> {
    const [check] = await rowsOf<RevisedCheck>(this.db, SELECT_REVISED, 'where id = $1', [id]);
    return check ?? null;
  }

  /** The checks with these ids and their revisions, in order of creation. */
  async revisedByIds(ids: readonly number[]): Promise<RevisedCheck[]> {
    const where = `where id ${this.dialect.inList('$1')} order by id`;
    return rowsOf(this.db, SELECT_REVISED, where, [this.dialect.list(ids)]);
  }

  /** The check that `byUuid` finds, without reading it. */
  async revisionByUuid(uuid: string): Promise<CheckRevision | null> {
    return this.first(`${SELECT_REVISIONS} where uuid = $1`, [uuid]);
  }

  /** The check that `byUniqueKey` finds, without reading it. */
  async revisionByUniqueKey(projectId: number, uniqueKey: string): Promise<CheckRevision | null> {
    const where = 'where project_id = $1 and unique_key = $2';
    return this.first(`${SELECT_REVISIONS} ${where}`, [projectId, uniqueKey]);
  }

  /**
   * The oldest deadline that has passed unnoticed by that time. Null if there is none. If there are many, only the
   * first ones by alarm are compared.
   */
  async oldestOverdueAt(now: number): Promise<number | null> {
    const rows = await this.db.all<{ at: number | null }>(
      `select min(deadline_at) as at from (
         select deadline_at from checks where ${alarmedAt('$1')} and ${overdueAt('$1')}
          order by alarm_at limit $2) as overdue`,
      [now, MAX_COMPARED],
    );
    return oneRow(rows).at;
  }

  /** The checks of the whole installation after that id, in order of creation, at most `limit`. */
  async pageOfAll(afterId: number, limit: number): Promise<PingedCheck[]> {
    return rowsOf(this.db, SELECT_PINGED, 'where id > $1 order by id limit $2', [afterId, limit]);
  }

  /** A time before which no deadline passes. Null if nothing is watched. */
  async nextDeadlineAt(): Promise<number | null> {
    const [row] = await this.db.all<{ at: number }>(
      'select alarm_at as at from checks where alarm_at is not null order by alarm_at limit 1',
    );
    return row?.at ?? null;
  }

  /** The check with this UUID, in any project. The caller compares the project. */
  async byUuid(uuid: string): Promise<Check | null> {
    const [check] = await rowsOf<Check>(this.db, SELECT_CHECKS, 'where uuid = $1', [uuid]);
    return check ?? null;
  }

  /** The checks with these UUIDs, and those with these ping keys and slugs. Each says how it was found. */
  async mailed(uuids: readonly string[], slugs: readonly SlugTarget[]): Promise<MailedCheck[]> {
    return findMailed(this.db, this.dialect, uuids, slugs);
  }

  async byUniqueKey(projectId: number, uniqueKey: string): Promise<Check | null> {
    const where = 'where project_id = $1 and unique_key = $2';
    const [check] = await rowsOf<Check>(this.db, SELECT_CHECKS, where, [projectId, uniqueKey]);
    return check ?? null;
  }

  /** The check whose own public badge has this key, unless its project is deleted. */
  async byBadgeKey(badgeKey: string): Promise<CheckSummary | null> {
    const where = `where badge_key = $1 and ${isLive('checks.project_id')}`;
    const [check] = await rowsOf<CheckSummary>(this.db, SELECT_SUMMARIES, where, [badgeKey]);
    return check ?? null;
  }

  /** The check, and the role that the account has in its project. Null if it has none, or the project is deleted. */
  async accessOf(accountId: number, ref: CheckRef): Promise<(FoundCheck & { role: Role }) | null> {
    return findAccess(this.db, accountId, ref);
  }

  /** The check, if an administrator visits its project in that session. */
  async visitedIn(sessionId: number, ref: CheckRef, now: number): Promise<FoundCheck | null> {
    return findVisited(this.db, sessionId, ref, now);
  }

  /** UUIDs of the channels assigned to each of the project's checks, by check id, sorted. */
  async channelsOfProject(projectId: number): Promise<Map<number, string[]>> {
    const links = await this.db.all<AssignedUuid>(
      `select check_channels.check_id as "checkId", channels.uuid
         from channels join check_channels on check_channels.channel_id = channels.id
        where channels.project_id = $1
        order by channels.uuid`,
      [projectId],
    );
    return uuidsByCheck(links);
  }

  /** UUIDs of the channels assigned to each of these checks, by check id, sorted. */
  async channelsOfMany(checkIds: readonly number[]): Promise<Map<number, string[]>> {
    // A subquery reads each channel by its id. For a join PostgreSQL may read all channels.
    const links = await this.db.all<AssignedUuid>(
      `select check_id as "checkId", (select uuid from channels where channels.id = channel_id) as uuid
         from check_channels
        where check_id ${this.dialect.inList('$1')}
        order by uuid`,
      [this.dialect.list(checkIds)],
    );
    return uuidsByCheck(links);
  }

  /** Those of the project's checks with these UUIDs that know who has set their fields, in order of creation. */
  async sourcedIn(projectId: number, uuids: readonly string[]): Promise<SourcedCheck[]> {
    // With the plus sign only the index of UUIDs is used. The one of projects would read all of its checks.
    return this.db.all<SourcedCheck>(
      `select id, tags, sources from checks
        where +project_id = $1 and ${amongUuids(this.dialect, '$2')} and sources is not null
        order by id`,
      [projectId, textList(this.dialect, uuids)],
    );
  }

  /** UUIDs of the channels assigned to one check, sorted. */
  async channelsOf(checkId: number): Promise<string[]> {
    const links = await this.db.all<{ uuid: string }>(
      `select channels.uuid
         from check_channels join channels on channels.id = check_channels.channel_id
        where check_channels.check_id = $1
        order by channels.uuid`,
      [checkId],
    );
    return links.map((link) => link.uuid);
  }

  async countOfProject(projectId: number): Promise<number> {
    return this.counted('select count(*) as count from checks where project_id = $1', [projectId]);
  }

  /** The id of the newest check. Null if there is none. */
  async lastId(): Promise<number | null> {
    return oneRow(await this.db.all<{ id: number | null }>('select max(id) as id from checks')).id;
  }

  /** The number of checks in the whole installation. Stops counting at `most`. */
  async count(most: number): Promise<number> {
    return this.counted('select count(*) as count from (select 1 from checks limit $1) as counted', [most]);
  }

  /** The number of pings that all checks together have received. */
  async pingTotal(): Promise<number> {
    const rows = await this.db.all<{ total: number }>(
      'select cast(coalesce(sum(ping_count), 0) as bigint) as total from checks',
    );
    return oneRow(rows).total;
  }
}
