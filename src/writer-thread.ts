import { MessageChannel, type MessagePort, parentPort, type Worker, workerData } from 'node:worker_threads';
import { ChangeCollector, type Changes } from './domain/change.ts';
import { ChangeMarks } from './domain/change-marks.ts';
import type { AccountLimits } from './domain/people/account.ts';
import {
  type DeclaredOutcome,
  isFailure,
  type PingOutcome,
  type ReceivedPing,
} from './domain/ping/incoming-ping.ts';
import { systemClock } from './lib/clock.ts';
import { systemRandom } from './lib/random.ts';
import { startThread } from './lib/supervised-thread.ts';
import { countTurns } from './lib/watchdog.ts';
import { type CheckCommand, type CommandOutcome, performCommands } from './services/check/check-commands.ts';
import type { PerformCommands } from './services/check/check-writer.ts';
import type { CheckDeps } from './services/check/checks.ts';
import { type IngestDeps, ingestPings } from './services/ping/ingest.ts';
import type { Ingest } from './services/ping/ping-writer.ts';
import { Pruner, type PruningDeps } from './services/ping/pruning.ts';
import { type Driver, StorageError } from './storage/driver.ts';
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

/**
 * At this length, 160 MB, SQLite starts the log again by itself. This matters only if the thread that makes checkpoints
 * has died.
 */
const LOG_PAGES = 40_000;

/**
 * Nearly everything that a batch allocates is garbage right after it. A larger young generation would hardly save time;
 * the default is 50 MB.
 */
const YOUNG_MEGABYTES = 16;

/** Changes within this time are posted together. */
const CHANGES_REST_MS = 50;

/** Checks pruned in one transaction. It is kept short so that pings do not wait long. */
const PRUNED_AT_ONCE = 20;

/**
 * The thread that owns SQLite's write connection. It writes batches of pings, performs batches of commands on checks, and
 * prunes. Other transactions reach it statement by statement. So the thread that serves HTTP never waits for the disk.
 */
export interface WriterThread extends AsyncDisposable {
  /** The database; writes go through the thread. */
  readonly driver: Driver;
  readonly ingest: Ingest;
  readonly perform: PerformCommands;
  /** Deletes old pings of some checks. Returns whether there was anything to do. */
  prune(): Promise<boolean>;
  /** Throws when no checkpoints are made. */
  requireCheckpoints(): void;
}

export interface WriterOptions {
  /** Whether long bodies are moved to object storage. */
  readonly movesBodies: boolean;
  readonly defaultLimits: AccountLimits;
  /** Days for which failures are kept after their pings. */
  readonly keepFailuresDays: number;
  /** The marks of the store, which the thread raises. */
  readonly marks: SharedArrayBuffer;
  /** Counts its turns here, for the watchdog. Absent means that there is none. */
  readonly turns?: SharedArrayBuffer | undefined;
}

interface ThreadData extends WriterOptions {
  readonly path: string;
  readonly transactions: MessagePort;
  readonly pings: MessagePort;
  readonly commands: MessagePort;
  readonly pruning: MessagePort;
  /** Receives a message when a checkpoint is to be finished. */
  readonly checkpoints: MessagePort;
  /** Posts what batches have changed. */
  readonly changes: MessagePort;
}

/** A batch as it is sent between threads. */
export interface PackedBatch {
  /**
   * Rows as JSON arrays. Copying objects of a dozen fields between threads costs more, and so does repeating the names
   * of the fields.
   */
  readonly json: string;
  /** Bodies are bytes, so they are sent beside the JSON. Null when no ping has one. */
  readonly bodies: readonly (Uint8Array | null)[] | null;
}

/** A ping without its body: its fields in the order of `rowOf`. A target by UUID is only the UUID. */
type PackedPing = readonly [
  target: ReceivedPing['target'] | string,
  fault: ReceivedPing['fault'],
  signal: ReceivedPing['signal'],
  exitStatus: number | null,
  rid: string | null,
  scheme: string,
  method: string,
  remoteAddr: string | null,
  userAgent: string,
  mail: ReceivedPing['mail'],
  keptBytes: number | null,
  declaration: ReceivedPing['declaration'] | null,
  /** Only of a ping that has one. */
  age?: ReceivedPing['age'],
];

