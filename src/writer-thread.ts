import { MessageChannel, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import type { IncomingPing, PingOutcome } from './domain/incoming-ping.ts';
import { systemClock } from './lib/clock.ts';
import { systemRandom } from './lib/random.ts';
import { type IngestDeps, ingestPings } from './services/ingest.ts';
import type { Driver } from './storage/driver.ts';
import { createSqlStore } from './storage/sql/store.ts';
import { startCheckpointer } from './storage/sqlite/checkpointer.ts';
import { SqliteDriver } from './storage/sqlite/driver.ts';
import {
  decodeError,
  type EncodedError,
  encodeError,
  hasEnded,
  RemoteSqliteDriver,
  serveTransactions,
} from './storage/sqlite/remote.ts';

/** The log begins anew at this length, 160 MB, if it did not before; a thread of its own has copied most of it by then. */
const LOG_PAGES = 40_000;

/**
 * The thread that owns SQLite's write connection. Batches of pings are applied there as a whole; other
 * transactions reach it statement by statement. The thread that serves HTTP never waits for the disk.
 */
export interface WriterThread extends AsyncDisposable {
  /** The database, written through the thread. */
  readonly driver: Driver;
  ingest(batch: readonly IncomingPing[]): Promise<PingOutcome[]>;
}

interface ThreadData {
  readonly path: string;
  readonly transactions: MessagePort;
  readonly pings: MessagePort;
  readonly movesBodies: boolean;
}

/** A batch on its way between threads. */
interface PackedBatch {
  /** Rows as JSON: to copy objects of a dozen fields costs more, and to repeat the fields' names does, too. */
  readonly json: string;
  /** Bodies are bytes, and travel beside it. Null where no ping has one. */
  readonly bodies: readonly (Uint8Array | null)[] | null;
}

/** A ping without its body: its fields in the order of `rowOf`, a check's UUID alone standing for such a target. */
type PackedPing = readonly [
  target: IncomingPing['target'] | string,
  fault: IncomingPing['fault'],
  signal: IncomingPing['signal'],
  exitStatus: number | null,
  rid: string | null,
  scheme: string,
  method: string,
  remoteAddr: string | null,
  userAgent: string,
  mail: IncomingPing['mail'],
];

/** Null stands for the usual outcome: all were recorded. */
type BatchReply = { readonly outcomes: PingOutcome[] | null } | { readonly error: EncodedError };

/** `onDeath` is told when the thread ends on its own: without it nothing can be written any more. */
export async function startWriterThread(
  path: string,
  onDeath: (error: unknown) => void,
  /** Whether long bodies are to move to object storage. */
  { movesBodies = false }: { readonly movesBodies?: boolean } = {},
): Promise<WriterThread> {
  // Opened here first: a database that cannot be opened is told of in the ordinary way.
  const reader = new SqliteDriver(path);
  const transactions = new MessageChannel();
  const pings = new MessageChannel();
  // Run from sources and from the build alike, whatever the ending.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(new URL(`./writer-thread${ending}`, import.meta.url), {
    workerData: {
      path,
      transactions: transactions.port2,
      pings: pings.port2,
      movesBodies,
    } satisfies ThreadData,
    transferList: [transactions.port2, pings.port2],
  });
  worker.on('error', onDeath);
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const driver = new RemoteSqliteDriver(reader, transactions.port1);
  const checkpointer = startCheckpointer(path);
  return {
    driver,
    ingest: batchClient(pings.port1),
    async [Symbol.asyncDispose]() {
      worker.off('error', onDeath);
      await driver[Symbol.asyncDispose]();
      await checkpointer[Symbol.asyncDispose]();
      pings.port1.close();
      worker.postMessage('stop');
      await exited;
    },
  };
}

/** Batches are answered in the order in which they were sent. */
function batchClient(port: MessagePort): WriterThread['ingest'] {
  const waiting: (PromiseWithResolvers<PingOutcome[]> & { size: number })[] = [];
  let isClosed = false;
  port.on('message', (reply: BatchReply) => {
    const next = waiting.shift();
    if ('error' in reply) next?.reject(decodeError(reply.error));
    else next?.resolve(reply.outcomes ?? Array<PingOutcome>(next.size).fill('recorded'));
  });
  port.on('close', () => {
    isClosed = true;
    for (const { reject } of waiting.splice(0)) reject(hasEnded());
  });
  return (batch) => {
    if (isClosed) return Promise.reject(hasEnded());
    const answer = Promise.withResolvers<PingOutcome[]>();
    waiting.push({ ...answer, size: batch.length });
    port.postMessage(pack(batch));
    return answer.promise;
  };
}

function pack(batch: readonly IncomingPing[]): PackedBatch {
  const bodies = batch.some(({ body }) => body !== null) ? batch.map(({ body }) => body) : null;
  return { json: JSON.stringify(batch.map(rowOf)), bodies };
}

function rowOf(ping: IncomingPing): PackedPing {
  return [
    'uuid' in ping.target ? ping.target.uuid : ping.target,
    ping.fault,
    ping.signal,
    ping.exitStatus,
    ping.rid,
    ping.scheme,
    ping.method,
    ping.remoteAddr,
    ping.userAgent,
    ping.mail,
  ];
}

function unpack({ json, bodies }: PackedBatch): IncomingPing[] {
  // Our own JSON, a moment ago.
  const rows: PackedPing[] = JSON.parse(json);
  return rows.map((row, index) => pingOf(row, bodies?.[index] ?? null));
}

function pingOf(row: PackedPing, body: Uint8Array | null): IncomingPing {
  const [target, fault, signal, exitStatus, rid, scheme, method, remoteAddr, userAgent, mail] = row;
  return {
    target: typeof target === 'string' ? { uuid: target } : target,
    fault,
    signal,
    exitStatus,
    rid,
    scheme,
    method,
    remoteAddr,
    userAgent,
    mail,
    body,
  };
}

function runInThread({ path, transactions, pings, movesBodies }: ThreadData): void {
  const driver = new SqliteDriver(path, { checkpointPages: LOG_PAGES });
  const deps: IngestDeps = {
    store: createSqlStore(driver),
    clock: systemClock,
    random: systemRandom,
    objects: movesBodies ? {} : null,
  };
  serveTransactions(driver, transactions);
  pings.on('message', async (batch: PackedBatch) =>
    pings.postMessage(await answerBatch(deps, unpack(batch))),
  );
  parentPort?.once('message', async () => {
    await driver[Symbol.asyncDispose]();
    transactions.close();
    pings.close();
  });
}

async function answerBatch(deps: IngestDeps, batch: IncomingPing[]): Promise<BatchReply> {
  try {
    const outcomes = await ingestPings(deps, batch);
    return { outcomes: outcomes.every((outcome) => outcome === 'recorded') ? null : outcomes };
  } catch (error) {
    return { error: encodeError(error) };
  }
}

if (parentPort !== null && isThreadData(workerData)) runInThread(workerData);

function isThreadData(data: unknown): data is ThreadData {
  return typeof data === 'object' && data !== null && 'path' in data && 'transactions' in data;
}
