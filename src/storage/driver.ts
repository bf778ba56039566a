import { AppError } from '../domain/errors.ts';
import type { Dialect } from './dialect.ts';
import type { Value } from './value.ts';

export type { Scalar, Value } from './value.ts';

export interface Reader {
  /** The rows of a statement, columns by name. */
  all<Row>(sql: string, params?: readonly Value[]): Promise<Row[]>;
}

/** A state of the database: another one follows with every commit. */
export interface Revision {
  /** One more with each commit of this connection. What a transaction that is rolled back would have made never comes. */
  readonly own: number;
  /** Changes with the commits of all others. */
  readonly others: number;
}

export interface Writer extends Reader {
  /** The state that the transaction began with. Null where others may write at the same time. */
  readonly revision: Revision | null;
  /** Runs a statement and says how many rows it changed. */
  run(sql: string, params?: readonly Value[]): Promise<number>;
  /** Runs a statement once for each set of parameters, in order, and returns the rows of all. */
  repeat<Row>(sql: string, sets: readonly (readonly Value[])[]): Promise<Row[]>;
  /**
   * The same for a statement of which nothing is wanted but that it succeeds. What follows need not wait until it is
   * known to: it travels together with the next, however far away the database is. If it fails, so does the transaction.
   */
  send(sql: string, sets: readonly (readonly Value[])[]): Promise<void>;
  /** Runs several statements of a migration, without parameters. */
  script(sql: string): Promise<void>;
}

/** One database, in either engine. Statements are written once, with `$1`; drivers hide how they bind. */
export interface Driver extends Reader, AsyncDisposable {
  readonly dialect: Dialect;
  /** Commits when `work` resolves, rolls back when it throws. May call `work` again after a deadlock. */
  transaction<T>(work: (tx: Writer) => Promise<T>): Promise<T>;
  /**
   * Reads a row on every sort of connection that serves requests, and throws when any of them cannot. What was read
   * before is no answer: a file that was overwritten behind our back shows. Costs the same however much is stored.
   */
  probe(): Promise<void>;
}

/** There is one in every database that was migrated. */
export async function readAnyRow(reader: Reader): Promise<void> {
  const rows = await reader.all('select version from schema_migrations limit 1');
  if (rows.length === 0) throw new StorageError('fault', 'the database has lost its tables');
}

/**
 * Does the work of a transaction that has begun. Its statements run one after the other. One that fails
 * dooms the transaction even if the work swallows the error: PostgreSQL would answer the commit with a
 * rollback and call that a success. Once the work is over none is let through, for it would run in
 * somebody else's transaction or in none.
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

/** A failure that does not pass by itself: a unique value that is taken, or a fault. */
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

/** A failure that passes (the server restarts, a lock is held too long): worth a retry by the client. */
export function storageUnavailable(message: string, cause?: unknown): AppError {
  return new AppError('storage_unavailable', message, { cause, retryAfterSeconds: 1 });
}
