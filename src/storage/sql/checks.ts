import type { ChangeCollector, OwnedRow } from '../../domain/change.ts';
import type { Check, CheckMatch, CheckState, NewCheck, PingedCheck } from '../../domain/check/check.ts';
import type { QuietTime } from '../../domain/check/quiet-time.ts';
import type { Span } from '../../domain/check/status.ts';
import { splitTags } from '../../domain/check/tags.ts';
import { mayChangeStatus } from '../../domain/public/kept-counts.ts';
import type { Dialect } from '../dialect.ts';
import type { Value, Writer } from '../driver.ts';
import { abandonBodies } from './bodies.ts';
import { SqlCheckParents } from './check-parents.ts';
import {
  amongTexts,
  amongUuids,
  pingedColumns,
  SELECT_CHECKS,
  SELECT_PINGED,
  SqlCheckReads,
  textList,
} from './check-reads.ts';
import { EDITABLE, NEXT_REVISION, rowsOf, STATE, STATE_TYPES, table, withBooleans } from './check-rows.ts';
import { findBySlug, type SlugTarget } from './checks-by-address.ts';
import { type ColumnSet, ColumnSets } from './column-sets.ts';
import { alarmedAt, overdueAt } from './down.ts';
import type { HeldCheck, KnownChecks } from './known-checks.ts';
import {
  type AliasesOfCheck,
  aliasesAmong,
  type KnownAlias,
  SqlPingAliases,
  withDialects,
} from './ping-aliases.ts';
import { insertForAll, oneRow, type Stored, sendForAll, unnest } from './table.ts';

export interface CheckChange {
  readonly before: HeldCheck;
  readonly after: HeldCheck;
}

const HELD = `${pingedColumns}, alarm_at as "alarmAt"`;

/** For pings that declare their checks. */
const DECLARED = `${HELD}, declaration_seen as "declarationSeen",
  (select job_declarations from projects where projects.id = checks.project_id) as "declarationMode"`;

const stateColumns = STATE.map((field) => table.column(field));

const SAVE_STATE = {
  one: `update checks set ${table.assignments(STATE, 2)}, ${NEXT_REVISION} where id = $1`,
  many: `update checks set ${stateColumns.map((column) => `${column} = new.${column}`).join(', ')}, alarm_at = new.deadline_at,
                ${NEXT_REVISION}
           from ${unnest(['bigint', ...STATE.map((field) => STATE_TYPES[field])])} as new (id, ${stateColumns.join(', ')})
          where checks.id = new.id`,
};

const INSERT = table.insertForAll('returning id, uuid');

const INSERT_TAGS = {
  one: `insert into check_tags (project_id, tag, check_id)
       select project_id, $3, id from checks where id = $1 and project_id = $2
       on conflict do nothing`,
  many: `insert into check_tags (project_id, tag, check_id)
         select checks.project_id, new.tag, checks.id
           from ${unnest(['bigint', 'bigint', 'text'])} as new (id, project_id, tag)
           join checks on checks.id = new.id and checks.project_id = new.project_id
         on conflict do nothing`,
};

const ASSIGN = {
  one: 'insert into check_channels (check_id, channel_id) values ($1, $2)',
  many: `insert into check_channels (check_id, channel_id) select * from ${unnest(['bigint', 'bigint'])}`,
};

/** What no ping changes unless it changes the status, and the quiet time. */
const NOT_OF_PINGS: readonly (keyof CheckState)[] = [
  'status',
  'lastFlipAt',
  'timedAt',
  'quietFromAt',
  'quietUntilAt',
];

/** What pings change that change no status and no alarm. */
const UNINDEXED = new ColumnSets<PingedCheck>(
  [{ name: 'id', type: 'bigint', field: 'id' }],
  STATE.filter((field) => !NOT_OF_PINGS.includes(field)).map((field) => ({
    name: table.column(field),
    type: STATE_TYPES[field],
    field,
  })),
  (columns) => {
    const names = columns.map(({ name }) => name);
    const [, ...changed] = names;
    const assigned = (values: readonly string[]) =>
      [...changed.map((name, index) => `${name} = ${values[index]}`), NEXT_REVISION].join(', ');
    return {
      one: `update checks set ${assigned(changed.map((_, index) => `$${index + 2}`))} where id = $1`,
      many: `update checks set ${assigned(changed.map((name) => `new.${name}`))}
           from ${unnest(columns.map(({ type }) => type))} as new (${names.join(', ')})
          where checks.id = new.id`,
    };
  },
);

