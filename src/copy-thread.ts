import { systemRandom } from './lib/random.ts';
import { startThread } from './lib/supervised-thread.ts';
import { doTask, givenToThread, resultOf } from './lib/thread-task.ts';
import { StorageError } from './storage/driver.ts';
import { copyBefore, type UpgradeOfFile } from './storage/sqlite/copy-before.ts';

/**
 * Copies a SQLite database before it is migrated, in a thread of its own: looking for damage in a large copy takes long, and
 * meanwhile the door has to answer.
 */
export async function copyInThread(
  upgrade: UpgradeOfFile,
  onProgress: (percent: number) => void,
): Promise<string | null> {
  const worker = startThread('copy-thread', import.meta.url, { workerData: { copied: upgrade } });
  try {
    return await resultOf(worker, { task: 'copies the database', onProgress });
  } catch (error) {
    throw new StorageError('fault', error instanceof Error ? error.message : String(error));
  }
}

const upgrade = givenToThread<UpgradeOfFile>('copied');
if (upgrade !== null) await doTask<string | null, number>((tell) => copyBefore(upgrade, systemRandom, tell));
