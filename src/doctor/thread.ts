import { parentPort, workerData } from 'node:worker_threads';
import type { Environment } from '../config/environment.ts';
import type { Finding } from '../domain/finding.ts';
import { startThread } from '../lib/supervised-thread.ts';
import { lowerThreadPriority } from '../lib/thread-priority.ts';

/** The longest body that is tried has 2.6 MB. */
const MAX_HEAP_MEGABYTES = 128;

/** Looks at all rows in a thread that ends with it, so that pings do not wait. Those who ask meanwhile get the same answer. */
export function examiner(environment: Environment): () => Promise<readonly Finding[]> {
  let running: Promise<readonly Finding[]> | null = null;
  return () => {
    running ??= examineInThread(environment).finally(() => {
      running = null;
    });
    return running;
  };
}

async function examineInThread(environment: Environment): Promise<readonly Finding[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Finding[]>();
  const worker = startThread('thread', import.meta.url, {
    workerData: { examined: environment },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
  });
  worker.on('message', resolve);
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the thread that looks at the installation has ended')));
  try {
    return await promise;
  } finally {
    await worker.terminate();
  }
}

if (parentPort !== null && isThreadData(workerData)) {
  const port = parentPort;
  lowerThreadPriority();
  // Not loaded by the thread that answers pings.
  const [{ createDoctor }, { ROWS }] = await Promise.all([import('./doctor.ts'), import('./rows.ts')]);
  port.postMessage(await createDoctor(workerData.examined).examine(ROWS));
}

function isThreadData(data: unknown): data is { readonly examined: Environment } {
  return typeof data === 'object' && data !== null && 'examined' in data;
}
