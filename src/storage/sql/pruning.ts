import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { sendForAll, unnest } from './table.ts';

const ADD = {
  one: 'insert into prune_queue (check_id) values ($1) on conflict (check_id) do nothing',
  many: `insert into prune_queue (check_id) select * from ${unnest(['bigint'])} on conflict (check_id) do nothing`,
};

export class SqlPruningReads<Db extends Reader = Reader> extends Statements<Db> {
  /** Checks that may have too many pings, after that id in the order of their ids, at most `most`. */
  async next(afterId: number, most: number): Promise<number[]> {
    const rows = await this.db.all<{ checkId: number }>(
      'select check_id as "checkId" from prune_queue where check_id > $1 order by check_id limit $2',
      [afterId, most],
    );
    return rows.map(({ checkId }) => checkId);
  }
}

export class SqlPruning extends SqlPruningReads<Writer> {
  async addMany(checkIds: readonly number[]): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      ADD,
      checkIds.map((checkId) => [checkId]),
    );
  }

  async done(checkId: number): Promise<void> {
    await this.db.send('delete from prune_queue where check_id = $1', [[checkId]]);
  }
}
