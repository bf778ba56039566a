import { readFile, writeFile } from 'node:fs/promises';
import type { Random } from '../lib/random.ts';
import type { Database } from './open.ts';
import type { Store } from './store.ts';

const SECRET_BYTES = 32;

/**
 * The server's secret when none is configured: made once and kept beside the database. For SQLite that
 * is a file which only its owner can read; PostgreSQL may serve several nodes, so the database holds it.
 */
export async function keptSecretKey(database: Database, store: Store, random: Random): Promise<string> {
  const candidate = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  if (database.engine === 'sqlite') return keptInFile(`${database.path}.secret`, candidate);
  const known = await store.instance.get('secret_key');
  return known ?? store.transaction((tx) => tx.instance.setOnce('secret_key', candidate));
}

async function keptInFile(path: string, candidate: string): Promise<string> {
  try {
    // `wx` fails where the file exists, so that of two first starts only one decides.
    await writeFile(path, `${candidate}\n`, { mode: 0o600, flag: 'wx', flush: true });
    return candidate;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return (await readFile(path, 'utf8')).trim();
  }
}
