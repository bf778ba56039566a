import type { Environment } from '../config/env-file.ts';
import type { Finding } from '../domain/finding.ts';
import { startThread } from '../lib/supervised-thread.ts';
import { lowerThreadPriority } from '../lib/thread-priority.ts';
import { doTask, givenToThread, resultOf } from '../lib/thread-task.ts';

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

function examineInThread(environment: Environment): Promise<readonly Finding[]> {
  const worker = startThread('thread', import.meta.url, {
    workerData: { examined: environment },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
  });
  return resultOf(worker, { task: 'looks at the installation' });
}

const examined = givenToThread<Environment>('examined');
if (examined !== null) {
  lowerThreadPriority();
  await doTask(async () => {
    // Not loaded by the thread that answers pings.
    const [{ createDoctor }, { ROWS }] = await Promise.all([import('./doctor.ts'), import('./rows.ts')]);
    return createDoctor(examined).examine(ROWS);
  });
}