/** Null means that all pings were recorded, which is the usual case. One outcome means that all have it. */
export type BatchReply = PackedOutcome[] | PackedOutcome | null;

/** An error loses its class between threads, so it is encoded. */
type PackedOutcome =
  | Extract<PingOutcome, string>
  | { readonly error: EncodedError }
  | { readonly declared: Omit<DeclaredOutcome, 'fault'>; readonly error: EncodedError }
  | `${DeclaredOutcome['recorded']} ${string}`;

/**
 * `onDeath` is called when the thread ends on its own: then nothing can be written any more. `onChanges` is called a
 * moment after each commit with the changes of the thread or of other processes.
 */
export async function startWriterThread(
  path: string,
  onDeath: (error: unknown) => void,
  options: WriterOptions,
  onChanges: (changes: Changes) => void = () => undefined,
): Promise<WriterThread> {
  // The database is opened here first, so that a failure is reported in the usual way.
  const reader = new SqliteDriver(path);
  const transactions = new MessageChannel();
  const pings = new MessageChannel();
  const commands = new MessageChannel();
  const pruning = new MessageChannel();
  const checkpoints = new MessageChannel();
  const changes = new MessageChannel();
  const worker = startThread('writer-thread', import.meta.url, {
    workerData: {
      path,
      transactions: transactions.port2,
      pings: pings.port2,
      commands: commands.port2,
      pruning: pruning.port2,
      checkpoints: checkpoints.port2,
      changes: changes.port2,
      ...options,
    } satisfies ThreadData,
    transferList: [
      transactions.port2,
      pings.port2,
      commands.port2,
      pruning.port2,
      checkpoints.port2,
      changes.port2,
    ],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const driver = new RemoteSqliteDriver(reader, transactions.port1);
  try {
    await hasOpened(worker);
  } catch (error) {
    await driver[Symbol.asyncDispose]();
    throw error;
  }
  worker.on('error', onDeath);
  changes.port1.on('message', onChanges);
  const checkpointer = startCheckpointer(path, checkpoints.port1);
  const sendBatch = asker<PackedBatch, BatchReply>(pings.port1);
  const sendCommands = asker<string, string>(commands.port1);
  const askToPrune = asker<null, boolean>(pruning.port1);
  return {
    driver,
    ingest: batchSender(sendBatch),
    perform: async (batch) => unpackOutcomes(await sendCommands(JSON.stringify(batch))),
    prune: () => askToPrune(null),
    requireCheckpoints: () => checkpointer.requireLook(),
    async [Symbol.asyncDispose]() {
      worker.off('error', onDeath);
      await driver[Symbol.asyncDispose]();
      await checkpointer[Symbol.asyncDispose]();
      pings.port1.close();
      commands.port1.close();
      pruning.port1.close();
      changes.port1.close();
      worker.postMessage('stop');
      await exited;
    },
  };
}

/** Resolves when the thread has opened the database. Rejects when it cannot, for example because the disk is full. */
async function hasOpened(worker: Worker): Promise<void> {
  const opened = Promise.withResolvers<void>();
  worker.once('message', () => opened.resolve());
  worker.once('error', (error: unknown) =>
    opened.reject(new StorageError('fault', messageOf(error), { cause: error })),
  );
  await opened.promise;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Reply<T> = { readonly value: T } | { readonly error: EncodedError };

/** Sends questions to the thread. Questions through one port are answered in order. */
function asker<Question, Answer>(port: MessagePort): (question: Question) => Promise<Answer> {
  const waiting: PromiseWithResolvers<Answer>[] = [];
  let isClosed = false;
  port.on('message', (reply: Reply<Answer>) => {
    const next = waiting.shift();
    if ('error' in reply) next?.reject(decodeError(reply.error));
    else next?.resolve(reply.value);
  });
  port.on('close', () => {
    isClosed = true;
    for (const { reject } of waiting.splice(0)) reject(hasEnded());
  });
  return (question) => {
    if (isClosed) return Promise.reject(hasEnded());
    const answer = Promise.withResolvers<Answer>();
    // postMessage may throw. The question must not be in the queue then, or it would get the answer to the next one.
    port.postMessage(question);
    waiting.push(answer);
    return answer.promise;
  };
}

/** The other end of `asker`. It answers one question after the other. */
function answerAll<Question, Answer>(
  port: MessagePort,
  answer: (question: Question) => Promise<Answer>,
): void {
  let last: Promise<unknown> = Promise.resolve();
  port.on('message', (question: Question) => {
    last = last
      .then(() => answer(question))
      .then(
        (value): Reply<Answer> => ({ value }),
        (error: unknown): Reply<Answer> => ({ error: encodeError(error) }),
      )
      .then((reply) => port.postMessage(reply));
  });
}

/**
 * Sends batches in the order given. A batch that cannot be packed or posted is divided until the ping that causes it is
 * alone. The other pings are sent.
 */
export function batchSender(send: (batch: PackedBatch) => Promise<BatchReply>): Ingest {
  const sendOrDivide = (batch: readonly ReceivedPing[]): Promise<PingOutcome[]> => {
    try {
      return send(pack(batch)).then((reply) => unpackReply(reply, batch.length));
    } catch (failure) {
      if (batch.length === 1) return Promise.resolve([{ failure }]);
      const middle = Math.ceil(batch.length / 2);
      const halves = [batch.slice(0, middle), batch.slice(middle)];
      return Promise.all(halves.map(sendHalf)).then((outcomes) => outcomes.flat());
    }
  };
  const sendHalf = (half: readonly ReceivedPing[]) =>
    sendOrDivide(half).catch((failure: unknown) => half.map((): PingOutcome => ({ failure })));
  return sendOrDivide;
}

function packReply(outcomes: readonly PingOutcome[]): BatchReply {
  if (outcomes.every((outcome) => outcome === 'recorded')) return null;
  const packed = outcomes.map(packOutcome);
  const [first] = packed;
  return first !== undefined && packed.every((one) => one === first) ? first : packed;
}

function packOutcome(outcome: PingOutcome): PackedOutcome {
  if (typeof outcome === 'string') return outcome;
  if (isFailure(outcome)) return { error: encodeError(outcome.failure) };
  const { fault, ...declared } = outcome;
  if (fault !== undefined) return { declared, error: encodeError(fault) };
  return `${outcome.recorded} ${outcome.declaration}`;
}

function unpackOutcome(packed: PackedOutcome): PingOutcome {
  if (typeof packed === 'object')
    return 'declared' in packed
      ? { ...packed.declared, fault: decodeError(packed.error) }
      : { failure: decodeError(packed.error) };
  const recorded = RECORDED.find((one) => packed.startsWith(`${one} `));
  // Without a declaration it is the outcome itself.
  if (recorded === undefined) return packed as Extract<PingOutcome, string>;
  return { recorded, declaration: packed.slice(recorded.length + 1) };
}

const RECORDED = ['recorded', 'created'] as const satisfies readonly DeclaredOutcome['recorded'][];

function unpackReply(reply: BatchReply, count: number): PingOutcome[] {
  if (reply === null) return Array<PingOutcome>(count).fill('recorded');
  return Array.isArray(reply)
    ? reply.map(unpackOutcome)
    : Array<PingOutcome>(count).fill(unpackOutcome(reply));
}

type PackedCommandOutcome = Exclude<CommandOutcome, { failure: unknown }> | { readonly error: EncodedError };

/** In JSON, like pings: copying the objects costs twice as much. */
function packOutcomes(outcomes: readonly CommandOutcome[]): string {
  return JSON.stringify(
    outcomes.map(
      (outcome): PackedCommandOutcome =>
        'value' in outcome ? outcome : { error: encodeError(outcome.failure) },
    ),
  );
}

function unpackOutcomes(json: string): CommandOutcome[] {
  // This JSON was made by `packOutcomes`.
  const outcomes: PackedCommandOutcome[] = JSON.parse(json);
  return outcomes.map((outcome) => ('value' in outcome ? outcome : { failure: decodeError(outcome.error) }));
}

function unpackCommands(json: string): CheckCommand[] {
  // This JSON was made by `perform` of the other thread.
  return JSON.parse(json);
}

function pack(batch: readonly ReceivedPing[]): PackedBatch {
  const bodies = batch.some(({ body }) => body !== null) ? batch.map(({ body }) => body) : null;
  return { json: JSON.stringify(batch.map(rowOf)), bodies };
}

function rowOf(ping: ReceivedPing): PackedPing {
  const row = [
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
    ping.keptBytes ?? null,
    ping.declaration ?? null,
  ] as const;
  return ping.age === undefined ? row : [...row, ping.age];
}

function unpack({ json, bodies }: PackedBatch): ReceivedPing[] {
  // This JSON was made by `pack`.
  const rows: PackedPing[] = JSON.parse(json);
  return rows.map((row, index) => pingOf(row, bodies?.[index] ?? null));
}

function pingOf(row: PackedPing, body: Uint8Array | null): ReceivedPing {
  const [
    target,
    fault,
    signal,
    exitStatus,
    rid,
    scheme,
    method,
    remoteAddr,
    userAgent,
    mail,
    keptBytes,
    declaration,
    age,
  ] = row;
  return {
    target: typeof target === 'string' ? { uuid: target } : target,
    fault,
    signal,
    exitStatus,
    rid,
    age,
    scheme,
    method,
    remoteAddr,
    userAgent,
    mail,
    body,
    keptBytes: keptBytes ?? undefined,
    declaration: declaration ?? undefined,
  };
}

function runInThread(data: ThreadData): void {
  const { path, transactions, pings, commands, pruning, checkpoints, changes } = data;
  const { movesBodies, defaultLimits, keepFailuresDays } = data;
  const announce = changePoster(changes);
  const marks = new ChangeMarks(data.marks);
  const driver = new SqliteDriver(path, {
    checkpointPages: LOG_PAGES,
    onForeignCommit: () => {
      marks.note('everything');
      announce('everything');
    },
  });
  const deps: IngestDeps & CheckDeps & PruningDeps = {
    store: createSqlStore(driver, announce, marks),
    clock: systemClock,
    random: systemRandom,
    objects: movesBodies ? {} : null,
    defaultLimits,
  };
  serveTransactions(driver, transactions);
  answerAll<PackedBatch, BatchReply>(pings, async (batch) =>
    packReply(await ingestPings(deps, unpack(batch))),
  );
  answerAll<string, string>(commands, async (json) =>
    packOutcomes(await performCommands(deps, unpackCommands(json))),
  );
  const pruner = new Pruner(deps, PRUNED_AT_ONCE, keepFailuresDays);
  answerAll<null, boolean>(pruning, () => pruner.tick());
  checkpoints.on('message', () => {
    // The next transaction reports the cause, for example a full disk.
    driver.finishCheckpoint().catch(() => undefined);
  });
  if (data.turns !== undefined) countTurns(data.turns, 'writer');
  parentPort?.postMessage('opened');
  parentPort?.once('message', async () => {
    await driver[Symbol.asyncDispose]();
    for (const port of [transactions, pings, commands, pruning, checkpoints, changes]) port.close();
  });
}

/**
 * Posts the changes of several batches together. There are many batches, and each message takes time of the thread that
 * answers pings.
 */
function changePoster(port: MessagePort): (changes: Changes) => void {
  const collected = new ChangeCollector();
  return (changes) => {
    if (collected.isEmpty) setTimeout(() => port.postMessage(collected.take()), CHANGES_REST_MS).unref();
    collected.add(changes);
  };
}

if (parentPort !== null && isThreadData(workerData)) runInThread(workerData);

function isThreadData(data: unknown): data is ThreadData {
  return typeof data === 'object' && data !== null && 'path' in data && 'transactions' in data;
}
