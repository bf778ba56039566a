import type { Random } from '../../lib/random.ts';
import type { Database } from '../open.ts';
import type { SecretKeys } from '../secret-key.ts';
import { writeArchive } from './file.ts';
import { sealSecret } from './passphrase.ts';
import { readDatabase, type SnapshotWorld } from './snapshot.ts';

/** The secret goes into an archive only under a passphrase. */
export interface LockedSecret {
  readonly secrets: SecretKeys;
  readonly passphrase: string;
}

/** Writes all of a database that may be in use into an archive, as it is at one moment. Returns the size in bytes. */
export async function archiveDatabase(
  database: Database,
  target: string,
  world: SnapshotWorld & { readonly random: Random },
  secret: LockedSecret | null,
): Promise<number> {
  const sealed = secret && (await sealSecret(secret.secrets, secret.passphrase, world.random));
  return writeArchive(target, world.random, (sink) => readDatabase(database, world, sealed, sink));
}
