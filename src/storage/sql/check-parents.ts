import type { ChangeCollector, OwnedRow } from '../../domain/change.ts';
import type { Check } from '../../domain/check/check.ts';
import { listed, type ParentLink } from '../../domain/check/check-links.ts';
import type { Timed } from '../../domain/check/status.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { amongTexts, textList } from './check-reads.ts';
import { NEXT_REVISION, TIMED_FIELDS, table } from './check-rows.ts';
import { Statements } from './statements.ts';
import type { Stored } from './table.ts';

/** A check without which another one cannot work, as far as it says whether that one is told of. */
export interface ParentOfCheck extends Timed {
  readonly checkId: number;
  readonly id: number;
  readonly uuid: string;
  readonly uniqueKey: string;
  readonly name: string;
  readonly slug: string;
}

const PARENT = table.columnsOf([...TIMED_FIELDS, 'uuid', 'uniqueKey', 'name', 'slug']);

export class SqlCheckParentReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The parents of these checks, in order of creation. One that has gone to another project, such as the bin, is none. */
  async ofChecks(checkIds: readonly number[]): Promise<ParentOfCheck[]> {
    const rows = await this.db.all<Stored<ParentOfCheck>>(
      `select "checkId", parents.* from (
         select check_id as "checkId", parent_id as "parentId",
                (select project_id from checks where checks.id = check_id) as "projectId"
           from check_parents where check_id ${this.dialect.inList('$1')}) as links
         join (select ${PARENT}, project_id as "ownProject" from checks
                where id in (select parent_id from check_parents where check_id ${this.dialect.inList('$1')})) as parents
           on parents.id = "parentId" and "ownProject" = "projectId"
        order by "checkId", parents.id`,
      [this.dialect.list(checkIds)],
    );
    return rows.map((row) => Object.assign(row, { runReported: Boolean(row.runReported) }));
  }

  /** All links in the project. */
  async ofProject(projectId: number): Promise<ParentLink[]> {
    return this.db.all(
      `select check_id as "checkId", parent_id as "parentId"
         from check_parents join checks on checks.id = check_id where project_id = $1`,
      [projectId],
    );
  }
}

export class SqlCheckParents extends SqlCheckParentReads<Writer> {
  readonly #touched: ChangeCollector;

  constructor(db: Writer, dialect: Dialect, touched: ChangeCollector) {
    super(db, dialect);
    this.#touched = touched;
  }

  /** Makes the links of the check what it says. Whoever calls it holds the check, and for new links its project. */
  async save({ id, projectId, parents }: Pick<Check, 'id' | 'projectId' | 'parents'>): Promise<void> {
    const isAmong = amongTexts(this.dialect, 'unique_key', '$3');
    await this.db.send('delete from check_parents where check_id = $1', [[id]]);
    if (parents === '') return;
    await this.db.send(
      `insert into check_parents (check_id, parent_id)
       select $1, id from checks where project_id = $2 and ${isAmong} and id <> $1`,
      [[id, projectId, textList(this.dialect, listed(parents))]],
    );
  }

  /** The check leaves its project: it has no parents, is none, and names no integrations. */
  async forget(check: OwnedRow): Promise<void> {
    this.#touched.addCheck(check, false);
    await this.db.send('delete from check_parents where check_id = $1 or parent_id = $1', [[check.id]]);
    await this.db.send(
      `update checks set parents = '', done_channels = '', ${NEXT_REVISION}
        where id = $1 and (parents <> '' or done_channels <> '')`,
      [[check.id]],
    );
  }

  /** The check has another unique key. Those that wait for it know it by that. */
  async rename(before: Pick<Check, 'id' | 'uniqueKey'>, uniqueKey: string): Promise<void> {
    await this.noteChildren([before.id]);
    await this.db.send(
      `update checks set parents = replace(parents, $2, $3), ${NEXT_REVISION}
        where id in (select check_id from check_parents where parent_id = $1)`,
      [[before.id, before.uniqueKey, uniqueKey]],
    );
  }

  /** Those that wait for these checks look otherwise to readers. */
  async noteChildren(parentIds: readonly number[]): Promise<void> {
    const children = await this.db.all<OwnedRow>(
      `select id, project_id as "projectId" from checks
        where id in (select check_id from check_parents where parent_id ${this.dialect.inList('$1')})
        order by id ${this.dialect.forUpdate}`,
      [this.dialect.list(parentIds)],
    );
    if (children.length === 0) return;
    for (const child of children) this.#touched.addCheck(child, false);
    await this.db.send(`update checks set ${NEXT_REVISION} where id ${this.dialect.inList('$1')}`, [
      [this.dialect.list(children.map(({ id }) => id))],
    ]);
  }

  /**
   * The plan is asked by `now` about the open outages of checks that wait for these. It holds outages without their checks: whoever
   * holds outages of these checks, too, uses `lockAround` before. One that is due already stays as it is.
   */
  async wakeChildren(parentIds: readonly number[], now: Instant): Promise<void> {
    const { forUpdate } = this.dialect;
    await this.db.send(
      `update outages set wake_at = $2 where id in (
         select id from outages
          where ended_at is null and (wake_at is null or wake_at > $2) and check_id in (
                select check_id from check_parents where parent_id ${this.dialect.inList('$1')})
          order by id ${forUpdate})`,
      [[this.dialect.list(parentIds), now]],
    );
  }
}
