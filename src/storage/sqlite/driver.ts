import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { AppError } from '../../domain/errors.ts';
import {
  type Driver,
  doWork,
  readAnyRow,
  StorageError,
  storageUnavailable,
  type TransactionOptions,
  type Value,
  type Writer,
} from '../driver.ts';
import { DatabaseFile } from './database-file.ts';
import { sqliteDialect } from './dialect.ts';
import { securePlace } from './files.ts';
import { TABLES } from './tables.ts';

// The wait of a statement for another process, such as a backup or a second server.
const BUSY_TIMEOUT_MS = 5_000;
const RETRY_MS = 10;
// Pages that are written often, such as busy checks', are copied to the database file once for many writes.
const CHECKPOINT_PAGES = 8_000;
const CACHE_KIB = 16 * 1024;
/** The first of them waits for the last. */
export const MAX_TRANSACTIONS_PER_COMMIT = 32;

/**
 * One connection writes and another reads: in WAL mode a reader never blocks the writer. Transactions run one after the
 * other, since SQLite has one writer. Transactions that wait at the same time share a commit. With `synchronous=FULL` a
 * committed transaction is on the disk.
 */
export class SqliteDriver implements Driver {
  readonly dialect = sqliteDialect;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #file: DatabaseFile;
  #turn: Promise<unknown> = Promise.resolve();
  /** The last entry of the queue, if it is a group that others may join. */
  #openGroup: WaitingTransaction[] | null = null;
  /**
   * A transaction raises it by one, a rollback by one more. So no transaction begins at the revision that a rolled-back
   * one would have made.
   */
  #revision = 0;
  #foreignCommits: number;
  readonly #onForeignCommit: () => void;

  /** `onForeignCommit` is called when a transaction finds that another process has written since the last one. */
  constructor(
    path: string,
    {
      busyTimeoutMs = BUSY_TIMEOUT_MS,
      checkpointPages = CHECKPOINT_PAGES,
      isSynced = true,
      onForeignCommit = () => undefined,
    }: {
      busyTimeoutMs?: number;
      checkpointPages?: number;
      /** Without it commits are quicker, and a crash of the machine may damage the file. */
      isSynced?: boolean;
      onForeignCommit?: () => void;
    } = {},
  ) {
    this.#onForeignCommit = onForeignCommit;
    using opened = new DisposableStack();
    try {
      securePlace(path);
      this.#writer = opened.use(new Connection(path, { readOnly: false, busyTimeoutMs }));
      enterWal(this.#writer, busyTimeoutMs);
      this.#writer.exec(`pragma synchronous = ${isSynced ? 'full' : 'off'}`);
      this.#writer.exec('pragma foreign_keys = on');
      this.#writer.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
      this.#writer.exec(`pragma cache_size = -${CACHE_KIB}`);
      this.#reader = opened.use(new Connection(path, { readOnly: true, busyTimeoutMs }));
      this.#file = new DatabaseFile(path);
      this.#foreignCommits = this.#writer.foreignCommits();
    } catch (error) {
      if (isBusy(error)) throw error;
      const cause = error instanceof AppError ? error.cause : error;
      throw new StorageError('fault', `cannot open the database ${path}: ${messageOf(cause)}`, { cause });
    }
    opened.move();
  }

  async all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#reader.all<Row>(sql, params);
  }

  shareState(): void {
    const reader = this.#reader;
    try {
      if (reader.inTransaction) return;
      reader.run('begin', []);
    } catch {
      // The reads will tell the fault.
      return;
    }
    // A tick that a microtask asks for comes after all other microtasks. Commits of another thread are announced in a
    // callback of their own, so a listener reads a later state.
    queueMicrotask(() => process.nextTick(() => reader.rollBack()));
  }

  transaction<T>(
    work: (tx: Writer) => Promise<T>,
    { sharesCommit = true }: TransactionOptions = {},
  ): Promise<T> {
    const { transaction, result } = waitingTransaction(work);
    if (sharesCommit) this.#groupWithRoom().push(transaction);
    else this.#inTurn(() => this.#commitTogether([transaction]));
    return result;
  }

