import { readFile } from 'node:fs/promises';
import type { Random } from '../lib/random.ts';
import { MIN_SECRET_LENGTH } from '../lib/vault.ts';
import { createWholeFile, removePartialFiles } from '../lib/whole-file.ts';
import { StorageError } from './driver.ts';
import type { Database } from './open.ts';
import type { Store } from './store.ts';

const SECRET_BYTES = 32;

/**
 * The server's secret when none is configured: made once and kept beside the database. For SQLite that
 * is a file which only its owner can read; PostgreSQL may serve several nodes, so the database holds it.
 */
export async function keptSecretKey(database: Database, store: Store, random: Random): Promise<string> {
  if (database.engine === 'sqlite') return secretKeyInFile(`${database.path}.secret`, random);
  const known = await store.instance.get('secret_key');
  const kept =
    known ?? (await store.transaction((tx) => tx.instance.setOnce('secret_key', candidate(random))));
  return requireLong(kept, 'row "secret_key" of the table "instance"');
}

export async function secretKeyInFile(path: string, random: Random): Promise<string> {
  const known = (await readIfThere(path)) ?? (await createAndRead(path, random));
  const secret = requireLong(known.trim(), `file ${path}`);
  await removePartialFiles(path);
  return secret;
}

function candidate(random: Random): string {
  return Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
}

/** Of several first starts one decides, and all read what it wrote. */
async function createAndRead(path: string, random: Random): Promise<string> {
  try {
    await createWholeFile(path, `${candidate(random)}\n`, random);
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StorageError('fault', `cannot keep a secret key in ${path}: ${reason}`, { cause: error });
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** What is signed or sealed with a short secret can be forged by anybody. */
function requireLong(secret: string, place: string): string {
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new StorageError(
    'fault',
    `the secret key in the ${place} has ${secret.length} characters, and at least ${MIN_SECRET_LENGTH} are needed: ` +
      'a disk may have been full when it was written. Restore it from a backup. If there is none, delete it, and the ' +
      'next start makes a new one; API keys, badge URLs and links in mails that were made with the old one are then ' +
      'invalid',
  );
}
