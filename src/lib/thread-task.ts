import { parentPort, type Worker, workerData } from 'node:worker_threads';

type Message<Result, Progress> =
  | { readonly progress: Progress }
  | { readonly result: Result }
  | { readonly error: string };

interface TaskOptions<Progress> {
  /** Names the task, for errors: `makes backups`. */
  readonly task: string;
  readonly onProgress?: (progress: Progress) => void;
  /** Ends the thread before its task is done. */
  readonly stopping?: AbortSignal;
}

/** Waits for the result of a thread that has one task, and ends the thread. Errors come as text and lose their class. */
export async function resultOf<Result, Progress = never>(
  worker: Worker,
  { task, onProgress, stopping }: TaskOptions<Progress>,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const onEnd = () => reject(new Error(`the thread that ${task} has ended`));
  worker.on('message', (message: Message<Result, Progress>) => {
    if ('progress' in message) onProgress?.(message.progress);
    else if ('error' in message) reject(new Error(message.error));
    else resolve(message.result);
  });
  worker.on('error', reject);
  worker.on('exit', onEnd);
  stopping?.addEventListener('abort', onEnd);
  if (stopping?.aborted === true) onEnd();
  try {
    return await promise;
  } finally {
    stopping?.removeEventListener('abort', onEnd);
    await worker.terminate();
  }
}

/** Does the only task of this thread, and posts what `resultOf` waits for. */
export async function doTask<Result, Progress = never>(
  task: (tell: (progress: Progress) => void) => Promise<Result> | Result,
): Promise<void> {
  const post = (message: Message<Result, Progress>) => parentPort?.postMessage(message);
  try {
    post({ result: await task((progress) => post({ progress })) });
  } catch (error) {
    post({ error: error instanceof Error ? error.message : String(error) });
  }
}

/**
 * The value that this thread was started with under `name`. It is `null` in every other thread: a module that is both the
 * starter and the thread looks here which of them it is.
 */
export function givenToThread<Given>(name: string): Given | null {
  if (parentPort === null || typeof workerData !== 'object' || workerData === null) return null;
  // The starter and the thread are one module, which agrees with itself about the type.
  return (workerData as Readonly<Record<string, Given>>)[name] ?? null;
}