  /** The last group of the queue, or a new one at its end. */
  #groupWithRoom(): WaitingTransaction[] {
    const last = this.#openGroup;
    if (last !== null && last.length < MAX_TRANSACTIONS_PER_COMMIT) return last;
    const group: WaitingTransaction[] = [];
    this.#inTurn(() => {
      if (this.#openGroup === group) this.#openGroup = null;
      return this.#commitTogether(group);
    });
    this.#openGroup = group;
    return group;
  }

  /** Copies the rest of the log while nobody writes. The next transaction begins the log anew. */
  async finishCheckpoint(): Promise<void> {
    await this.#inTurn(() => this.#writer.exec('pragma wal_checkpoint(passive)'));
  }

  /**
   * The writer only reads a row, because its cached pages are valuable. The reader drops its cache and reads a row of
   * each of our tables from the file. If a page is only in the log, it is read from there, as requests do.
   */
  async probe(): Promise<void> {
    const reader = this.#reader;
    // The cache is dropped first. Otherwise a bad page in it would hide that the file is good again.
    reader.exec('pragma shrink_memory');
    this.#file.requireSame(Number(reader.pragma('page_count')) * Number(reader.pragma('page_size')));
    await readAnyRow(this);
    for (const name of TABLES) reader.all(`select 1 as one from ${name} not indexed limit 1`, []);
    await this.#inTurn(() => readAnyRow({ all: async (sql, params = []) => this.#writer.all(sql, params) }));
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    // Later work comes after this, so it does not join a group before it.
    this.#openGroup = null;
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /**
   * Runs the transactions of a group one after the other, and commits them together. One that fails is rolled back
   * alone. If the commit fails, or SQLite has rolled back everything, as it does when the disk is full, all of them
   * fail. Nobody is told before the commit: even a refusal may depend on what another transaction has written.
   */
  async #commitTogether(group: readonly WaitingTransaction[]): Promise<void> {
    const connection = this.#writer;
    const tell: (() => void)[] = [];
    try {
      const others = this.#begin();
      for (const transaction of group) {
        const statements = this.#statements(others);
        tell.push(
          group.length === 1
            ? await transaction.run(statements)
            : await this.#runWithin(transaction, statements),
        );
        this.#revision++;
      }
      connection.exec('commit');
    } catch (error) {
      this.#revision += 2;
      connection.rollBack();
      for (const { fail } of group) fail(error);
      return;
    }
    // Reads that come after this one see it.
    this.#reader.rollBack();
    for (const one of tell) one();
  }

  #begin(): number {
    const connection = this.#writer;
    // After a disk error the last transaction may still be open.
    if (connection.inTransaction) connection.exec('rollback');
    connection.exec('begin immediate');
    const others = connection.foreignCommits();
    if (others !== this.#foreignCommits) this.#onForeignCommit();
    this.#foreignCommits = others;
    return others;
  }

  /** Runs one transaction of several. Returns how to tell its outcome. */
  async #runWithin(transaction: WaitingTransaction, statements: Writer): Promise<() => void> {
    const connection = this.#writer;
    connection.run('savepoint one', []);
    try {
      const tell = await transaction.run(statements);
      connection.run('release one', []);
      return tell;
    } catch (error) {
      if (!connection.inTransaction) throw error;
      connection.run('rollback to one', []);
      connection.run('release one', []);
      this.#revision++;
      return () => transaction.fail(error);
    }
  }

  #statements(others: number): Writer {
    const connection = this.#writer;
    return {
      revision: { own: this.#revision, others },
      all: async (sql, params = []) => connection.all(sql, params),
      run: async (sql, params = []) => connection.run(sql, params),
      repeat: async (sql, sets) => connection.repeat(sql, sets),
      send: async (sql, sets) => void connection.repeat(sql, sets),
      script: async (sql) => connection.exec(sql),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    this.#reader[Symbol.dispose]();
    this.#writer[Symbol.dispose]();
  }
}

interface WaitingTransaction {
  /** Does the work. Returns how to tell its result after the commit. */
  run(statements: Writer): Promise<() => void>;
  fail(error: unknown): void;
}

function waitingTransaction<T>(work: (tx: Writer) => Promise<T>): {
  readonly transaction: WaitingTransaction;
  readonly result: Promise<T>;
} {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  return {
    transaction: {
      async run(statements) {
        const value = await doWork(statements, work);
        return () => resolve(value);
      },
      fail: reject,
    },
    result: promise,
  };
}

/**
 * Processes that create the same database collide here. SQLite does not wait in this case, so we wait for the usual
 * time.
 */
function enterWal(connection: Connection, busyTimeoutMs: number): void {
  connection.exec('pragma busy_timeout = 0');
  const mode = retryWhileBusy(busyTimeoutMs, () => connection.pragma('journal_mode = wal'));
  connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  if (mode !== 'wal') throw new Error('its file system cannot share memory, which write-ahead logging needs');
}

