import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MICROS_PER_SECOND, seconds } from '../../lib/instant.ts';
import { backupAge } from '../../services/instance/backups.ts';
import { OURS } from '../../storage/archive/rotation.ts';
import { waitingContracts } from '../../storage/migrate.ts';
import { findSecretFiles } from '../../storage/secret-key.ts';
import type { Installation, OpenDatabase } from '../installation.ts';
import { type Look, together, warn } from '../look.ts';
import type { Row } from '../row.ts';

const MAX_AGE = seconds(48 * 3600);

export const care: Row = {
  name: 'care',
  looksAt:
    'the last backup and what restoring it needs, `HEARTBEAT_URL`, `METRICS_KEY`, and contract steps of the schema that wait',
  fails: null,
  warns:
    'no backup of the last 48 hours, one whose secret is kept nowhere else, nobody who watches this service',
  look: (installation) =>
    installation.inDatabase(async (database) => {
      const { heartbeat, api } = installation.config;
      return together(
        [
          await backupTrouble(installation, database),
          await contractTrouble(database),
          heartbeat === null
            ? warn(
                'Nobody is told when this service itself stops.',
                'Set HEARTBEAT_URL to a check of another monitor.',
              )
            : null,
          api.metricsKey === null
            ? warn('The metrics of this service cannot be read.', 'Set METRICS_KEY, and let Prometheus ask.')
            : null,
        ],
        'There is a backup that can be restored, and somebody watches this service.',
      );
    }),
};

async function contractTrouble({ driver }: OpenDatabase): Promise<Look | null> {
  const waiting = await waitingContracts(driver);
  if (waiting.length === 0) return null;
  return warn(
    `${waiting.length} contract step${waiting.length === 1 ? ' waits' : 's wait'}.`,
    'The service makes them a day after the last older program was seen. If nobody will go back: tocsin migrate --contract.',
  );
}

async function backupTrouble({ config, world }: Installation, { store }: OpenDatabase): Promise<Look | null> {
  const { backups, secretKey } = config;
  if (backups === null)
    return warn('The service makes no backups.', 'Set BACKUP_DIR to a folder, best on another disk.');
  const age = await backupAge({ store, clock: world.clock });
  if (age === null) return warn('No backup was made yet.', 'The service makes one soon after its start.');
  if (age > MAX_AGE)
    return warn(
      `The last backup was made ${Math.floor(age / MICROS_PER_SECOND / 3600)} h ago.`,
      'Look for backup.failed in the log, and at the room in BACKUP_DIR.',
    );
  const latest = (await readdir(backups.folder).catch((): string[] => []))
    .filter((name) => OURS.test(name))
    .toSorted()
    .at(-1);
  if (latest === undefined)
    return warn(
      `There is no backup in ${backups.folder}.`,
      'Look at BACKUP_DIR: the last one was put elsewhere, or removed.',
    );
  const path = join(backups.folder, latest);
  const hasSecret =
    secretKey !== null ||
    backups.passphraseFile !== null ||
    (await findSecretFiles(path, world.random).catch(() => null)) !== null;
  if (hasSecret) return null;
  return warn(
    `The secret key is not in ${path}: without it sealed values are lost.`,
    'Set BACKUP_PASSPHRASE_FILE, or keep the key in SECRET_KEY.',
  );
}
