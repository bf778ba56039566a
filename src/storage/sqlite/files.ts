import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from '../../lib/whole-file.ts';

/** Where the database is unless an operator says otherwise. Its folder is ours. */
export const DEFAULT_PATH = './data/tocsin.db';

/** The database, and what SQLite and we keep beside it. */
const SUFFIXES: readonly string[] = ['', '-wal', '-shm', '-journal', '.secret', '.lock'];
const RIGHTS_OF_OTHERS = 0o077;

/**
 * Makes the database's folder and an empty database file where there are none, and takes the rights of others away from
 * files that exist. SQLite gives the files that it makes beside the database the mode of the database. Of folders, only
 * one that is made here and the default one lose the rights of others: any other may be shared with somebody.
 */
export function securePlace(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  if (resolve(path) === resolve(DEFAULT_PATH)) restrict(folder, PRIVATE_FOLDER_MODE);
  createPrivateFile(path);
  for (const suffix of SUFFIXES) restrict(`${path}${suffix}`, PRIVATE_FILE_MODE);
}

/**
 * Creates an empty file, and returns false where there is one. That one is not even opened: closing it again would
 * release the locks that SQLite holds on it in this process.
 */
export function createPrivateFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE_MODE));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The folder and the files to which others have rights, after `securePlace` has done what it can. */
export function exposedPaths(path: string): string[] {
  return [dirname(path), ...SUFFIXES.map((suffix) => `${path}${suffix}`)].filter(isExposed);
}

function restrict(path: string, mode: number): void {
  if (!isExposed(path)) return;
  try {
    chmodSync(path, mode);
  } catch {
    // It belongs to somebody else, or the file system has no modes: `exposedPaths` tells.
  }
}

function isExposed(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & RIGHTS_OF_OTHERS) !== 0;
}
