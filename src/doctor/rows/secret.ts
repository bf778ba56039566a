import { statSync } from 'node:fs';
import type { Vault } from '../../lib/vault.ts';
import { StorageError } from '../../storage/driver.ts';
import { hasOwner, isSecretKnown } from '../../storage/secret-check.ts';
import { secretPaths } from '../../storage/sqlite/files.ts';
import type { Installation, OpenDatabase } from '../installation.ts';
import { fail, type Look, skip, together } from '../look.ts';
import type { Row } from '../row.ts';

const RIGHTS_OF_OTHERS = 0o077;
export const secret: Row = {
  name: 'secret',
  looksAt: 'the secret key: its length, who can read its file, and whether it opens what is in the database',
  fails: 'a short key, a file that others can read, another key than the one of the database',
  warns: null,
  async look(installation) {
    try {
      if ((await installation.secrets()) === null) return await withoutSecret(installation);
    } catch (error) {
      if (!(error instanceof StorageError)) return skip('It is in the database, which cannot be read.');
      return fail(`${error.message}.`);
    }
    const [vault, database] = await Promise.all([
      installation.vault(),
      installation.database().catch(() => null),
    ]);
    const where = installation.config.secretKey === null ? 'kept with the database' : 'given by SECRET_KEY';
    return together(
      [
        modeTrouble(installation),
        vault === null || database === null ? null : await keyTrouble(vault, database),
      ],
      `It is ${where}, long enough, and the right one.`,
    );
  },
};

/** There is no secret key, which is right only before the first start. */
async function withoutSecret(installation: Installation): Promise<Look> {
  const database = await installation.database().catch(() => null);
  if (database === null || !(await hasOwner(database.store)))
    return skip('There is none yet: the first start makes one.');
  return fail(
    'The secret key of this database is missing, so that the next start is refused.',
    'Put it back beside the database, or set it as SECRET_KEY. A backup has it only under a passphrase.',
  );
}

function modeTrouble({ config: { database, secretKey } }: Installation): Look | null {
  if (database.engine === 'postgres' || secretKey !== null) return null;
  const open = Object.values(secretPaths(database.path)).filter((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && (found.mode & RIGHTS_OF_OTHERS) !== 0;
  });
  if (open.length === 0) return null;
  return fail(`Others can read ${open.join(', ')}.`, `Run chmod 600 ${open.join(' ')}.`);
}

async function keyTrouble(vault: Vault, { store }: OpenDatabase): Promise<Look | null> {
  if (await isSecretKnown(store, vault)) return null;
  return fail(
    'The database belongs to another secret key, so that the next start is refused.',
    'Set SECRET_KEY to the key of before. To change it, put that one into SECRET_KEY_FALLBACKS.',
  );
}