const lastPing = (column: string, condition: string) =>
  `(select ${column} from pings where check_id = checks.id and ${condition} order by n desc limit 1)`;

const fillStatement = (inList: string) =>
  `update checks set last_success_at = coalesce(last_success_at, ${lastPing('created_at', "signal = 'success'")}),
          last_result = coalesce(last_result, ${lastPing('signal', "signal in ('success', 'fail')")}), ${NEXT_REVISION}
    where id ${inList}`;

const SET_POLICY = {
  one: `update checks set policy = $2, sources = coalesce($3, sources), ${NEXT_REVISION} where id = $1`,
  many: `update checks set policy = new.policy, sources = coalesce(new.sources, checks.sources), ${NEXT_REVISION}
           from ${unnest(['bigint', 'text', 'text'])} as new (id, policy, sources)
          where checks.id = new.id`,
};

/** The largest number of checks that one statement excuses. */
const MAX_EXCUSED = 1_000;

/** The columns of an upsert's criteria, in the order of the generated condition. */
const MATCHABLE = {
  name: 'name',
  slug: 'slug',
  tags: 'tags',
  timeoutSeconds: 'timeout_seconds',
  graceSeconds: 'grace_seconds',
} as const satisfies Record<keyof CheckMatch, string>;

/** What a quiet time has to know of a check. */
export type TaggedCheck = PingedCheck & Pick<Check, 'tags'>;

/** The names by which a check is found. */
export interface CheckNames {
  readonly id: number;
  readonly uuid: string;
  readonly uniqueKey: string;
  readonly slug: string;
}

const NAMES = 'id, uuid, unique_key as "uniqueKey", slug';

export class SqlChecks extends SqlCheckReads<Writer> {
  readonly #known: KnownChecks;
  readonly #touched: ChangeCollector;
  readonly #parents: SqlCheckParents;

  constructor(db: Writer, dialect: Dialect, known: KnownChecks, touched: ChangeCollector) {
    super(db, dialect);
    this.#known = known;
    this.#touched = touched;
    this.#parents = new SqlCheckParents(db, dialect, touched);
  }

  /** Holds the row until the transaction ends, so that a concurrent ping is not overwritten. */
  async lock(id: number): Promise<Check | null> {
    const where = `where id = $1 ${this.dialect.forUpdate}`;
    const [check] = await rowsOf<Check>(this.db, SELECT_CHECKS, where, [id]);
    return check ?? null;
  }

