import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import type { JobReads, JobWrites } from '../store.ts';

export class SqlJobReads implements JobReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async dueAt(name: string): Promise<Instant | null> {
    const [row] = await this.#db.all<{ at: Instant }>('select due_at as at from jobs where name = $1', [
      name,
    ]);
    return row?.at ?? null;
  }
}

export class SqlJobs extends SqlJobReads implements JobWrites {
  readonly #db: Writer;

  constructor(db: Writer) {
    super(db);
    this.#db = db;
  }

  async claim(name: string, now: Instant, until: Instant, latest: Instant): Promise<boolean> {
    const claimed = await this.#db.run(
      `insert into jobs (name, due_at) values ($1, $3)
       on conflict (name) do update set due_at = excluded.due_at where jobs.due_at <= $2 or jobs.due_at > $4`,
      [name, now, until, latest],
    );
    return claimed === 1;
  }

  async postpone(name: string, until: Instant): Promise<void> {
    await this.#db.send('update jobs set due_at = $2 where name = $1', [[name, until]]);
  }
}
