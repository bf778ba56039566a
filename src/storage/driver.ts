import { AppError } from '../domain/errors.ts';
import type { Dialect } from './dialect.ts';

/** What can be bound to `$1`. */
export type Value = string | number | boolean | null | Uint8Array;

export interface Reader {
  /** The rows of a statement, columns by name. */
  all<Row>(sql: string, params?: readonly Value[]): Promise<Row[]>;
}

export interface Writer extends Reader {
  /** Runs a statement and says how many rows it changed. */
  run(sql: string, params?: readonly Value[]): Promise<number>;
  /** Runs several statements of a migration, without parameters. */
  script(sql: string): Promise<void>;
}

/** One database, in either engine. Statements are written once, with `$1`; drivers hide how they bind. */
export interface Driver extends Reader, AsyncDisposable {
  readonly dialect: Dialect;
  /** Commits when `work` resolves, rolls back when it throws. May call `work` again after a deadlock. */
  transaction<T>(work: (tx: Writer) => Promise<T>): Promise<T>;
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
  return new AppError('storage_unavailable', message, { cause });
}