  /**
   * Postpones deadlines that passed after `since`, and those that an earlier excuse had moved beyond `since`. The new
   * deadline is `now` plus the check's grace, or plus `least` if that is longer. If it lies in a quiet time, the check is
   * looked at then, and put off. Returns their number.
   */
  async excuseOverdue(since: number, now: number, least: number): Promise<number> {
    this.#known.forget();
    const again = `excused_until_at > $1 and deadline_at > $1 and ${overdueAt('excused_until_at')}`;
    const overdue = `${alarmedAt('$2')} and deadline_at > $1 and ${overdueAt('$2')}`;
    return (
      (await this.#excuse('excused_until_at', again, [since, now, least])) +
      (await this.#excuse('alarm_at', overdue, [since, now, least]))
    );
  }

  /**
   * Excuses a limited number of checks with each statement, in the order of the column. The time of a statement is
   * limited, while the number of checks is not.
   */
  async #excuse(column: string, condition: string, [since, now, least]: [number, number, number]) {
    const grace = 'cast(grace_seconds as bigint) * 1000000';
    const until = `cast($2 as bigint) + case when ${grace} > $3 then ${grace} else $3 end`;
    let excused = 0;
    for (let from = 0; ; ) {
      const some = await this.db.all<OwnedRow & { at: number }>(
        `select id, project_id as "projectId", ${column} as at from checks
          where ${column} is not null and ${column} >= $4 and ${condition} and deadline_at <> ${until}
          order by ${column} limit $5 ${this.dialect.forUpdate}`,
        [since, now, least, from, MAX_EXCUSED],
      );
      if (some.length === 0) return excused;
      for (const check of some) this.#touched.addCheck(check);
      excused += await this.db.run(
        `update checks set excused_until_at = ${until}, deadline_at = ${until}, alarm_at = ${until}, ${NEXT_REVISION}
          where id ${this.dialect.inList('$1')}`,
        [this.dialect.list(some.map(({ id }) => id)), now, least],
      );
      from = some.at(-1)?.at ?? from;
      if (some.length < MAX_EXCUSED) return excused;
    }
  }

  /**
   * Finds checks whose alarm has come and whose deadline is later or gone, at most `limit`. They are not looked at
   * again before their deadline. Returns their number. No change is announced: readers never see the time at which a
   * deadline is looked at.
   */
  async putOffAlarms(now: number, limit: number): Promise<number> {
    this.#known.forget();
    const stale = await this.db.all<{ id: number }>(
      `select id from checks
        where ${alarmedAt('$1')} and (${overdueAt('$1')}) is not true
        order by alarm_at limit $2 ${this.#skippingLocked}`,
      [now, limit],
    );
    if (stale.length === 0) return 0;
    return this.db.run(`update checks set alarm_at = deadline_at where id ${this.dialect.inList('$1')}`, [
      this.dialect.list(stale.map(({ id }) => id)),
    ]);
  }

  /** Skips rows that another node holds: that node decides about them. */
  get #skippingLocked(): string {
    return this.dialect.forUpdate === '' ? '' : `${this.dialect.forUpdate} skip locked`;
  }

  /** Locks checks whose deadline has come, the longest overdue first, at most `limit`. */
  async lockOverdue(now: number, limit: number): Promise<PingedCheck[]> {
    return rowsOf(
      this.db,
      SELECT_PINGED,
      `where ${alarmedAt('$1')} and ${overdueAt('$1')}
        order by alarm_at limit $2 ${this.#skippingLocked}`,
      [now, limit],
    );
  }

