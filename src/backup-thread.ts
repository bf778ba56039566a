import { systemClock } from './lib/clock.ts';
import { systemRandom } from './lib/random.ts';
import { startThread } from './lib/supervised-thread.ts';
import { lowerThreadPriority } from './lib/thread-priority.ts';
import { doTask, givenToThread, resultOf } from './lib/thread-task.ts';
import { readPassphrase } from './storage/archive/passphrase.ts';
import { type RotationOptions, rotateBackups } from './storage/archive/rotation.ts';
import type { Database } from './storage/open.ts';

/** Batches of rows are small. A thread that needs more is ended, and the backup fails. */
const MAX_HEAP_MEGABYTES = 256;

export interface BackupThreadOptions extends Omit<RotationOptions, 'passphrase'> {
  readonly database: Database;
  readonly passphraseFile: string | null;
}

/** Makes and verifies a backup in a thread that ends with it, or when `stopping` is aborted. */
export function makeBackup(options: BackupThreadOptions, stopping: AbortSignal): Promise<void> {
  const worker = startThread('backup-thread', import.meta.url, {
    workerData: { backup: options },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
  });
  return resultOf(worker, { task: 'makes backups', stopping });
}

async function run({ database, passphraseFile, ...options }: BackupThreadOptions): Promise<void> {
  const passphrase = passphraseFile === null ? null : await readPassphrase(passphraseFile);
  await rotateBackups(database, { ...options, passphrase }, { clock: systemClock, random: systemRandom });
}

const options = givenToThread<BackupThreadOptions>('backup');
if (options !== null) {
  lowerThreadPriority();
  await doTask(() => run(options));
}
