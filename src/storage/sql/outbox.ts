import type { Progress } from '../../domain/alert/delivery.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Value, Writer } from '../driver.ts';
import { oneRow, runForAll, unnest } from './table.ts';

/** Accounts take turns in an outbox. This is one turn. */
export interface Turn {
  readonly accountId: number;
  /** Rows that may be leased. */
  readonly limit: number;
}

/** Some of the accounts that have rows in an outbox, in the order of their ids. */
export interface AccountSpan {
  readonly above: number;
  readonly upTo: number;
  readonly limit: number;
}

export interface WaitingAccount {
  readonly id: number;
  /** When the first of its rows is due. */
  readonly dueAt: Instant;
}

/** Due rows to be locked: `columns` are selected where `condition` holds. `params` are the first ones of the statement. */
interface DueRows {
  readonly columns: string;
  readonly condition: string;
  /** The first one is the current time. */
  readonly params: readonly Value[];
  readonly turns: readonly Turn[];
}

type Row = Progress & { readonly id: number };

/** The row is open, and nobody has it in hand. */
const WAITS = 'next_attempt_at is not null and leased_until_at is null';

/** The row is open, due at $1, and not leased. */
export const DUE = `${WAITS} and next_attempt_at <= $1`;

/**
 * The common part of the outboxes. A row is open while it has a next attempt. A lease counts as an attempt, so that a
 * later lease makes earlier ones void.
 */
export class Outbox {
  readonly #table: string;
  readonly #account: (alias: string) => string;
  readonly #settle: { one: string; many: string };

  /**
   * `account` gives an expression for the account of a row. `settled` names the columns of this table that `settle` returns
   * for each row.
   */
  constructor(table: string, account: (alias: string) => string, settled = `${table}.id`) {
    this.#table = table;
    this.#account = account;
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
                where ${WAITS}) as due,
              (select min(leased_until_at) from ${this.#table} where leased_until_at is not null) as lapses`,
    );
    const { due, lapses } = oneRow(rows);
    const times = [due, lapses].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** The number of open rows, due or not. */
  async openCount(db: Reader): Promise<number> {
    const rows = await db.all<{ waiting: number; leased: number }>(
      `select (select count(*) from ${this.#table}
                where ${WAITS}) as waiting,
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

  /** The accounts of this span that have waiting rows, with the time when their first row is due. At most `limit`. */
  async waitingAccounts(db: Reader, { above, upTo, limit }: AccountSpan): Promise<WaitingAccount[]> {
    // Steps from account to account through an index, so that the number of their rows does not matter. No other index
    // has this order.
    const account = this.#account('row');
    const firstAbove = (last: string) =>
      `(select row.id from ${this.#table} as row
         where ${WAITS} and ${account} > ${last} and ${account} <= $2
         order by ${account}, next_attempt_at limit 1)`;
    const seen = this.#account('seen');
    return db.all<WaitingAccount>(
      `with recursive waiting (id, due_at) as (
         select ${seen}, seen.next_attempt_at from ${this.#table} as seen where seen.id = ${firstAbove('$1')}
         union all
         select ${seen}, seen.next_attempt_at
           from waiting join ${this.#table} as seen on seen.id = ${firstAbove('waiting.id')})
       select id, due_at as "dueAt" from waiting limit $3`,
      [above, upTo, limit],
    );
  }

  /** Locks due rows and returns them: for each account as many as its turn allows, the longest due first. */
  async dueInTurn<T>(db: Writer, dialect: Dialect, due: DueRows): Promise<T[]> {
    const { columns, condition, params, turns } = due;
    const lock = dialect.forUpdate === '' ? '' : `for update of ${this.#table} skip locked`;
    // The condition on the account is a range, and the account stands first in the order, so that only the index of turns
    // fits. With an equation PostgreSQL may read the rows of all accounts in the order in which they are due.
    const own = this.#account(this.#table);
    const rows = (account: string, limit: string) =>
      `select ${columns} from ${this.#table}
        where ${own} >= ${account} and ${own} <= ${account} and ${DUE} ${condition}
        order by ${own}, next_attempt_at, id limit ${limit} ${lock}`;
    const places = params.map((_, index) => `$${index + 1}`);
    const account = `$${places.length + 1}`;
    const limit = `$${places.length + 2}`;
    if (!dialect.hasArrays || turns.length === 1) {
      return db.repeat<T>(
        rows(account, limit),
        turns.map((turn) => [...params, turn.accountId, turn.limit]),
      );
    }
    return db.all<T>(
      `select found.* from unnest(${account}::bigint[], ${limit}::bigint[]) as turn (account_id, most)
        cross join lateral (${rows('turn.account_id', 'turn.most')}) as found`,
      [...params, turns.map((turn) => turn.accountId), turns.map((turn) => turn.limit)],
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