function retryWhileBusy<T>(atMostMs: number, work: () => T): T {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= atMostMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/** Reads through a connection of its own, for a thread that never writes. */
export class SqliteReader implements Driver {
  readonly dialect = sqliteDialect;
  readonly #connection: Connection;

  constructor(path: string) {
    this.#connection = new Connection(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  }

  async all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#connection.all<Row>(sql, params);
  }

  async transaction(): Promise<never> {
    throw new StorageError('fault', 'this connection only reads');
  }

  async probe(): Promise<void> {
    await readAnyRow(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection[Symbol.dispose]();
  }
}

class Connection implements Disposable {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();

  constructor(path: string, { readOnly, busyTimeoutMs }: { readOnly: boolean; busyTimeoutMs: number }) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs });
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  all<Row>(sql: string, params: readonly Value[]): Row[] {
    return this.#translated(() => {
      const prepared = this.#prepared(sql);
      const { statement, toRow } = prepared;
      // The type definitions do not know rows as arrays.
      const rows = statement.all(...bound(prepared, params)) as unknown as SQLOutputValue[][];
      // The rows have the columns of the statement; the caller names their type next to the statement.
      return toRow === null ? [] : (rows.map(toRow) as Row[]);
    });
  }

  run(sql: string, params: readonly Value[]): number {
    return this.#translated(() => {
      const prepared = this.#prepared(sql);
      return Number(prepared.statement.run(...bound(prepared, params)).changes);
    });
  }

  repeat<Row>(sql: string, sets: readonly (readonly Value[])[]): Row[] {
    return this.#translated(() => {
      const prepared = this.#prepared(sql);
      const { statement, toRow } = prepared;
      const rows: Row[] = [];
      for (const params of sets) {
        // Of the ways to run a statement without rows it costs least.
        if (toRow === null) statement.get(...bound(prepared, params));
        // The type definitions do not know rows as arrays.
        else
          for (const values of statement.all(...bound(prepared, params)) as unknown as SQLOutputValue[][])
            rows.push(toRow(values) as Row);
      }
      return rows;
    });
  }

  exec(sql: string): void {
    this.#translated(() => this.#database.exec(sql));
  }

  /**
   * Ends the transaction if one is open. An error here is ignored, so that the caller reports the cause of the
   * rollback. The next transaction rolls back again.
   */
  rollBack(): void {
    try {
      if (this.inTransaction) this.run('rollback', []);
    } catch {}
  }

  /** A number that changes when another connection has committed. */
  foreignCommits(): number {
    const [row] = this.all<{ data_version: number }>('pragma data_version', []);
    return row?.data_version ?? 0;
  }

  /** The value of a pragma after it was read or set. */
  pragma(text: string): unknown {
    return this.#translated(() => Object.values(this.#database.prepare(`pragma ${text}`).get() ?? {})[0]);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #translated<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const code = errorCode(error);
      const message = messageOf(error);
      if (code === SQLITE_CONSTRAINT_UNIQUE || code === SQLITE_CONSTRAINT_PRIMARYKEY) {
        throw new StorageError('conflict', message, { cause: error });
      }
      if ([...HELD, ...AILING].includes(primary(code)))
        throw storageUnavailable(`${message} (${this.#path})`, error);
      throw new StorageError('fault', message, { cause: error });
    }
  }

  #prepared(sql: string): Prepared {
    let prepared = this.#statements.get(sql);
    if (prepared === undefined) {
      const statement = this.#database.prepare(sql.replaceAll(/\$\d+/g, '?'));
      statement.setReturnArrays(true);
      prepared = {
        statement,
        order: [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1),
        values: [],
        toRow: rowMaker(statement.columns().map(({ name }) => name)),
      };
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}

type Bindable = string | number | null | Uint8Array;

interface Prepared {
  readonly statement: StatementSync;
  /**
   * The index of the value for each question mark. SQLite would look up numbered parameters one by one on every run.
   */
  readonly order: readonly number[];
  /** Filled anew for each run, which costs less than an array for each. */
  readonly values: Bindable[];
  /** Makes a plain object of a row's values; null for a statement that returns none. */
  readonly toRow: ((values: readonly SQLOutputValue[]) => unknown) | null;
}

/**
 * Generates code for each statement, `({ id: values[0], … })`. Building an object name by name takes several times as
 * long, which would slow down lists of checks. The names come from our own statements only.
 */
function rowMaker(columns: readonly string[]): Prepared['toRow'] {
  if (columns.length === 0) return null;
  const fields = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  return new Function('values', `return ({ ${fields.join(', ')} });`) as NonNullable<Prepared['toRow']>;
}

/** The values for a run of the statement. They stay valid until its next run. */
function bound({ order, values }: Prepared, params: readonly Value[]): readonly Bindable[] {
  for (let mark = 0; mark < order.length; mark++) values[mark] = bindable(params[order[mark] ?? 0] ?? null);
  return values;
}

function bindable(value: Value): Bindable {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  throw new StorageError('fault', 'SQLite has no arrays');
}

// https://sqlite.org/rescode.html
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_NOMEM = 7;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_PROTOCOL = 15;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** Another process holds the database, which passes soon. */
const HELD = [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL];
/**
 * The disk or the memory is full or fails, until somebody repairs it. A damaged file is not included: it stays damaged.
 */
const AILING = [SQLITE_NOMEM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN];

function errorCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
}

/** The low byte of a code is the primary code; the rest gives details. */
function primary(code: number): number {
  return code & 0xff;
}

function isBusy(error: unknown): boolean {
  return error instanceof AppError && HELD.includes(primary(errorCode(error.cause)));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
