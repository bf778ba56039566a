import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../driver.ts';
import { createPrivateFile, securePlace } from './files.ts';

/** Long enough for a previous process that is just ending. */
const LOCK_TIMEOUT_MS = 1_000;
const SQLITE_BUSY = 5;
const WRITE_REFUSALS = ['EACCES', 'EPERM', 'EROFS'];

/**
 * Keeps other services off the database. The lock is a lock of SQLite on an empty file beside the database. The
 * operating system releases it when the process ends, even after a crash. Commands that may run beside a service do not
 * take it.
 */
export function lockDatabase(path: string): Disposable {
  using opened = new DisposableStack();
  try {
    // All links to one database use the same lock.
    const lockPath = `${securePlace(path)}.lock`;
    createPrivateFile(lockPath);
    const lock = opened.adopt(new DatabaseSync(lockPath, { timeout: LOCK_TIMEOUT_MS }), (open) =>
      open.close(),
    );
    // Nothing is ever written, so there is no journal on the disk, and a full disk does not matter.
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    throw new StorageError('fault', reasonOf(path, error), { cause: error });
  }
  return opened.move();
}

function reasonOf(path: string, error: unknown): string {
  if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
    return (
      `another Tocsin is running on the database ${path}, and SQLite is for one process at a time: ` +
      'stop the other one first, or set DATABASE_URL to another file or to a PostgreSQL database'
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && 'code' in error && WRITE_REFUSALS.includes(String(error.code)))
    return `user ${process.getuid?.() ?? userInfo().username} cannot write in the folder ${dirname(path)}, where the database belongs: ${reason}`;
  return `cannot lock the database ${path}, for which a file beside it with the ending .lock is needed: ${reason}`;
}
