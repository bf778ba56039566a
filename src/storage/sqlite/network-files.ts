import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type FileSystem, fileSystemOf } from '../../lib/file-system.ts';
import { StorageError } from '../driver.ts';
import { followLinks } from './files.ts';

/** Why SQLite is not for files of other machines. */
export const NETWORK_FILES =
  'Locks and shared memory are not reliable there, so that SQLite loses or damages data.';

/**
 * The kind of the file system, if the files of the database are on another machine; null if they are on this one. Throws unless
 * it is allowed.
 */
export async function requireLocalFiles(
  path: string,
  isAllowed: boolean,
  look: (folder: string) => Promise<Pick<FileSystem, 'kind' | 'sort'>> = fileSystemOf,
): Promise<string | null> {
  let system: Pick<FileSystem, 'kind' | 'sort'>;
  try {
    system = await look(existingFolder(followLinks(path)));
  } catch {
    // What opens the database tells why the folder cannot be used.
    return null;
  }
  const { kind, sort } = system;
  if (sort !== 'network') return null;
  if (isAllowed) return kind;
  throw new StorageError(
    'fault',
    `the database ${path} is on ${kind}, a file system of the network. ${NETWORK_FILES} Move it to a disk of this machine, or use PostgreSQL. ALLOW_NETWORK_FILES=True starts all the same`,
  );
}

/** The folder of a file, or the nearest one above it that exists. */
export function existingFolder(file: string): string {
  const folder = dirname(resolve(file));
  return existsSync(folder) || folder === dirname(folder) ? folder : existingFolder(folder);
}
