import type { TokenBucket } from '../../lib/token-bucket.ts';
import type { Dialect } from '../dialect.ts';
import type { Writer } from '../driver.ts';
import type { RateBucketWrites } from '../store.ts';

export class SqlRateBuckets implements RateBucketWrites {
  readonly #db: Writer;
  readonly #dialect: Dialect;

  constructor(db: Writer, dialect: Dialect) {
    this.#db = db;
    this.#dialect = dialect;
  }

  async lock(projectId: number, fresh: TokenBucket): Promise<TokenBucket> {
    await this.#db.send(
      `insert into rate_buckets (project_id, credit, filled_at) values ($1, $2, $3)
       on conflict (project_id) do nothing`,
      [[projectId, fresh.credit, fresh.filledAt]],
    );
    const [row] = await this.#db.all<TokenBucket>(
      `select credit, filled_at as "filledAt" from rate_buckets where project_id = $1 ${this.#dialect.forUpdate}`,
      [projectId],
    );
    if (row === undefined) throw new Error('the bucket that was just made is gone');
    return row;
  }

  async save(projectId: number, { credit, filledAt }: TokenBucket): Promise<void> {
    await this.#db.send('update rate_buckets set credit = $2, filled_at = $3 where project_id = $1', [
      [projectId, credit, filledAt],
    ]);
  }
}
