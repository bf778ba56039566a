import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { type Instant, seconds, toIsoSeconds } from '../../lib/instant.ts';
import type { Random } from '../../lib/random.ts';
import { PRIVATE_FOLDER_MODE, partialFiles } from '../../lib/whole-file.ts';
import { StorageError } from '../driver.ts';
import type { Database } from '../open.ts';
import type { SecretKeys } from '../secret-key.ts';
import { backupSqlite } from '../sqlite/backup.ts';
import { verifyArchive, verifyDatabase } from '../verify/database.ts';
import { archiveDatabase, type LockedSecret } from './backup.ts';
import { openSource } from './source.ts';

export interface RotationOptions {
  readonly folder: string;
  /** The number of backups to keep. */
  readonly keep: number;
  /** Opens sealed values, to see that they can be opened. */
  readonly secrets: SecretKeys;
  /** Null: archives are made without the secret. */
  readonly passphrase: string | null;
  readonly release: string;
}

/** Backups by us, and nothing else that somebody keeps in the folder. */
export const OURS = /^tocsin-\d{8}T\d{6}Z\.(db|archive)$/;

/** A temporary file that nobody has written to for so long is left over. Somebody may verify a backup at this moment. */
const LEFT_OVER_AFTER = seconds(3600);

/**
 * Makes a backup in the folder and verifies it, and only then removes the oldest beyond those to keep. If anything fails, the
 * backups from before stay. Returns its path.
 */
export async function rotateBackups(
  database: Database,
  { folder, keep, secrets, passphrase, release }: RotationOptions,
  world: { readonly clock: Clock; readonly random: Random },
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  await removeLeftovers(folder, world.clock.now());
  const isCopy = database.engine === 'sqlite' && passphrase === null;
  const path = join(folder, `tocsin-${compact(world.clock.now())}.${isCopy ? 'db' : 'archive'}`);
  const secret: LockedSecret | null = passphrase === null ? null : { secrets, passphrase };
  if (isCopy) await backupSqlite(database.path, path, world.random);
  else await archiveDatabase(database, path, { ...world, release }, secret);
  try {
    const { faults } = isCopy
      ? await verifyDatabase({ engine: 'sqlite', path }, secrets, world)
      : await verifyArchive(await openSource(path, { ...world, release }), secrets, world);
    const [first] = faults;
    if (first !== undefined)
      throw new StorageError('fault', `the backup has faults: ${first.table} ${first.key}: ${first.fault}`);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  const all = (await readdir(folder)).filter((name) => OURS.test(name)).toSorted();
  for (const name of all.slice(0, Math.max(0, all.length - keep)))
    await rm(join(folder, name), { force: true });
  return path;
}

/** A process that is killed while it makes a backup leaves a file that may be as large. */
async function removeLeftovers(folder: string, now: Instant): Promise<void> {
  for (const path of await partialFiles(folder, (name) => OURS.test(name))) {
    const { mtimeMs } = await stat(path);
    if (mtimeMs * 1000 < now - LEFT_OVER_AFTER) await rm(path, { force: true });
  }
}

/** `20261117T221300Z`: file names in the order of time. */
function compact(at: Instant): string {
  return `${toIsoSeconds(at).slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
