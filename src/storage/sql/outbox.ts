import type { Progress } from '../../domain/delivery.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { runForAll, unnest } from './table.ts';

type Row = Progress & { readonly id: number };

/**
 * What the outboxes have in common. A row is open as long as it has a next try; a claim puts that off and counts
 * as a try, so that whoever claims it again makes earlier claims void.
 */
export class Outbox {
  readonly #table: string;
  readonly #settle: { one: string; many: string };

  constructor(table: string) {
    this.#table = table;
    this.#settle = {
      one: `update ${table} set state = $3, next_attempt_at = $4, error = $5, finished_at = $6
             where id = $1 and attempt_count = $2 and next_attempt_at is not null returning id`,
      many: `update ${table}
                set state = given.state, next_attempt_at = given.next_attempt_at, error = given.error,
                    finished_at = given.finished_at
               from ${unnest(['bigint', 'integer', 'text', 'bigint', 'text', 'bigint'])}
                 as given (id, attempt_count, state, next_attempt_at, error, finished_at)
              where ${table}.id = given.id and ${table}.attempt_count = given.attempt_count
                and ${table}.next_attempt_at is not null
              returning ${table}.id`,
    };
  }

  /** When the next open row may be tried; null when none is open. */
  async nextAttemptAt(db: Reader): Promise<Instant | null> {
    const [row] = await db.all<{ at: Instant }>(
      `select next_attempt_at as at from ${this.#table} where next_attempt_at is not null
        order by next_attempt_at limit 1`,
    );
    return row?.at ?? null;
  }

  /** How many rows are open, due or not. */
  async openCount(db: Reader): Promise<number> {
    const [row] = await db.all<{ count: number }>(
      `select count(*) as count from ${this.#table} where next_attempt_at is not null`,
    );
    return row?.count ?? 0;
  }

  /** No open row waits longer than until `at`. */
  async bringForward(db: Writer, at: Instant): Promise<void> {
    await db.send(
      `update ${this.#table} set next_attempt_at = $1
        where next_attempt_at is not null and next_attempt_at > $1`,
      [[at]],
    );
  }

  /** Claims rows that were found due and are held. */
  async claim<T extends Row>(db: Writer, dialect: Dialect, due: readonly T[], until: Instant): Promise<T[]> {
    await db.send(
      `update ${this.#table} set next_attempt_at = $2, attempt_count = attempt_count + 1
        where id ${dialect.inList('$1')}`,
      [[dialect.list(due.map(({ id }) => id)), until]],
    );
    return due.map((row) => ({ ...row, nextAttemptAt: until, attemptCount: row.attemptCount + 1 }));
  }

  /** Puts off the end of claims that are still held. */
  async keep(db: Writer, rows: readonly Row[], until: Instant): Promise<void> {
    // A try that has just failed waits for its next one: that is not brought forward.
    await db.send(
      `update ${this.#table} set next_attempt_at = $3
        where id = $1 and attempt_count = $2 and next_attempt_at < $3`,
      rows.map(({ id, attemptCount }) => [id, attemptCount, until]),
    );
  }

  /** Saves how tries ended; returns the ids of those whose claim was not lost to somebody else meanwhile. */
  async settle(db: Writer, dialect: Dialect, rows: readonly Row[]): Promise<number[]> {
    const settled = await runForAll<{ id: number }>(
      db,
      dialect,
      this.#settle,
      rows.map(({ id, attemptCount, state, nextAttemptAt, error, finishedAt }) => [
        id,
        attemptCount,
        state,
        nextAttemptAt,
        error,
        finishedAt,
      ]),
    );
    return settled.map(({ id }) => id);
  }
}
