import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import type { PruningReads, PruningWrites } from '../store.ts';
import { sendForAll, unnest } from './table.ts';

const ADD = {
  one: 'insert into prune_queue (check_id) values ($1) on conflict (check_id) do nothing',
  many: `insert into prune_queue (check_id) select * from ${unnest(['bigint'])} on conflict (check_id) do nothing`,
};

export class SqlPruningReads implements PruningReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async next(afterId: number, most: number): Promise<number[]> {
    const rows = await this.#db.all<{ checkId: number }>(
      'select check_id as "checkId" from prune_queue where check_id > $1 order by check_id limit $2',
      [afterId, most],
    );
    return rows.map(({ checkId }) => checkId);
  }
}

export class SqlPruning extends SqlPruningReads implements PruningWrites {
  readonly #db: Writer;
  readonly #dialect: Dialect;

  constructor(db: Writer, dialect: Dialect) {
    super(db);
    this.#db = db;
    this.#dialect = dialect;
  }

  async addMany(checkIds: readonly number[]): Promise<void> {
    await sendForAll(
      this.#db,
      this.#dialect,
      ADD,
      checkIds.map((checkId) => [checkId]),
    );
  }

  async done(checkId: number): Promise<void> {
    await this.#db.send('delete from prune_queue where check_id = $1', [[checkId]]);
  }
}
