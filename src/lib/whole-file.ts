import { link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Random } from './random.ts';

/** Only the owner can read and write the file. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

const NAME_BYTES = 8;
/** Includes the files that SQLite keeps beside a database. */
const PARTIAL_ENDING = /\.[0-9a-f]{16}\.partial(-journal|-wal|-shm)?$/;
/** Errors of file systems without hard links. */
const WITHOUT_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
/** Errors of systems that cannot open or sync a folder. */
const WITHOUT_FOLDER_SYNC: readonly string[] = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'];

/**
 * Creates a private file with its whole content, or no file at all. It writes and syncs under a temporary name first, so a
 * full disk or a crash never leaves a partial file under the final name. Returns false and changes nothing if the file
 * exists.
 */
export async function createWholeFile(
  path: string,
  content: string,
  random: Pick<Random, 'bytes'>,
): Promise<boolean> {
  const partial = partialPath(path, random);
  try {
    await writeSynced(partial, content);
    return await publishFile(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

/** Replaces a file, or creates it. Even after a crash it has the old content or the new one. */
export async function replaceWholeFile(
  path: string,
  content: string,
  random: Pick<Random, 'bytes'>,
): Promise<void> {
  const partial = partialPath(path, random);
  try {
    await writeSynced(partial, content);
    await moveFile(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

/** Gives a complete and synced file another name, in place of any file with that name. */
export async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** A temporary name for a file that is being written. No other process uses it. */
export function partialPath(path: string, random: Pick<Random, 'bytes'>): string {
  return `${path}.${Buffer.from(random.bytes(NAME_BYTES)).toString('hex')}.partial`;
}

/**
 * Gives a complete and synced file its final name. Returns false if the name is taken. The caller removes the file under
 * its temporary name.
 */
export async function publishFile(partial: string, path: string): Promise<boolean> {
  try {
    // Unlike a rename, a link never replaces a file.
    await link(partial, path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    // Another process created the file and removed our partial one as a leftover.
    if (code === 'ENOENT' && (await exists(path))) return false;
    if (!WITHOUT_LINKS.includes(code)) throw error;
    if (await exists(path)) return false;
    await rename(partial, path);
  }
  await syncFolder(dirname(path));
  return true;
}

/**
 * Removes temporary files that crashes left behind. Call it once the final file exists: other processes can then no longer
 * finish theirs. Files that cannot be removed stay; they do no harm.
 */
export async function removePartialFiles(path: string): Promise<void> {
  const name = basename(path);
  const leftovers = await partialFiles(dirname(path), (one) => one === name);
  await Promise.allSettled(leftovers.map((leftover) => rm(leftover, { force: true })));
}

/** Temporary files for files of some names. */
export async function partialFiles(folder: string, isOurs: (name: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder).catch(() => []);
  const isPartial = (entry: string) =>
    PARTIAL_ENDING.test(entry) && isOurs(entry.replace(PARTIAL_ENDING, ''));
  return entries.filter(isPartial).map((entry) => join(folder, entry));
}

async function writeSynced(path: string, content: string): Promise<void> {
  await using file = await open(path, 'wx', PRIVATE_FILE_MODE);
  await file.writeFile(content);
  await file.sync();
}

/** Makes the names in a folder survive a power failure, if the system supports it. */
async function syncFolder(path: string): Promise<void> {
  try {
    await using folder = await open(path, 'r');
    await folder.sync();
  } catch (error) {
    if (!WITHOUT_FOLDER_SYNC.includes(errorCode(error))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
