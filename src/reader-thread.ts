import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { AppError } from './domain/errors.ts';
import { AnsweringThreads, answerQuestions, type PiecewiseAnswer } from './lib/answering-threads.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { systemRandom } from './lib/random.ts';
import { createVault } from './lib/vault.ts';
import { answer, type TimedQuestion } from './reading/answer.ts';
import { ownerOf, type QuestionOf, type ReadHeads, type ReadQuestion, type Reads } from './services/reads.ts';
import type { Driver } from './storage/driver.ts';
import { type Database, openDriver } from './storage/open.ts';
import { createSqlStore } from './storage/sql/store.ts';
import { SqliteReader } from './storage/sqlite/driver.ts';
import { decodeError, type EncodedError, encodeError } from './storage/sqlite/remote.ts';
import type { Site } from './wire/site.ts';

/** What may wait for one thread. More is refused with 503. */
export const READER_LIMITS = {
  maxQueued: 1_000,
  /** Of one project, or of one project's public badges. */
  maxQueuedPerOwner: 100,
  /** Answers that have begun: clients that read slowly keep theirs open. */
  maxOpenAnswers: 500,
  maxPieceMs: 60_000,
};
/** Beyond what the longest answers take; a thread that wants more is ended, and its questions fail. */
const MAX_HEAP_MEGABYTES = 256;
/** What an answer leaves behind is garbage at once: more room for it would hardly save time. */
const YOUNG_MEGABYTES = 16;
const MAX_THREADS = 4;
/** Connections of a thread to PostgreSQL: pieces of different answers are read one after the other. */
const THREAD_POOL_SIZE = 1;
const RETRY_AFTER_SECONDS = 1;

/** What a thread needs to open the database by itself. */
export interface ReaderThreadOptions {
  readonly database: Database;
  readonly secretKeys: { readonly current: string; readonly fallbacks: readonly string[] };
  readonly site: Site;
}

/** Threads that read, each with a connection of its own. They start when the first question comes. */
export function startReaderThreads(options: ReaderThreadOptions, clock: Pick<Clock, 'now'>): Reads {
  const threads = new AnsweringThreads<TimedQuestion, unknown, EncodedError>(
    () => startThread(options),
    {
      // One core is for the thread that answers pings.
      threadCount: Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1)),
      ...READER_LIMITS,
    },
    {
      overloaded: () => new AppError('overloaded', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS }),
      decode: decodeError,
    },
  );
  return {
    async ask<Kind extends ReadQuestion['kind']>(question: QuestionOf<Kind>) {
      const answered = await threads.ask(ownerOf(question), { question, now: clock.now() });
      // The kind of the question says what the head is.
      return answered as PiecewiseAnswer<ReadHeads[Kind]>;
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  };
}

function startThread(options: ReaderThreadOptions): Worker {
  // Run from sources and from the build alike, whatever the ending.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  return new Worker(new URL(`./reader-thread${ending}`, import.meta.url), {
    workerData: { reads: options },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
}

async function openReader(database: Database): Promise<Driver> {
  if (database.engine === 'sqlite') return new SqliteReader(database.path);
  return openDriver(
    { ...database, poolSize: THREAD_POOL_SIZE },
    { clock: systemClock, onLostConnection: () => undefined },
  );
}

if (parentPort !== null && isThreadData(workerData)) {
  const { database, secretKeys, site } = workerData.reads;
  const vault = createVault(secretKeys.current, systemRandom, secretKeys.fallbacks);
  let store: ReturnType<typeof createSqlStore> | null = null;
  answerQuestions<TimedQuestion, unknown, EncodedError>(
    parentPort,
    async (question) => {
      // Opened by the first question that can: a database that is away for a while comes back.
      store ??= createSqlStore(await openReader(database));
      return answer({ store, vault, site }, question);
    },
    encodeError,
  );
}

function isThreadData(data: unknown): data is { readonly reads: ReaderThreadOptions } {
  return typeof data === 'object' && data !== null && 'reads' in data;
}
