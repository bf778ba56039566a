import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { createVault } from '../../lib/vault.ts';
import { partialPath } from '../../lib/whole-file.ts';
import { buildFile } from '../archive/restore.ts';
import type { Source } from '../archive/source.ts';
import { type Driver, StorageError } from '../driver.ts';
import { requireCurrentSchema } from '../migrate.ts';
import { type Database, openDriver } from '../open.ts';
import { keptSecrets, type SecretKeys } from '../secret-key.ts';
import { createSqlStore } from '../sql/store.ts';
import { removeDatabase } from '../sqlite/backup.ts';
import { SqliteReader } from '../sqlite/driver.ts';
import { type Fault, findFaults } from './verify.ts';

/** More would not help anybody. */
const MAX_FAULTS = 20;

export interface Verification {
  readonly faults: readonly Fault[];
  /** Whether the secret was known, so that sealed values were opened. */
  readonly hasSecret: boolean;
}

/** Looks for faults in a database that may be in use. Writes nothing. `secrets` null: the ones that are kept with it. */
export async function verifyDatabase(
  database: Database,
  secrets: SecretKeys | null,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<Verification> {
  await using driver = await openReading(database, clock);
  await requireCurrentSchema(driver);
  const store = createSqlStore(driver);
  const keys = secrets ?? (await keptSecrets(database, store, random).find());
  const vault = keys && createVault(keys.current, random, keys.fallbacks);
  const now = (await store.liveness.lastBeatAt()) ?? clock.now();
  const faults = await findFaults(driver, driver.dialect.engine, { now, vault }, MAX_FAULTS);
  return { faults, hasSecret: vault !== null };
}

/** Makes a database of an archive, looks for faults there, and removes it. */
export async function verifyArchive(
  source: Source,
  secrets: SecretKeys | null,
  world: { readonly clock: Clock; readonly random: Random },
): Promise<Verification> {
  const path = partialPath(source.path, world.random);
  try {
    await buildFile(path, { source, ...world });
    return await verifyDatabase({ engine: 'sqlite', path }, secrets, world);
  } finally {
    await removeDatabase(path);
  }
}

/** Opens a database that must be there. SQLite is only read. */
export async function openReading(database: Database, clock: Clock): Promise<Driver> {
  if (database.engine === 'sqlite') return openFile(database.path);
  return openDriver(database, { clock, onLostConnection: () => undefined });
}

function openFile(path: string): Driver {
  try {
    return new SqliteReader(path);
  } catch (cause) {
    throw new StorageError('fault', `there is no database at ${path}`, { cause });
  }
}
