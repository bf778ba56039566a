import { open, rm, stat } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Random } from '../../lib/random.ts';
import { moveFile, partialPath, publishFile, removePartialFiles } from '../../lib/whole-file.ts';
import { StorageError } from '../driver.ts';
import { createPrivateFile } from './files.ts';

export interface BackupOptions {
  /** Whether a file at the target is replaced. Otherwise it is refused. */
  readonly replaces?: boolean;
  /** Is told the percentage that is copied. */
  readonly tell?: (percent: number) => void;
}

/**
 * Copies a database that may be in use, page by page. The target file appears only when the copy is complete and sound.
 * Returns its size in bytes.
 */
export async function backupSqlite(
  source: string,
  target: string,
  random: Random,
  { replaces = false, tell = () => undefined }: BackupOptions = {},
): Promise<number> {
  if (!replaces) await requireNoFile(target);
  const partial = partialPath(target, random);
  try {
    if (!createPrivateFile(partial)) throw existsAlready(partial);
    await copy(source, partial, tell);
    requireSound(partial);
    await syncFile(partial);
    if (replaces) await moveFile(partial, target);
    else if (!(await publishFile(partial, target))) throw existsAlready(target);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError('fault', `cannot copy ${source}: ${messageOf(error)}`, { cause: error });
  } finally {
    await removeDatabase(partial);
  }
  await removePartialFiles(target);
  return (await stat(target)).size;
}

async function copy(source: string, target: string, tell: (percent: number) => void): Promise<void> {
  using database = openExisting(source);
  // Without a transaction, every write of another process would start the copy again from the first page. In a read
  // transaction the copy sees the database as it is now and finishes.
  database.exec('begin');
  database.prepare('select count(*) from sqlite_schema').get();
  await backup(database, target, {
    progress: ({ totalPages, remainingPages }) =>
      tell(Math.floor((100 * (totalPages - remainingPages)) / totalPages)),
  });
}

function openExisting(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true });
  } catch (cause) {
    throw new StorageError('fault', `there is no database at ${path}`, { cause });
  }
}

export async function requireNoFile(path: string): Promise<void> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw existsAlready(path);
}

export function existsAlready(path: string): StorageError {
  return new StorageError('fault', `${path} exists already`);
}

/** Makes one file of the database, and throws if it is damaged. */
export function requireSound(path: string): void {
  using copied = new DatabaseSync(path);
  // The copy would inherit write-ahead logging, which needs two more files.
  copied.exec('pragma journal_mode = delete');
  const [row] = copied.prepare('pragma integrity_check').all();
  if (row?.integrity_check !== 'ok') throw new Error('it is damaged');
}

export async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}

/** Removes the database and the files that SQLite keeps beside it. */
export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(`${path}${suffix}`, { force: true });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
