import type { Progress } from '../../domain/alert/delivery.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { oneRow, runForAll, unnest } from './table.ts';

type Row = Progress & { readonly id: number };

/** The row is open, due at $1, and not leased. */
export const DUE = 'next_attempt_at is not null and leased_until_at is null and next_attempt_at <= $1';

/**
 * The common part of the outboxes. A row is open while it has a next attempt. A lease counts as an attempt, so that a
 * later lease makes earlier ones void.
 */
export class Outbox {
  readonly #table: string;
  readonly #settle: { one: string; many: string };

  /** `settled` names the columns of this table that `settle` returns for each row. */
  constructor(table: string, settled = `${table}.id`) {
    this.#table = table;
    this.#settle = {
      one: `update ${table}
               set state = $3, next_attempt_at = $4, leased_until_at = null, error = $5, finished_at = $6
             where id = $1 and attempt_count = $2 and next_attempt_at is not null returning ${settled}`,
      many: `update ${table}
                set state = given.state, next_attempt_at = given.next_attempt_at, leased_until_at = null,
                    error = given.error, finished_at = given.finished_at
               from ${unnest(['bigint', 'integer', 'text', 'bigint', 'text', 'bigint'])}
                 as given (id, attempt_count, state, next_attempt_at, error, finished_at)
              where ${table}.id = given.id and ${table}.attempt_count = given.attempt_count
                and ${table}.next_attempt_at is not null
              returning ${settled}`,
    };
  }

  /** When the next open row is due, or its lease runs out; null when none is open. */
  async nextAttemptAt(db: Reader): Promise<Instant | null> {
    const rows = await db.all<{ due: Instant | null; lapses: Instant | null }>(
      `select (select min(next_attempt_at) from ${this.#table}
                where next_attempt_at is not null and leased_until_at is null) as due,
              (select min(leased_until_at) from ${this.#table} where leased_until_at is not null) as lapses`,
    );
    const { due, lapses } = oneRow(rows);
    const times = [due, lapses].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** How many rows are open, due or not. */
  async openCount(db: Reader): Promise<number> {
    const rows = await db.all<{ waiting: number; leased: number }>(
      `select (select count(*) from ${this.#table}
                where next_attempt_at is not null and leased_until_at is null) as waiting,
              (select count(*) from ${this.#table} where leased_until_at is not null) as leased`,
    );
    const { waiting, leased } = oneRow(rows);
    return waiting + leased;
  }

  /** Afterwards no open row waits beyond `at`, and no lease lasts longer. */
  async bringForward(db: Writer, at: Instant): Promise<void> {
    await db.send(
      `update ${this.#table} set next_attempt_at = $1
        where next_attempt_at is not null and leased_until_at is null and next_attempt_at > $1`,
      [[at]],
    );
    await db.send(
      `update ${this.#table} set leased_until_at = $1, next_attempt_at = $1
        where leased_until_at is not null and leased_until_at > $1`,
      [[at]],
    );
  }

  /** Ends leases that have run out. The node that had one is dead, or it is slow and will find its lease void. */
  async endLapsed(db: Writer, dialect: Dialect, now: Instant): Promise<void> {
    await db.send(
      `update ${this.#table} set leased_until_at = null
        where id in (select id from ${this.#table} where leased_until_at is not null and leased_until_at <= $1
                      order by leased_until_at limit $2
                      ${dialect.forUpdate === '' ? '' : 'for update skip locked'})`,
      [[now, MAX_LAPSED_AT_ONCE]],
    );
  }

  /** Leases rows that were found due and are locked. */
  async lease<T extends Row>(db: Writer, dialect: Dialect, due: readonly T[], until: Instant): Promise<T[]> {
    await db.send(
      `update ${this.#table} set leased_until_at = $2, attempt_count = attempt_count + 1
        where id ${dialect.inList('$1')}`,
      [[dialect.list(due.map(({ id }) => id)), until]],
    );
    return due.map((row) => ({ ...row, leasedUntilAt: until, attemptCount: row.attemptCount + 1 }));
  }

  /** Extends leases that are still held. */
  async extend(db: Writer, rows: readonly Row[], until: Instant): Promise<void> {
    await db.send(
      `update ${this.#table} set leased_until_at = $3
        where id = $1 and attempt_count = $2 and leased_until_at is not null and leased_until_at < $3`,
      rows.map(({ id, attemptCount }) => [id, attemptCount, until]),
    );
  }

  /** Gives leases back without an attempt. The rows are due again at `at`. */
  async release(db: Writer, rows: readonly Row[], at: Instant): Promise<void> {
    await db.send(
      `update ${this.#table}
          set next_attempt_at = $3, leased_until_at = null, attempt_count = attempt_count - 1
        where id = $1 and attempt_count = $2 and leased_until_at is not null`,
      rows.map(({ id, attemptCount }) => [id, attemptCount, at]),
    );
  }

  /** Gives all leases back without an attempt, whichever node holds them. Returns their number. */
  async releaseAll(db: Writer): Promise<number> {
    return db.run(
      `update ${this.#table} set leased_until_at = null, attempt_count = attempt_count - 1
        where leased_until_at is not null`,
    );
  }

  /** Saves how attempts ended. Returns the rows whose lease was still held. */
  async settle<T extends { id: number }>(db: Writer, dialect: Dialect, rows: readonly Row[]): Promise<T[]> {
    return runForAll<T>(
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
  }
}

/** The largest number of rows that one statement changes. */
const MAX_LAPSED_AT_ONCE = 1_000;
