import type { FullAt } from '../../domain/attempt-limit.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Writer } from '../driver.ts';
import type { AttemptLimitWrites } from '../store.ts';

export class SqlAttemptLimits implements AttemptLimitWrites {
  readonly #db: Writer;
  readonly #dialect: Dialect;

  constructor(db: Writer, dialect: Dialect) {
    this.#db = db;
    this.#dialect = dialect;
  }

  async lock(key: string): Promise<FullAt> {
    // Without a row there would be nothing to lock.
    await this.#db.send(
      'insert into attempt_limits (key, full_at) values ($1, 0) on conflict (key) do nothing',
      [[key]],
    );
    const [row] = await this.#db.all<{ fullAt: Instant }>(
      `select full_at as "fullAt" from attempt_limits where key = $1 ${this.#dialect.forUpdate}`,
      [key],
    );
    return row?.fullAt ?? null;
  }

  async save(key: string, fullAt: Instant): Promise<void> {
    await this.#db.send('update attempt_limits set full_at = $2 where key = $1', [[key, fullAt]]);
  }

  async prune(now: Instant, most: number): Promise<number> {
    const full = await this.#db.all<{ key: string }>(
      'select key from attempt_limits where full_at <= $1 order by full_at limit $2',
      [now, most],
    );
    await this.#db.send(
      'delete from attempt_limits where key = $1 and full_at <= $2',
      full.map(({ key }) => [key, now]),
    );
    return full.length;
  }
}
