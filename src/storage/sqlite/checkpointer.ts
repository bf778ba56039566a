import { DatabaseSync } from 'node:sqlite';
import { setInterval } from 'node:timers';
import { parentPort, Worker, workerData } from 'node:worker_threads';

const LOOK_EVERY_MS = 100;
/** Pages of the log that are worth a checkpoint; what is written again and again meanwhile is copied once for all. */
const WORTHWHILE_PAGES = 4_000;
/** While it runs, the log grows: it is repeated until so few are left that the writer can do the rest in passing. */
const FEW_PAGES = 500;
const MOST_REPEATS = 4;
const BUSY_TIMEOUT_MS = 5_000;

interface ThreadData {
  readonly checkpointed: string;
}

/**
 * Copies the write-ahead log into the database file from a thread of its own. The writer, which would otherwise do so
 * itself, would hold up all pings for as long as the disk takes. It only begins the log anew, at a length that is
 * seldom reached; if this thread should die, it does everything.
 */
export function startCheckpointer(path: string): AsyncDisposable {
  // Run from sources and from the build alike, whatever the ending.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(new URL(`./checkpointer${ending}`, import.meta.url), {
    workerData: { checkpointed: path } satisfies ThreadData,
    resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  // The writer takes over.
  worker.on('error', () => undefined);
  return {
    async [Symbol.asyncDispose]() {
      worker.postMessage('stop');
      await exited;
    },
  };
}

/** How much of the log has not been copied yet. */
export function checkpointWhenWorthwhile(database: DatabaseSync): number {
  let left = pagesLeft(database, 'noop');
  if (left < WORTHWHILE_PAGES) return left;
  for (let repeats = 0; left >= FEW_PAGES && repeats < MOST_REPEATS; repeats++) {
    left = pagesLeft(database, 'passive');
  }
  return left;
}

function pagesLeft(database: DatabaseSync, mode: 'noop' | 'passive'): number {
  const { log = 0, checkpointed = 0 } = database.prepare(`pragma wal_checkpoint(${mode})`).get() ?? {};
  return Number(log) - Number(checkpointed);
}

function runInThread({ checkpointed }: ThreadData): void {
  const database = new DatabaseSync(checkpointed, { timeout: BUSY_TIMEOUT_MS });
  database.exec('pragma synchronous = full');
  const looking = setInterval(() => {
    try {
      checkpointWhenWorthwhile(database);
    } catch {
      // A full disk, for example: the next look tries again, and the writer tells.
    }
  }, LOOK_EVERY_MS);
  parentPort?.once('message', () => {
    clearInterval(looking);
    database.close();
  });
}

if (parentPort !== null && isThreadData(workerData)) runInThread(workerData);

function isThreadData(data: unknown): data is ThreadData {
  return typeof data === 'object' && data !== null && 'checkpointed' in data;
}
