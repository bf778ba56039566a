import type { Reader, Writer } from '../driver.ts';
import type { PruningReads, PruningWrites } from '../store.ts';

export class SqlPruningReads implements PruningReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async next(): Promise<number | null> {
    const [row] = await this.#db.all<{ checkId: number }>(
      'select check_id as "checkId" from prune_queue order by check_id limit 1',
    );
    return row?.checkId ?? null;
  }
}

export class SqlPruning extends SqlPruningReads implements PruningWrites {
  readonly #db: Writer;

  constructor(db: Writer) {
    super(db);
    this.#db = db;
  }

  async add(checkId: number): Promise<void> {
    await this.#db.run('insert into prune_queue (check_id) values ($1) on conflict (check_id) do nothing', [
      checkId,
    ]);
  }

  async done(checkId: number): Promise<void> {
    await this.#db.run('delete from prune_queue where check_id = $1', [checkId]);
  }
}
