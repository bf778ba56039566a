import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from '../../lib/whole-file.ts';

/** The path of the database unless an operator configures another. We own its folder. */
export const DEFAULT_PATH = './data/tocsin.db';

/**
 * The database, and the files that SQLite and we keep beside it. They are beside the file itself, not beside links to
 * it.
 */
const SUFFIXES: readonly string[] = ['', '-wal', '-shm', '-journal', '.lock'];
const RIGHTS_OF_OTHERS = 0o077;
/** The largest number of symbolic links on the way to a file that does not exist yet; as in Linux. */
const MAX_LINKS = 40;

/**
 * Makes the database's folder and an empty database file if they do not exist. Removes the rights of others from
 * existing files. SQLite gives the files that it makes beside the database the mode of the database. A folder loses the
 * rights of others only if it is made here or is the default one: any other may be shared. Returns the path of the
 * database without links.
 */
export function securePlace(path: string): string {
  const file = followLinks(path);
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER_MODE });
  if (resolve(path) === resolve(DEFAULT_PATH)) restrict(dirname(path), PRIVATE_FOLDER_MODE);
  createPrivateFile(file);
  for (const each of filesOf(path, file)) restrict(each, PRIVATE_FILE_MODE);
  return file;
}

/**
 * The path without symbolic links, which SQLite follows in the same way. The file and its folders need not exist yet.
 */
export function followLinks(path: string, maxLinks: number = MAX_LINKS): string {
  try {
    // `realpathSync` without `native` takes `link/..` for the folder that contains the link.
    return realpathSync.native(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
  }
  const folder = followLinks(dirname(path), maxLinks);
  const place = join(folder, basename(path));
  if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return place;
  if (maxLinks === 0) throw new Error(`more than ${MAX_LINKS} symbolic links follow one another`);
  const target = readlinkSync(place);
  return followLinks(isAbsolute(target) ? target : `${folder}${sep}${target}`, maxLinks - 1);
}

/**
 * Creates an empty file. Returns false if it exists. An existing file is not opened: closing it again would release the
 * locks that SQLite holds on it in this process.
 */
export function createPrivateFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE_MODE));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** The folders and files to which others still have rights after `securePlace`. */
export function exposedPaths(path: string): string[] {
  const file = followLinks(path);
  const folders = new Set([dirname(file), followLinks(dirname(path))]);
  return [...folders, ...filesOf(path, file)].filter(isExposed);
}

/**
 * The files of the current secret, the next one, and the previous ones. They are beside the path that is configured,
 * and stay there when a link takes the place of the database.
 */
export function secretPaths(path: string): { current: string; next: string; previous: string } {
  const current = `${path}.secret`;
  return { current, next: `${current}.next`, previous: `${current}.previous` };
}

/** The database, and all files beside it that are ours or SQLite's. Some may not exist. */
export function databaseFiles(path: string): string[] {
  return filesOf(path, followLinks(path));
}

function filesOf(path: string, file: string): string[] {
  return [...SUFFIXES.map((suffix) => `${file}${suffix}`), ...Object.values(secretPaths(path))];
}

function restrict(path: string, mode: number): void {
  if (!isExposed(path)) return;
  try {
    chmodSync(path, mode);
  } catch {
    // The file belongs to somebody else, or the file system has no modes. `exposedPaths` reports it.
  }
}

function isExposed(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & RIGHTS_OF_OTHERS) !== 0;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
