import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { SourceError } from './source-error.ts';

/** SQLite's number for a file that is no database. */
const NO_DATABASE = 26;
/** A program that writes to the database is waited for. */
const BUSY_TIMEOUT_MS = 10_000;
/** The two bytes of the header that say whether the database is in WAL mode. */
const MODE_AT = 18;
const WAL_MODE = 2;

/** A database file of another program, which may be running. */
export interface SqliteFile extends Disposable {
  readonly database: DatabaseSync;
}

/** Opens the file for reading. Neither the file nor those beside it change, and none is added. */
export function openSqliteFile(path: string): SqliteFile {
  using opened = new DisposableStack();
  return readingFile(path, () => {
    const { location, folder } = placeToRead(path);
    opened.defer(() => removeCopy(folder));
    const database = new DatabaseSync(location, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    opened.defer(() => database.close());
    // Somebody else wrote the schema. It calls no function that could do anything.
    database.exec('pragma trusted_schema = off');
    // The first read finds out whether it is a database.
    database.prepare('select count(*) from sqlite_master').get();
    // It stays open. Later this process may be a user who cannot remove it.
    removeCopy(folder);
    const parts = opened.move();
    return { database, [Symbol.dispose]: () => parts.dispose() };
  });
}

/** Does the work with the file. An error of the file or of SQLite becomes one of the source. */
export function readingFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw sqliteError(path, error);
  }
}

/**
 * A database in WAL mode is read together with the files `-wal` and `-shm`, and SQLite makes them if they are missing. If
 * there is no `-wal`, the file alone is everything. With a `-wal` and no `-shm` no program is running, and a copy is read.
 *
 * In other modes no program can write while the database is read. It waits while a copy is made, and not as long as an import
 * takes. Without room for a copy the file itself is read.
 */
function placeToRead(path: string): { readonly location: string | URL; readonly folder: string | null } {
  const hasWal = (sizeOf(`${path}-wal`) ?? 0) > 0;
  const hasIndex = sizeOf(`${path}-shm`) !== null;
  if (hasIndex) return { location: path, folder: null };
  if (hasWal)
    return copied(path, (copy) => {
      copyFileSync(path, copy);
      copyFileSync(`${path}-wal`, `${copy}-wal`);
    });
  if (isInWalMode(path)) {
    const alone = pathToFileURL(path);
    alone.search = 'immutable=1';
    return { location: alone, folder: null };
  }
  const { bavail, bsize } = statfsSync(tmpdir());
  const hasRoom = (sizeOf(path) ?? 0) < (bavail * bsize) / 2;
  return hasRoom ? copied(path, (copy) => copyLocked(path, copy)) : { location: path, folder: null };
}

function copied(path: string, make: (copy: string) => void): { location: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-import-'));
  const copy = join(folder, basename(path));
  try {
    make(copy);
  } catch (error) {
    removeCopy(folder);
    throw error;
  }
  return { location: copy, folder };
}

/** Copies the file while nobody can write to it. The end of copying ends the lock, too: it closes the file. */
function copyLocked(path: string, copy: string): void {
  using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  database.exec('pragma trusted_schema = off; begin');
  database.prepare('select count(*) from sqlite_master').get();
  copyFileSync(path, copy);
}

/** Windows removes no file that is open. It is tried again at the end. */
function removeCopy(folder: string | null): void {
  try {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is a folder for temporary files.
  }
}

function isInWalMode(path: string): boolean {
  const header = new Uint8Array(MODE_AT + 2);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return header[MODE_AT] === WAL_MODE;
}

/** Null if there is no such file. */
function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}

function sqliteError(path: string, error: unknown): unknown {
  const { code, errcode, message } = error as NodeJS.ErrnoException & { readonly errcode?: number };
  if (code === 'ENOENT') return new SourceError(`${path}: there is no such file`, { cause: error });
  if (code === 'EACCES' || code === 'EPERM')
    return new SourceError(`${path}: there is no right to read it`, { cause: error });
  if (code === 'EISDIR') return new SourceError(`${path} is a folder`, { cause: error });
  if (code !== 'ERR_SQLITE_ERROR') return error;
  if (errcode === NO_DATABASE) return new SourceError(`${path} is no SQLite database`, { cause: error });
  return new SourceError(`${path} cannot be read: ${message}`, { cause: error });
}
