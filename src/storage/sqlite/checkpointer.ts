import { DatabaseSync } from 'node:sqlite';
import { setInterval } from 'node:timers';
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { StorageError } from '../driver.ts';

const LOOK_EVERY_MS = 100;
const MAX_REPEATS = 8;
const BUSY_TIMEOUT_MS = 5_000;

/** Numbers of pages. */
export interface CheckpointLimits {
  /** As many are worth a checkpoint; what is written again and again meanwhile is copied once for all. */
  readonly worthwhile: number;
  /** A log of this length is to begin anew. */
  readonly longLog: number;
  /** While one runs, the log grows: it is repeated until so few are left that the writer can do the rest in passing. */
  readonly few: number;
}

/** A page has 4 kB. */
const DEFAULTS: CheckpointLimits = { worthwhile: 4_000, longLog: 20_000, few: 250 };

interface ThreadData {
  readonly checkpointed: string;
  readonly writer: MessagePort;
  readonly limits: CheckpointLimits;
  /** How many looks at the log have succeeded: an integer that both threads see. */
  readonly looks: SharedArrayBuffer;
}

export interface Checkpointer extends AsyncDisposable {
  /** Throws unless a look at the log has succeeded since the last call. */
  requireLook(): void;
}

/**
 * Copies the write-ahead log into the database file from a thread of its own. The writer, which would otherwise do so
 * itself, would hold up all pings for as long as the disk takes. Only where nobody writes can the last page be copied,
 * and the log begin anew: when few are left of a long log, the writer is asked, through its port, to do the rest. If
 * this thread should die, it does everything.
 */
export function startCheckpointer(
  path: string,
  writer: MessagePort,
  limits: CheckpointLimits = DEFAULTS,
): Checkpointer {
  // Run from sources and from the build alike, whatever the ending.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const looks = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const worker = new Worker(new URL(`./checkpointer${ending}`, import.meta.url), {
    workerData: { checkpointed: path, writer, limits, looks } satisfies ThreadData,
    transferList: [writer],
    resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  // The writer takes over.
  worker.on('error', () => undefined);
  // None has been by the first call.
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

/** What there is to know about the log, in pages. */
interface Log {
  readonly length: number;
  /** Those that have not been copied yet. */
  readonly left: number;
}

/** Whether the rest is for the writer to do. */
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
  // With nothing left the next transaction begins the log anew by itself.
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
      // A full disk, for example: the next look tries again, and this one does not count.
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
