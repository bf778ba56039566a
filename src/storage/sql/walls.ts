import type { NewWall, Wall } from '../../domain/public/wall.ts';
import type { Reader, Writer } from '../driver.ts';
import type { ListedWall, WallReads, WallWrites } from '../store.ts';
import { isLive } from './membership.ts';
import { Table } from './table.ts';

const table = new Table<keyof NewWall>('walls', {
  uuid: 'uuid',
  projectId: 'project_id',
  name: 'name',
  lookup: 'lookup',
  digest: 'digest',
  makerId: 'maker_id',
  createdAt: 'created_at',
});

export class SqlWallReads implements WallReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async byDigest(digest: string): Promise<Wall | null> {
    const [wall] = await this.#db.all<Wall>(
      `select ${table.columns} from walls where digest = $1 and ${isLive('walls.project_id')}`,
      [digest],
    );
    return wall ?? null;
  }

  async ofProject(projectId: number): Promise<ListedWall[]> {
    return this.#db.all(
      `select ${table.columns}, (select email from accounts where accounts.id = maker_id) as "makerEmail"
         from walls where project_id = $1 order by id`,
      [projectId],
    );
  }
}

export class SqlWalls extends SqlWallReads implements WallWrites {
  readonly #db: Writer;

  constructor(db: Writer) {
    super(db);
    this.#db = db;
  }

  async insert(wall: NewWall): Promise<Wall> {
    return { ...wall, id: await table.add(this.#db, wall) };
  }

  async delete(projectId: number, id: number): Promise<void> {
    await this.#db.send('delete from walls where project_id = $1 and id = $2', [[projectId, id]]);
  }

  async deleteOfMaker(makerId: number): Promise<number> {
    return this.#db.run('delete from walls where maker_id = $1', [makerId]);
  }
}
