import { open, rename, rm, stat } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import { StorageError } from '../driver.ts';

/**
 * Copies a database that may be in use, page by page, into a file that appears only when it is complete
 * and sound. Returns its size in bytes.
 */
export async function backupSqlite(source: string, target: string): Promise<number> {
  await refuseExisting(target);
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  try {
    const database = openExisting(source);
    try {
      await backup(database, partial);
    } finally {
      database.close();
    }
    requireSound(partial);
    await sync(partial);
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
  return (await stat(target)).size;
}

function openExisting(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true });
  } catch (cause) {
    throw new StorageError('fault', `there is no database at ${path}`, { cause });
  }
}

async function refuseExisting(path: string): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new StorageError('fault', `${path} exists already`);
}

function requireSound(path: string): void {
  const copy = new DatabaseSync(path, { readOnly: true });
  try {
    const [row] = copy.prepare('pragma integrity_check').all();
    if (row?.integrity_check !== 'ok') throw new StorageError('fault', 'the copy is damaged');
  } finally {
    copy.close();
  }
}

async function sync(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}