  /**
   * Locks all the rows. Every process locks them in the same order, so that batches never deadlock. `areDeclared`: also reads
   * what pings need that declare their checks.
   */
  async lockMany(uuids: readonly string[], areDeclared = false): Promise<HeldCheck[]> {
    const { revision } = this.db;
    if (revision === null) return this.#findMany(uuids, areDeclared);
    this.#known.enter(revision);
    const known: HeldCheck[] = [];
    const unknown: string[] = [];
    for (const uuid of uuids) {
      const check = this.#known.get(uuid);
      if (check === undefined || (areDeclared && check.declarationMode === undefined)) unknown.push(uuid);
      else known.push(check);
    }
    return unknown.length === 0 ? known : [...known, ...(await this.#findMany(unknown, areDeclared))];
  }

  /**
   * Locks as `lockMany` does. It also finds and locks the checks of the aliases with these digests of tokens. On PostgreSQL one
   * statement does all of it.
   */
  async lockWithAliases(
    uuids: readonly string[],
    digests: readonly string[],
    areDeclared: boolean,
  ): Promise<{ readonly checks: readonly HeldCheck[]; readonly aliases: readonly KnownAlias[] }> {
    if (!this.dialect.hasArrays) {
      const aliases = await new SqlPingAliases(this.db, this.dialect).byDigests(digests);
      const all = new Set([...uuids, ...aliases.flatMap(({ uuid }) => uuid ?? [])]);
      return { checks: await this.lockMany([...all], areDeclared), aliases };
    }
    const rows = await this.db.all<Stored<HeldCheck> & { readonly aliases: AliasesOfCheck }>(
      `select ${areDeclared ? DECLARED : HELD}, ${aliasesAmong('$2')} from checks
        where uuid = any($1) or id = any(array(select check_id from ping_aliases where token_digest = any($2)))
        order by id ${this.dialect.forUpdate}`,
      [uuids, digests],
    );
    const aliases = rows.flatMap(({ uuid, aliases }) =>
      (aliases ?? []).map((alias) => withDialects({ ...alias, uuid })),
    );
    return { checks: withBooleans<HeldCheck>(rows), aliases };
  }

  /** Locks these rows in the order of `lockMany`. Returns the ids that exist. */
  async lockByIds(ids: readonly number[]): Promise<Set<number>> {
    const rows = await this.db.all<{ id: number }>(
      `select id from checks where id ${this.dialect.inList('$1')} order by id ${this.dialect.forUpdate}`,
      [this.dialect.list(ids)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Locks checks of the project after that id that the scope covers, and that are not covered by the span yet, at most `limit`.
   * Without a span it locks all that the scope covers.
   */
  async lockCovered(
    { projectId, checkIds, tags }: Pick<QuietTime, 'projectId' | 'checkIds' | 'tags'>,
    span: Span | null,
    afterId: number,
    limit: number,
  ): Promise<TaggedCheck[]> {
    const params: Value[] = [projectId, afterId];
    const bound = (value: Value) => `$${params.push(value)}`;
    const conditions: string[] = [];
    if (span !== null)
      conditions.push(
        `(quiet_until_at is null or quiet_until_at < ${bound(span.until)} or quiet_from_at > ${bound(span.from)})`,
      );
    if (checkIds.length > 0 || tags !== '') {
      const isNamed = `id ${this.dialect.inList(bound(this.dialect.list(checkIds)))}`;
      const isAmong = amongTexts(this.dialect, 'tag', bound(textList(this.dialect, splitTags(tags))));
      conditions.push(
        `(${isNamed} or exists (select 1 from check_tags
            where project_id = $1 and check_id = checks.id and ${isAmong}))`,
      );
    }
    return rowsOf(
      this.db,
      `select ${pingedColumns}, tags from checks`,
      `where project_id = $1 and id > $2 ${conditions.map((condition) => `and ${condition}`).join(' ')}
        order by id limit ${bound(limit)} ${this.dialect.forUpdate}`,
      params,
    );
  }

  /** The names of the project's checks that have one of these UUIDs or slugs, in order of creation. */
  async namesIn(
    projectId: number,
    { uuids, slugs }: { readonly uuids: readonly string[]; readonly slugs: readonly string[] },
  ): Promise<CheckNames[]> {
    // With the plus sign each part uses the index of its names. The one of projects would read all of its checks.
    const rows = await this.db.all<CheckNames>(
      `select ${NAMES} from checks where +project_id = $1 and ${amongUuids(this.dialect, '$2')}
        union all
       select ${NAMES} from checks where project_id = $1 and ${amongTexts(this.dialect, 'slug', '$3')}`,
      [projectId, textList(this.dialect, uuids), textList(this.dialect, slugs)],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return [...byId.values()].sort((one, other) => one.id - other.id);
  }

  /** The names of the project's checks that have one of these unique keys, in order of creation. */
  async namesByKey(projectId: number, uniqueKeys: readonly string[]): Promise<CheckNames[]> {
    return this.db.all(
      `select ${NAMES} from checks
        where project_id = $1 and ${amongTexts(this.dialect, 'unique_key', '$2')} order by id`,
      [projectId, textList(this.dialect, uniqueKeys)],
    );
  }

  async #findMany(uuids: readonly string[], areDeclared: boolean): Promise<HeldCheck[]> {
    const select = `select ${areDeclared ? DECLARED : HELD} from checks`;
    const rows = this.dialect.hasArrays
      ? await this.db.all<Stored<HeldCheck>>(
          `${select} where uuid = any($1) order by id ${this.dialect.forUpdate}`,
          [uuids],
        )
      : await this.db.repeat<Stored<HeldCheck>>(
          `${select} where uuid = $1`,
          uuids.map((uuid) => [uuid]),
        );
    return withBooleans<HeldCheck>(rows);
  }

  /** Those of the UUIDs that checks of any project have. */
  async knownUuids(uuids: readonly string[]): Promise<Set<string>> {
    const isAmong = this.dialect.hasArrays
      ? 'uuid = any($1::uuid[])'
      : amongTexts(this.dialect, 'uuid', '$1');
    const rows = await this.db.all<{ uuid: string }>(`select uuid from checks where ${isAmong}`, [
      textList(this.dialect, uuids),
    ]);
    return new Set(rows.map(({ uuid }) => uuid));
  }

  /** The UUIDs of the checks with these ping keys and slugs. Each says how it was found. */
  async uuidsBySlug(slugs: readonly SlugTarget[]): Promise<(SlugTarget & { uuid: string })[]> {
    return findBySlug(this.db, this.dialect, slugs);
  }

  /** The oldest check of the project that matches, locked until the transaction ends. */
  async lockMatching(projectId: number, match: CheckMatch): Promise<Check | null> {
    const conditions = ['project_id = $1'];
    const params: (string | number)[] = [projectId];
    for (const [field, column] of Object.entries(MATCHABLE)) {
      const value = match[field as keyof CheckMatch];
      if (value !== undefined) conditions.push(`${column} = $${params.push(value)}`);
    }
    const [check] = await rowsOf<Check>(
      this.db,
      SELECT_CHECKS,
      `where ${conditions.join(' and ')} order by id limit 1 ${this.dialect.forUpdate}`,
      params,
    );
    return check ?? null;
  }

  async insert(check: NewCheck): Promise<Check> {
    return oneRow(await this.insertAll([check]));
  }

  /** Inserts checks, and returns them in the same order. */
  async insertAll(checks: readonly NewCheck[]): Promise<Check[]> {
    const rows = checks.map((check) => table.values(check));
    const found = await insertForAll<{ id: number; uuid: string }>(this.db, this.dialect, INSERT, rows);
    const ids = new Map(found.map(({ id, uuid }) => [uuid, id]));
    const inserted = checks.map((check) => ({ ...check, id: ids.get(check.uuid) ?? 0 }));
    for (const check of inserted) this.#touched.addCheck(check);
    await this.#addTags(inserted);
    for (const check of inserted) if (check.parents !== '') await this.#parents.save(check);
    return inserted;
  }

  async #addTags(checks: readonly Check[]): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      INSERT_TAGS,
      checks.flatMap(({ id, projectId, tags }) => splitTags(tags).map((tag) => [id, projectId, tag])),
    );
  }

  async #removeOtherTags({ id, projectId, tags }: Check): Promise<void> {
    const isKept = amongTexts(this.dialect, 'tag', '$3');
    await this.db.send(`delete from check_tags where check_id = $1 and project_id = $2 and not (${isKept})`, [
      [id, projectId, textList(this.dialect, splitTags(tags))],
    ]);
  }

  /** Keeps the answer to the last declaration of the job, until somebody saves the configuration. */
  async noteDeclaration(check: OwnedRow, seen: string | null): Promise<void> {
    this.#known.forget();
    this.#touched.addCheck(check, false);
    await this.db.send(`update checks set declaration_seen = $2, ${NEXT_REVISION} where id = $1`, [
      [check.id, seen],
    ]);
  }

  /** Saves the configuration and the deadline that follows from it. The next declaration of the job is read again. */
  async saveConfig(check: Check): Promise<void> {
    this.#known.forget();
    this.#touched.addCheck(check);
    await this.db.send(
      `update checks set ${table.assignments(EDITABLE, 3)}, declaration_seen = null, ${NEXT_REVISION} where id = $1 and project_id = $2`,
      [[check.id, check.projectId, ...EDITABLE.map((field) => check[field])]],
    );
    await this.#removeOtherTags(check);
    await this.#addTags([check]);
  }

  /** Checks of the project that name one policy name another. */
  async replacePolicy(projectId: number, from: string, to: string): Promise<void> {
    const checks = await this.db.all<OwnedRow>(
      `select id, project_id as "projectId" from checks
        where project_id = $1 and policy = $2 order by id ${this.dialect.forUpdate}`,
      [projectId, from],
    );
    await this.setPolicies(checks.map((check) => ({ ...check, policy: to })));
  }

  /** Saves the names of their policies, and who has set them if that is given. */
  async setPolicies(
    checks: readonly (OwnedRow & Pick<Check, 'policy'> & Partial<Pick<Check, 'sources'>>)[],
  ): Promise<void> {
    this.#known.forget();
    for (const check of checks) this.#touched.addCheck(check);
    await sendForAll(
      this.db,
      this.dialect,
      SET_POLICY,
      checks.map(({ id, policy, sources = null }) => [id, policy, sources]),
    );
  }

  /** Saves the fields that pings, pauses and time change. */
  async saveState(check: Check): Promise<void> {
    await this.saveStates([check]);
  }

  /**
   * Saves a check that has another UUID, or belongs to another project, and the deadline that it has then. It is not
   * the entry of a provisioning file any more if it leaves the project. `before` is the check as it was. Another UUID
   * is announced as a change of all checks: pages that know its old key could not match it.
   */
  async saveIdentity(before: Check, check: Check): Promise<void> {
    this.#known.forget();
    this.#touched.addCheck(before);
    this.#touched.addCheck(check);
    if (before.uniqueKey !== check.uniqueKey)
      for (const { projectId } of [before, check]) this.#touched.addAllChecks(projectId);
    const { id, projectId, uuid, uniqueKey, deadlineAt, excusedUntilAt } = check;
    await this.db.send(
      // Bodies that have moved stay where they are.
      `update checks set body_uuid = case when uuid = $3 then body_uuid else coalesce(body_uuid, uuid) end,
              declared_as = case when project_id = $2 then declared_as else null end,
              declared_by = case when project_id = $2 then declared_by else null end,
              declared_made = declared_made and project_id = $2, project_id = $2, uuid = $3,
              unique_key = $4, deadline_at = $5, alarm_at = $5, excused_until_at = $6, ${NEXT_REVISION}
        where id = $1`,
      [[id, projectId, uuid, uniqueKey, deadlineAt, excusedUntilAt]],
    );
    await this.db.send('update check_tags set project_id = $2 where check_id = $1', [[id, projectId]]);
    const isRenamed = before.projectId === projectId && before.uniqueKey !== uniqueKey;
    if (isRenamed) await this.#parents.rename(before, uniqueKey);
  }

  async saveStates(checks: readonly PingedCheck[]): Promise<void> {
    this.#known.forget();
    for (const check of checks) this.#touched.addCheck(check);
    await this.#saveStates(checks);
  }

  async #saveStates(checks: readonly PingedCheck[]): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      SAVE_STATE,
      checks.map((check) => [check.id, ...STATE.map((field) => check[field])]),
    );
  }

