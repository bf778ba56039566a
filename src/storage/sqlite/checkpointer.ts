import { DatabaseSync } from 'node:sqlite';
import { setInterval } from 'node:timers';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { startThread } from '../../lib/supervised-thread.ts';
import { StorageError } from '../driver.ts';

const LOOK_EVERY_MS = 100;
const MAX_REPEATS = 8;
const BUSY_TIMEOUT_MS = 5_000;

/** Numbers of pages. */
export interface CheckpointLimits {
  /** So many uncopied pages are worth a checkpoint. A page that was written several times meanwhile is copied once. */
  readonly worthwhile: number;
  /** A log of this length has to begin anew. */
  readonly longLog: number;
  /**
   * The log grows during a checkpoint. So the checkpoint is repeated until fewer pages than this are left, which the
   * writer copies quickly.
   */
  readonly few: number;
}

/** A page has 4 kB. */
const DEFAULTS: CheckpointLimits = { worthwhile: 4_000, longLog: 20_000, few: 250 };

interface ThreadData {
  readonly checkpointed: string;
  readonly writer: MessagePort;
  readonly limits: CheckpointLimits;
  /** The number of successful looks at the log: an integer that both threads share. */
  readonly looks: SharedArrayBuffer;
}

export interface Checkpointer extends AsyncDisposable {
  /** Throws unless a look at the log has succeeded since the last call. */
  requireLook(): void;
}

/**
 * Copies the write-ahead log into the database file from a thread of its own. If the writer did so, all pings would
 * wait for the disk. The last page can be copied, and the log can begin anew, only while nobody writes. So when few
 * pages of a long log are left, this thread asks the writer through its port to copy them. If this thread dies, the
 * writer copies everything.
 */
export function startCheckpointer(
  path: string,
  writer: MessagePort,
  limits: CheckpointLimits = DEFAULTS,
): Checkpointer {
  const looks = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const worker = startThread('checkpointer', import.meta.url, {
    workerData: { checkpointed: path, writer, limits, looks } satisfies ThreadData,
    transferList: [writer],
    resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  // The writer does the checkpoints from now on.
  worker.on('error', () => undefined);
  // At the first call no look has happened yet.
  let seen = -1;
  return {
    requireLook() {
      const count = Atomics.load(new Int32Array(looks), 0);
      if (count === seen) throw new StorageError('fault', 'the log of the database is not being copied');
      seen = count;
    },
    async [Symbol.asyncDispose]() {
      worker.postMessage('stop');
      await exited;
    },
  };
}

/** The length of the log, in pages. */
interface Log {
  readonly length: number;
  /** The pages that have not been copied yet. */
  readonly left: number;
}

/** Copies the log if that is worthwhile. Returns whether the writer has to copy the rest. */
export function checkpointWhenWorthwhile(
  database: DatabaseSync,
  { worthwhile, longLog, few }: CheckpointLimits = DEFAULTS,
): boolean {
  let log = checkpoint(database, 'noop');
  const isLong = log.length >= longLog;
  if (!isLong && log.left < worthwhile) return false;
  for (let repeats = 0; log.left >= few && repeats < MAX_REPEATS; repeats++) {
    log = checkpoint(database, 'passive');
  }
  // If no page is left, the next transaction begins the log anew by itself.
  return isLong && log.left > 0 && log.left < few;
}

function checkpoint(database: DatabaseSync, mode: 'noop' | 'passive'): Log {
  const { log = 0, checkpointed = 0 } = database.prepare(`pragma wal_checkpoint(${mode})`).get() ?? {};
  return { length: Number(log), left: Number(log) - Number(checkpointed) };
}

function runInThread({ checkpointed, writer, limits, looks }: ThreadData): void {
  const database = new DatabaseSync(checkpointed, { timeout: BUSY_TIMEOUT_MS });
  database.exec('pragma synchronous = full');
  const looking = setInterval(() => {
    try {
      if (checkpointWhenWorthwhile(database, limits)) writer.postMessage(null);
      Atomics.add(new Int32Array(looks), 0, 1);
    } catch {
      // For example, the disk is full. The next look tries again, and this one does not count.
    }
  }, LOOK_EVERY_MS);
  parentPort?.once('message', () => {
    clearInterval(looking);
    database.close();
    writer.close();
  });
}

if (parentPort !== null && isThreadData(workerData)) runInThread(workerData);

function isThreadData(data: unknown): data is ThreadData {
  return typeof data === 'object' && data !== null && 'checkpointed' in data;
}
