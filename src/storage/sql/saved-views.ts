import type { NewSavedView, SavedView } from '../../domain/saved-view.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { type Stored, Table } from './table.ts';

export interface ListedView extends SavedView {
  /** The address of the account that keeps it. */
  readonly keeperEmail: string;
}

const table = new Table<keyof NewSavedView>('saved_views', {
  uuid: 'uuid',
  projectId: 'project_id',
  accountId: 'account_id',
  name: 'name',
  query: 'query',
  isShared: 'is_shared',
  createdAt: 'created_at',
});

const SELECT = `select ${table.columns}, (select email from accounts where accounts.id = account_id) as "keeperEmail"
         from saved_views`;

const listed = (rows: readonly Stored<ListedView>[]): ListedView[] =>
  rows.map(({ isShared, ...row }) => ({ ...row, isShared: Boolean(isShared) }));

export class SqlSavedViewReads<Db extends Reader = Reader> extends Statements<Db> {
  /** Views of the project that the account keeps, or that everybody sees, in order of creation. */
  async seenBy(projectId: number, accountId: number): Promise<ListedView[]> {
    return listed(
      await this.db.all(`${SELECT} where project_id = $1 and (account_id = $2 or is_shared) order by id`, [
        projectId,
        accountId,
      ]),
    );
  }
}

export class SqlSavedViews extends SqlSavedViewReads<Writer> {
  /** All views of the project, in order of creation. */
  async ofProject(projectId: number): Promise<ListedView[]> {
    return listed(await this.db.all(`${SELECT} where project_id = $1 order by id`, [projectId]));
  }

  async insert(view: NewSavedView): Promise<SavedView> {
    return { ...view, id: await table.add(this.db, view) };
  }

  /** Saves its name, its filter, and whether it is shared. */
  async update({ projectId, id, name, query, isShared }: SavedView): Promise<void> {
    await this.db.send(
      'update saved_views set name = $3, query = $4, is_shared = $5 where project_id = $1 and id = $2',
      [[projectId, id, name, query, isShared]],
    );
  }

  async delete(projectId: number, id: number): Promise<void> {
    await this.db.send('delete from saved_views where project_id = $1 and id = $2', [[projectId, id]]);
  }
}
