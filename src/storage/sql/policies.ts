import type { ChangeCollector } from '../../domain/change.ts';
import type { NewPolicy, StoredPolicy, TagPolicy, TagRule } from '../../domain/policy/stored-policy.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { type Stored, sendForAll, Table, unnest } from './table.ts';

/** What decides how the outages of a project are told. */
export interface ProjectPolicies {
  readonly policies: readonly StoredPolicy[];
  /** In the order in which tags are looked for. */
  readonly tags: readonly TagPolicy[];
}

const table = new Table<keyof NewPolicy>('policies', {
  uuid: 'uuid',
  projectId: 'project_id',
  name: 'name',
  rules: 'rules',
  isDefault: 'is_default',
  createdAt: 'created_at',
});

const toPolicy = ({ isDefault, ...row }: Stored<StoredPolicy>): StoredPolicy => ({
  ...row,
  isDefault: Boolean(isDefault),
});

const INSERT_TAG = {
  one: 'insert into tag_policies (project_id, position, tag, policy) values ($1, $2, $3, $4)',
  many: `insert into tag_policies (project_id, position, tag, policy)
         select * from ${unnest(['bigint', 'integer', 'text', 'text'])}`,
};

export class SqlPolicyReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The policies of the project, in order of creation. */
  async ofProject(projectId: number): Promise<StoredPolicy[]> {
    const rows = await this.db.all<Stored<StoredPolicy>>(
      `select ${table.columns} from policies where project_id = $1 order by id`,
      [projectId],
    );
    return rows.map(toPolicy);
  }

  /** What is set for tags of the project, in their order. */
  async tagsOf(projectId: number): Promise<TagRule[]> {
    const rows = await this.db.all<Stored<TagRule>>(
      `select tag, max(policy) as policy, max(one) > 0 as "asOne" from (
         select position, tag, policy, 0 as one from tag_policies where project_id = $1
          union all
         select position, tag, '' as policy, 1 as one from tags_as_one where project_id = $1) as rules
        group by position, tag order by position`,
      [projectId],
    );
    return rows.map(({ asOne, ...row }) => ({ ...row, asOne: Boolean(asOne) }));
  }

  /** The tags whose checks are told of together, in their order, for those of the projects that have some. */
  async tagsAsOne(projectIds: readonly number[]): Promise<Map<number, string[]>> {
    const rows = await this.db.all<{ projectId: number; tag: string }>(
      `select project_id as "projectId", tag from tags_as_one where project_id ${this.dialect.inList('$1')}
        order by project_id, position`,
      [this.dialect.list(projectIds)],
    );
    return new Map(
      [...Map.groupBy(rows, ({ projectId }) => projectId)].map(([id, own]) => [
        id,
        own.map(({ tag }) => tag),
      ]),
    );
  }

  /** What decides about the outages of these projects. Projects without policies are left out. */
  async ofProjects(projectIds: readonly number[]): Promise<Map<number, ProjectPolicies>> {
    const ids = this.dialect.list(projectIds);
    const rows = await this.db.all<Stored<StoredPolicy>>(
      `select ${table.columns} from policies where project_id ${this.dialect.inList('$1')}`,
      [ids],
    );
    // What names none of them is told at once.
    if (rows.length === 0) return new Map();
    const tags = await this.db.all<TagPolicy & { readonly projectId: number }>(
      `select project_id as "projectId", tag, policy from tag_policies
        where project_id ${this.dialect.inList('$1')} order by project_id, position`,
      [ids],
    );
    const ofProject = Map.groupBy(tags, ({ projectId }) => projectId);
    return new Map(
      [...Map.groupBy(rows.map(toPolicy), ({ projectId }) => projectId)].map(([projectId, policies]) => [
        projectId,
        { policies, tags: ofProject.get(projectId) ?? [] },
      ]),
    );
  }
}

/** Whoever calls these holds the project. A policy says how checks are told, so each change touches all checks of the project. */
export class SqlPolicies extends SqlPolicyReads<Writer> {
  readonly #touched: ChangeCollector;

  constructor(db: Writer, dialect: Dialect, touched: ChangeCollector) {
    super(db, dialect);
    this.#touched = touched;
  }

  async insert(policy: NewPolicy): Promise<StoredPolicy> {
    this.#touched.addAllChecks(policy.projectId);
    return { ...policy, id: await table.add(this.db, policy) };
  }

  /** Saves its name and its rules. */
  async update({ projectId, id, name, rules }: StoredPolicy): Promise<void> {
    this.#touched.addAllChecks(projectId);
    await this.db.send('update policies set name = $3, rules = $4 where project_id = $1 and id = $2', [
      [projectId, id, name, rules],
    ]);
  }

  async delete(projectId: number, id: number): Promise<void> {
    this.#touched.addAllChecks(projectId);
    await this.db.send('delete from policies where project_id = $1 and id = $2', [[projectId, id]]);
  }

  /** Makes this the policy of the project. Null: it has none. */
  async setDefault(projectId: number, id: number | null): Promise<void> {
    this.#touched.addAllChecks(projectId);
    // The old one first: the project has one at most at any time.
    await this.db.send('update policies set is_default = $2 where project_id = $1 and is_default', [
      [projectId, false],
    ]);
    if (id !== null)
      await this.db.send('update policies set is_default = $3 where project_id = $1 and id = $2', [
        [projectId, id, true],
      ]);
  }

  /** Replaces the list of tags. */
  async setTags(projectId: number, tags: readonly TagRule[]): Promise<void> {
    this.#touched.addAllChecks(projectId);
    const placed = tags.map((rule, position) => ({ ...rule, position }));
    await this.db.send('delete from tag_policies where project_id = $1', [[projectId]]);
    await sendForAll(
      this.db,
      this.dialect,
      INSERT_TAG,
      placed.flatMap(({ tag, policy, position }) =>
        policy === '' ? [] : [[projectId, position, tag, policy]],
      ),
    );
    await this.db.send('delete from tags_as_one where project_id = $1', [[projectId]]);
    await this.db.send(
      'insert into tags_as_one (project_id, position, tag) values ($1, $2, $3)',
      placed.flatMap(({ tag, asOne, position }) => (asOne ? [[projectId, position, tag]] : [])),
    );
  }

  /** Tags that name one policy name another. Those that would name none are removed. */
  async renameInTags(projectId: number, from: string, to: string): Promise<void> {
    const where = 'where project_id = $1 and policy = $2';
    if (to === '') await this.db.send(`delete from tag_policies ${where}`, [[projectId, from]]);
    else await this.db.send(`update tag_policies set policy = $3 ${where}`, [[projectId, from, to]]);
  }

  /** The plan is asked about all open outages of the project at `now`. */
  async wakeOutages(projectId: number, now: Instant): Promise<void> {
    await this.db.send(
      `update outages set wake_at = $2 where id in (
         select outages.id from outages join checks on checks.id = outages.check_id
          where checks.project_id = $1 and (outages.ended_at is null or outages.wake_at is not null)
          order by outages.id)`,
      [[projectId, now]],
    );
  }
}