  /** Saves checks that `lockMany` returned. It costs less if neither the status nor the alarm changes. */
  async saveChanges(changes: readonly CheckChange[]): Promise<void> {
    const indexed: HeldCheck[] = [];
    const others = new Map<ColumnSet, HeldCheck[]>();
    const saved: HeldCheck[] = [];
    for (const change of changes) {
      const { before, after } = change;
      this.#touched.addCheck(after, mayChangeStatus(before, after));
      if (changesIndex(change)) {
        indexed.push(after);
        saved.push({ ...after, alarmAt: after.deadlineAt });
        continue;
      }
      saved.push(after);
      const columns = UNINDEXED.changed(before, after);
      const alike = others.get(columns);
      if (alike === undefined) others.set(columns, [after]);
      else alike.push(after);
    }
    await this.#saveStates(indexed);
    await UNINDEXED.send(this.db, this.dialect, others);
    const { revision } = this.db;
    if (revision !== null) this.#known.remember(saved, revision);
  }

  /**
   * Fills the last success and the last result from kept pings. What a ping has written stays. Looks at `limit` checks after
   * that id. Returns the id of the last of them, or null if there is none.
   */
  async fillLastResults(afterId: number, limit: number): Promise<number | null> {
    const { lastId } = oneRow(
      await this.db.all<{ lastId: number | null }>(
        'select max(id) as "lastId" from (select id from checks where id > $1 order by id limit $2) as page',
        [afterId, limit],
      ),
    );
    if (lastId === null) return null;
    // In the order of `lockMany`.
    const open = await this.db.all<OwnedRow>(
      `select id, project_id as "projectId" from checks
        where id > $1 and id <= $2 and ping_count > 0 and (last_success_at is null or last_result is null)
        order by id ${this.dialect.forUpdate}`,
      [afterId, lastId],
    );
    if (open.length === 0) return lastId;
    this.#known.forget();
    for (const check of open) this.#touched.addCheck(check, false);
    await this.db.send(fillStatement(this.dialect.inList('$1')), [
      [this.dialect.list(open.map(({ id }) => id))],
    ]);
    return lastId;
  }

