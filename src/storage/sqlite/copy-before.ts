import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileSystemOf } from '../../lib/file-system.ts';
import type { Random } from '../../lib/random.ts';
import { PRIVATE_FOLDER_MODE } from '../../lib/whole-file.ts';
import { StorageError } from '../driver.ts';
import { backupSqlite } from './backup.ts';
import { followLinks } from './files.ts';

/** The number of copies that are kept. */
const KEPT = 3;
const OURS = /^before-.+\.db$/;

export interface UpgradeOfFile {
  /** The database. */
  readonly path: string;
  /** The release that is about to migrate it. */
  readonly release: string;
  /** Whether only contract steps are to be made. The copy from before the others is kept then. */
  readonly isContract: boolean;
  /** The free room of the volume, if it is not to be asked for. */
  readonly freeBytes?: number;
}

export interface CopyPlan {
  /** The file that is to be made. */
  readonly path: string;
  readonly bytes: number;
  readonly freeBytes: number;
}

/** What is to be copied before the database is migrated. Null: nothing, because it has no checks or the copy is there. */
export async function planCopy({
  path,
  release,
  isContract,
  freeBytes,
}: UpgradeOfFile): Promise<CopyPlan | null> {
  const file = followLinks(path);
  const found = existsSync(file) ? look(file) : null;
  if (found === null || !found.hasChecks) return null;
  const folder = join(dirname(file), 'backups');
  const target = join(folder, `before-${release}${isContract ? '-contract' : ''}.db`);
  // The upgrade was begun, and killed after some steps.
  const copy = existsSync(target) ? look(target) : null;
  if (copy !== null && copy.steps < found.steps) return null;
  const place = existsSync(folder) ? folder : dirname(file);
  return { path: target, bytes: found.bytes, freeBytes: freeBytes ?? (await fileSystemOf(place)).freeBytes };
}

/**
 * Copies a database that is about to be migrated, to a folder beside it, and keeps the last few copies. Returns the path of the
 * copy, or null if there is nothing to copy. `tell` is told the percentage that is copied.
 */
export async function copyBefore(
  upgrade: UpgradeOfFile,
  random: Random,
  tell: (percent: number) => void,
): Promise<string | null> {
  const plan = await planCopy(upgrade);
  if (plan === null) return null;
  const folder = dirname(plan.path);
  if (plan.freeBytes < plan.bytes)
    throw new StorageError(
      'fault',
      `there is no room for a copy of the database before its upgrade: it takes ${megabytes(plan.bytes)}, and ${megabytes(plan.freeBytes)} are free in ${folder}`,
    );
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  await backupSqlite(upgrade.path, plan.path, random, { replaces: true, tell });
  await removeOldest(folder, plan.path);
  return plan.path;
}

/** `212 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

interface Look {
  readonly hasChecks: boolean;
  readonly bytes: number;
  /** The number of migrations that were applied. */
  readonly steps: number;
}

/** Null if it is no database of Tocsin. */
function look(path: string): Look | null {
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const value = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
    return {
      hasChecks: database.prepare('select 1 from checks limit 1').get() !== undefined,
      bytes: value('pragma page_count') * value('pragma page_size'),
      steps: value('select count(*) from schema_migrations'),
    };
  } catch {
    return null;
  }
}

async function removeOldest(folder: string, newest: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => OURS.test(name) && name !== basename(newest));
  const ages = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const oldest = ages.toSorted((one, other) => other.at - one.at).slice(KEPT - 1);
  for (const { name } of oldest) await rm(join(folder, name), { force: true });
}
