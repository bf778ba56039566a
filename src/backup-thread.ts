import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from './lib/clock.ts';
import { systemRandom } from './lib/random.ts';
import { startThread } from './lib/supervised-thread.ts';
import { lowerThreadPriority } from './lib/thread-priority.ts';
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
export async function makeBackup(options: BackupThreadOptions, stopping: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = startThread('backup-thread', import.meta.url, {
    workerData: { backup: options },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
  });
  worker.on('message', (error: string | null) => (error === null ? resolve() : reject(new Error(error))));
  worker.on('error', reject);
  const onEnd = () => reject(new Error('the thread that makes backups has ended'));
  worker.on('exit', onEnd);
  stopping.addEventListener('abort', onEnd);
  if (stopping.aborted) onEnd();
  try {
    await promise;
  } finally {
    stopping.removeEventListener('abort', onEnd);
    await worker.terminate();
  }
}

async function run({ database, passphraseFile, ...options }: BackupThreadOptions): Promise<void> {
  const passphrase = passphraseFile === null ? null : await readPassphrase(passphraseFile);
  await rotateBackups(database, { ...options, passphrase }, { clock: systemClock, random: systemRandom });
}

if (parentPort !== null && isThreadData(workerData)) {
  const port = parentPort;
  lowerThreadPriority();
  run(workerData.backup).then(
    () => port.postMessage(null),
    (error: unknown) => port.postMessage(error instanceof Error ? error.message : String(error)),
  );
}

function isThreadData(data: unknown): data is { readonly backup: BackupThreadOptions } {
  return typeof data === 'object' && data !== null && 'backup' in data;
}
