import { AppError } from '../domain/errors.ts';
import type { Dialect } from './dialect.ts';
import type { Value } from './value.ts';

export type { Scalar, Value } from './value.ts';

export interface Reader {
  /** Returns the rows of a statement, with columns by name. */
  all<Row>(sql: string, params?: readonly Value[]): Promise<Row[]>;
}

/** A state of the database. Every commit leads to a new one. */
export interface Revision {
  /**
   * Grows by one with each commit of this connection. The revision that a rolled-back transaction would have made is
   * never used.
   */
  readonly own: number;
  /** Changes with the commits of all others. */
  readonly others: number;
}

export interface Writer extends Reader {
  /** The state in which the transaction began. Null if others may write at the same time. */
  readonly revision: Revision | null;
  /** Runs a statement and says how many rows it changed. */
  run(sql: string, params?: readonly Value[]): Promise<number>;
  /** Runs a statement once for each set of parameters, in order, and returns the rows of all. */
  repeat<Row>(sql: string, sets: readonly (readonly Value[])[]): Promise<Row[]>;
  /**
   * Runs a statement whose result is not needed. The call does not wait for the answer of the database: the statement
   * is sent together with the next one. If it fails, the transaction fails.
   */
  send(sql: string, sets: readonly (readonly Value[])[]): Promise<void>;
  /** Runs several statements of a migration, without parameters. */
  script(sql: string): Promise<void>;
}

export interface TransactionOptions {
  /**
   * True by default: the caller is told after the commit that it shares with others, which may have come later. False for
   * work whose caller must not wait for others, and for work that others must not wait for, because it takes long or
   * waits for something between its statements.
   */
  readonly sharesCommit?: boolean;
  /**
   * Whether the transaction may fill tables that were empty. PostgreSQL then plans each of its statements for the rows that are
   * there by now: a plan that was made for an empty table reads all of it.
   */
  readonly fillsTables?: boolean;
}

/** One database, in either engine. Statements are written once, with `$1`; drivers hide how they bind. */
export interface Driver extends Reader, AsyncDisposable {
  readonly dialect: Dialect;
  /**
   * Commits when `work` resolves, rolls back when it throws. May call `work` again after a deadlock. Transactions that
   * wait at the same time may share one commit. Each of them settles after it; one that throws takes back nothing of the
   * others. So `work` must wait for nothing but its own statements.
   */
  transaction<T>(work: (tx: Writer) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs statements one after the other, outside of transactions and without a limit of time. Returns false and does nothing if
   * another process does so. Absent where every statement can be part of a transaction.
   */
  runAlone?(statements: readonly string[]): Promise<boolean>;
  /**
   * Lets all reads of the running callback and of its promises see one state of the database, which costs less than a
   * state for each. Absent where it would save nothing.
   */
  shareState?(): void;
  /**
   * Reads a row on every kind of connection that serves requests, and throws if any of them cannot. It reads from the
   * file, not from memory, so that it notices a file that somebody has overwritten. Its cost does not depend on the
   * amount of data.
   */
  probe(): Promise<void>;
}

/** Reads the version of the schema, which every migrated database has. */
export async function readAnyRow(reader: Reader): Promise<void> {
  const rows = await reader.all('select version from schema_migrations limit 1');
  if (rows.length === 0) throw new StorageError('fault', 'the database has lost its tables');
}

/**
 * Does the work of a transaction that has begun. The statements run one after the other. If a statement fails, the
 * transaction fails, even if the work catches the error: PostgreSQL would answer the commit with a rollback and report
 * success. Statements after the end of the work are rejected: they would run in another transaction or in none.
 */
export async function doWork<T>(statements: Writer, work: (tx: Writer) => Promise<T>): Promise<T> {
  let isOpen = true;
  let failure: { readonly error: unknown } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const next = <R>(statement: () => Promise<R>): Promise<R> => {
    if (!isOpen) return Promise.reject(new Error('the transaction of this statement is over'));
    const result = last.then(() => {
      if (failure !== undefined) throw failure.error;
      return statement();
    });
    last = result.catch((error: unknown) => {
      failure ??= { error };
    });
    return result;
  };
  let result: T;
  try {
    result = await work({
      revision: statements.revision,
      all: (sql, params) => next(() => statements.all(sql, params)),
      run: (sql, params) => next(() => statements.run(sql, params)),
      repeat: (sql, sets) => next(() => statements.repeat(sql, sets)),
      send: (sql, sets) => next(() => statements.send(sql, sets)),
      script: (sql) => next(() => statements.script(sql)),
    });
  } finally {
    isOpen = false;
    await last;
  }
  if (failure !== undefined) throw failure.error;
  return result;
}

/** A failure that a retry does not solve: a unique value is taken, or there is a fault. */
export type StorageErrorKind = 'conflict' | 'fault';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageErrorKind;

  constructor(kind: StorageErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export function isConflict(error: unknown): boolean {
  return error instanceof StorageError && error.kind === 'conflict';
}

/** A failure that passes, such as a restart of the server or a lock that is held too long. The client may retry. */
export function storageUnavailable(message: string, cause?: unknown): AppError {
  return new AppError('storage_unavailable', message, { cause, retryAfterSeconds: 1 });
}
