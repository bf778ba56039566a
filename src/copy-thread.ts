import { parentPort, workerData } from 'node:worker_threads';
import { systemRandom } from './lib/random.ts';
import { startThread } from './lib/supervised-thread.ts';
import { StorageError } from './storage/driver.ts';
import { copyBefore, type UpgradeOfFile } from './storage/sqlite/copy-before.ts';

type Message = { readonly percent: number } | { readonly copy: string | null } | { readonly error: string };

/**
 * Copies a SQLite database before it is migrated, in a thread of its own: looking for damage in a large copy takes long, and
 * meanwhile the door has to answer.
 */
export async function copyInThread(
  upgrade: UpgradeOfFile,
  tell: (percent: number) => void,
): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const worker = startThread('copy-thread', import.meta.url, { workerData: { copied: upgrade } });
  worker.on('message', (message: Message) => {
    if ('percent' in message) tell(message.percent);
    else if ('error' in message) reject(new StorageError('fault', message.error));
    else resolve(message.copy);
  });
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the thread that copies the database has ended')));
  try {
    return await promise;
  } finally {
    await worker.terminate();
  }
}

if (parentPort !== null && isThreadData(workerData)) {
  const port = parentPort;
  const post = (message: Message) => port.postMessage(message);
  copyBefore(workerData.copied, systemRandom, (percent) => post({ percent })).then(
    (copy) => post({ copy }),
    (error: unknown) => post({ error: error instanceof Error ? error.message : String(error) }),
  );
}

function isThreadData(data: unknown): data is { readonly copied: UpgradeOfFile } {
  return typeof data === 'object' && data !== null && 'copied' in data;
}
