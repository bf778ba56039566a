import type { TokenBucket } from '../../lib/token-bucket.ts';
import type { Dialect } from '../dialect.ts';
import type { Writer } from '../driver.ts';
import { Statements } from './statements.ts';

/** The tables of buckets, and the column of each that says whose they are. */
const OWNERS = {
  rate_buckets: 'project_id',
  account_rate_buckets: 'account_id',
  token_rate_buckets: 'account_id',
};

/** The remaining requests of each owner: a project, or an account. */
export class SqlRateBuckets extends Statements<Writer> {
  readonly #table: keyof typeof OWNERS;
  readonly #owner: string;

  constructor(db: Writer, dialect: Dialect, table: keyof typeof OWNERS) {
    super(db, dialect);
    this.#table = table;
    this.#owner = OWNERS[table];
  }

  /** The bucket of the owner, locked until the transaction ends. If there is none yet, it is created from `fresh`. */
  async lock(ownerId: number, fresh: TokenBucket): Promise<TokenBucket> {
    await this.db.send(
      `insert into ${this.#table} (${this.#owner}, credit, filled_at) values ($1, $2, $3)
       on conflict (${this.#owner}) do nothing`,
      [[ownerId, fresh.credit, fresh.filledAt]],
    );
    const [row] = await this.db.all<TokenBucket>(
      `select credit, filled_at as "filledAt" from ${this.#table} where ${this.#owner} = $1 ${this.dialect.forUpdate}`,
      [ownerId],
    );
    if (row === undefined) throw new Error('the bucket that was just made is gone');
    return row;
  }

  async save(ownerId: number, { credit, filledAt }: TokenBucket): Promise<void> {
    await this.db.send(`update ${this.#table} set credit = $2, filled_at = $3 where ${this.#owner} = $1`, [
      [ownerId, credit, filledAt],
    ]);
  }
}
