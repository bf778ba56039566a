import type { Instant } from '../../lib/instant.ts';
import type { Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { oneRow } from './table.ts';

/** The attempts that are left for each key. */
export class SqlAttemptLimits extends Statements<Writer> {
  /** When the key has all its attempts again, locked until the transaction ends. 0 for a key that is not known. */
  async lock(key: string): Promise<Instant> {
    // Without a row there would be nothing to lock. One statement makes and locks it: between two, it could be pruned.
    const rows = await this.db.all<{ fullAt: Instant }>(
      `insert into attempt_limits (key, full_at) values ($1, 0)
       on conflict (key) do update set full_at = attempt_limits.full_at returning full_at as "fullAt"`,
      [key],
    );
    return oneRow(rows).fullAt;
  }

  async save(key: string, fullAt: Instant): Promise<void> {
    await this.db.send('update attempt_limits set full_at = $2 where key = $1', [[key, fullAt]]);
  }

  /** Removes keys that have all their attempts again, at most `most`. Returns their number. */
  async prune(now: Instant, most: number): Promise<number> {
    const full = await this.db.all<{ key: string }>(
      'select key from attempt_limits where full_at <= $1 order by full_at limit $2',
      [now, most],
    );
    await this.db.send(
      'delete from attempt_limits where key = $1 and full_at <= $2',
      full.map(({ key }) => [key, now]),
    );
    return full.length;
  }
}