  /** Removes the check with its pings, flips, deliveries and assignments. Queues its objects for removal. */
  async delete(check: Check): Promise<void> {
    this.#known.forget();
    const [held] = await this.db.all(
      `select id from checks where id = $1 and project_id = $2 ${this.dialect.forUpdate}`,
      [check.id, check.projectId],
    );
    if (held === undefined) return;
    this.#touched.addCheck(check);
    await abandonBodies(this.db, check.id);
    await this.db.send('delete from checks where id = $1', [[check.id]]);
  }

  /** Nothing that begins is told before that time. Null: it is told. */
  async snooze(
    check: OwnedRow,
    snooze: { readonly until: number; readonly by: string | null } | null,
  ): Promise<void> {
    this.#touched.addCheck(check);
    await this.db.send(
      `update checks set snoozed_until_at = $2, snoozed_by = $3, ${NEXT_REVISION} where id = $1`,
      [[check.id, snooze?.until ?? null, snooze?.by ?? null]],
    );
  }

  /** The outages of these checks are told or answered otherwise, and readers see it. */
  async noteChanges(checks: readonly OwnedRow[]): Promise<void> {
    for (const check of checks) this.#touched.addCheck(check);
    await this.db.send(`update checks set ${NEXT_REVISION} where id ${this.dialect.inList('$1')}`, [
      [this.dialect.list(checks.map(({ id }) => id))],
    ]);
  }

