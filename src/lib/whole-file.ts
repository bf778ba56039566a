import { link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Random } from './random.ts';

/** Nobody but the owner reads or writes. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

const NAME_BYTES = 8;
/** With the files that SQLite keeps beside a database. */
const PARTIAL_ENDING = /^\.[0-9a-f]{16}\.partial(-journal|-wal|-shm)?$/;
/** File systems without hard links answer one of these. */
const WITHOUT_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
/** Systems on which a folder cannot be opened, or cannot be synced, answer one of these. */
const WITHOUT_FOLDER_SYNC: readonly string[] = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'];

/**
 * Creates a private file with all of its content, or no file at all. It is written and synced under another name first,
 * so that a full disk or a crash at any moment leaves no part of it under its own. Returns false, and changes nothing,
 * where the file exists.
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

/** A name for a file while it is made, which no other process uses. */
export function partialPath(path: string, random: Pick<Random, 'bytes'>): string {
  return `${path}.${Buffer.from(random.bytes(NAME_BYTES)).toString('hex')}.partial`;
}

/**
 * Gives a complete and synced file its final name, unless the name is taken: then it returns false. The caller removes
 * what is left under the old name.
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
 * Removes what crashes left behind under the names of `partialPath`. Call it once the file exists: whoever is still making
 * another one could not give it its name any more. They do no harm: what cannot be removed stays.
 */
export async function removePartialFiles(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const entries = await readdir(folder).catch(() => []);
  const leftovers = entries.filter(
    (entry) => entry.startsWith(name) && PARTIAL_ENDING.test(entry.slice(name.length)),
  );
  await Promise.allSettled(leftovers.map((entry) => rm(join(folder, entry), { force: true })));
}

async function writeSynced(path: string, content: string): Promise<void> {
  await using file = await open(path, 'wx', PRIVATE_FILE_MODE);
  await file.writeFile(content);
  await file.sync();
}

/** Makes the names in a folder outlive a power failure, where the system can. */
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
