import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';

export class SqlJobReads<Db extends Reader = Reader> extends Statements<Db> {
  /** When the job is due next, or its claim ends. Null if it was never done. */
  async dueAt(name: string): Promise<Instant | null> {
    const [row] = await this.db.all<{ at: Instant }>('select due_at as at from jobs where name = $1', [name]);
    return row?.at ?? null;
  }
}

export class SqlJobs extends SqlJobReads<Writer> {
  /**
   * Claims the job until that time. Returns false if it is not due. A job that is due after `latest` counts as due now:
   * only a wrong clock can have set such a time.
   */
  async claim(name: string, now: Instant, until: Instant, latest: Instant): Promise<boolean> {
    return this.changesOne(
      `insert into jobs (name, due_at) values ($1, $3)
       on conflict (name) do update set due_at = excluded.due_at where jobs.due_at <= $2 or jobs.due_at > $4`,
      [name, now, until, latest],
    );
  }

  /** Sets the time at which the job is due next. */
  async postpone(name: string, until: Instant): Promise<void> {
    await this.db.send('update jobs set due_at = $2 where name = $1', [[name, until]]);
  }
}