  /** After the clock was set back: no snooze lasts beyond that time. */
  async shortenSnoozes(until: number): Promise<void> {
    const ahead = await this.db.all<OwnedRow & { by: string | null }>(
      `select id, project_id as "projectId", snoozed_by as by from checks where snoozed_until_at > $1 order by id ${this.dialect.forUpdate}`,
      [until],
    );
    for (const { by, ...check } of ahead) await this.snooze(check, { until, by });
  }

  /** Replaces the whole set of assigned channels. */
  async setChannels(check: OwnedRow, channelIds: readonly number[]): Promise<void> {
    this.#touched.addCheck(check, false);
    // The check comes first: pings and deletions of channels hold checks before assignments, too.
    await this.db.send(`update checks set ${NEXT_REVISION} where id = $1`, [[check.id]]);
    await this.db.send('delete from check_channels where check_id = $1', [[check.id]]);
    await this.assignNew([{ check, channelIds }]);
  }

  /** Assigns channels to checks that have none. */
  async assignNew(
    assigned: readonly { readonly check: OwnedRow; readonly channelIds: readonly number[] }[],
  ): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      ASSIGN,
      assigned.flatMap(({ check, channelIds }) => channelIds.map((channelId) => [check.id, channelId])),
    );
  }
}

function changesIndex({ before, after }: CheckChange): boolean {
  if (after.lastFlipAt !== before.lastFlipAt || after.status !== before.status) return true;
  return after.deadlineAt !== null && (before.alarmAt === null || after.deadlineAt < before.alarmAt);
}
