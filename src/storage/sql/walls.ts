import type { NewWall, Wall } from '../../domain/public/wall.ts';
import type { Reader, Writer } from '../driver.ts';
import { isLive } from './membership.ts';
import { Statements } from './statements.ts';
import { Table } from './table.ts';

export interface ListedWall extends Wall {
  /** The account that made it, if it exists. */
  readonly makerEmail: string | null;
}

const table = new Table<keyof NewWall>('walls', {
  uuid: 'uuid',
  projectId: 'project_id',
  name: 'name',
  lookup: 'lookup',
  digest: 'digest',
  makerId: 'maker_id',
  createdAt: 'created_at',
});

export class SqlWallReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The wall of a project that is not deleted. */
  async byDigest(digest: string): Promise<Wall | null> {
    return this.first(
      `select ${table.columns} from walls where digest = $1 and ${isLive('walls.project_id')}`,
      [digest],
    );
  }

  /** In order of creation. */
  async ofProject(projectId: number): Promise<ListedWall[]> {
    return this.db.all(
      `select ${table.columns}, (select email from accounts where accounts.id = maker_id) as "makerEmail"
         from walls where project_id = $1 order by id`,
      [projectId],
    );
  }
}

export class SqlWalls extends SqlWallReads<Writer> {
  async insert(wall: NewWall): Promise<Wall> {
    return { ...wall, id: await table.add(this.db, wall) };
  }

  /** Saves its name and its token. */
  async update({ id, name, lookup, digest }: Pick<Wall, 'id' | 'name' | 'lookup' | 'digest'>): Promise<void> {
    await this.db.send('update walls set name = $2, lookup = $3, digest = $4 where id = $1', [
      [id, name, lookup, digest],
    ]);
  }

  async delete(projectId: number, id: number): Promise<void> {
    await this.db.send('delete from walls where project_id = $1 and id = $2', [[projectId, id]]);
  }

  /** Deletes the walls that the account has made, in all projects. Returns their number. */
  async deleteOfMaker(makerId: number): Promise<number> {
    return this.db.run('delete from walls where maker_id = $1', [makerId]);
  }
}
