import { availableParallelism } from 'node:os';
import { parentPort, type Worker } from 'node:worker_threads';
import type { MessageLimits } from './domain/alert/message-quota.ts';
import { ChangeMarks } from './domain/change-marks.ts';
import { AppError } from './domain/errors.ts';
import type { AccountLimits } from './domain/people/account.ts';
import { AnsweringThreads, answerQuestions, type PiecewiseAnswer } from './lib/answering-threads.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { systemRandom } from './lib/random.ts';
import { startThread } from './lib/supervised-thread.ts';
import { lowerThreadPriority } from './lib/thread-priority.ts';
import { givenToThread } from './lib/thread-task.ts';
import { createVault } from './lib/vault.ts';
import { answer, questionOf, type ReadingDeps, type TimedQuestion } from './reading/answer.ts';
import { keepersOf } from './reading/keepers.ts';
import { PROGRAM, type Read, type Reads } from './services/core/reads.ts';
import type { Driver } from './storage/driver.ts';
import { type Database, openDriver } from './storage/open.ts';
import { createSqlStore } from './storage/sql/store.ts';
import { SqliteReader } from './storage/sqlite/driver.ts';
import { decodeError, type EncodedError, encodeError } from './storage/sqlite/remote.ts';
import type { Store } from './storage/store.ts';
import type { MessageSite, Site } from './wire/site.ts';

/** Limits of one thread's queue. More is refused with 503. */
export const READER_LIMITS = {
  maxQueued: 1_000,
  /** Answers in progress. A client that reads slowly keeps its answer open. */
  maxOpenAnswers: 500,
  maxPieceMs: 60_000,
};
/** More than the longest answers need. A thread that exceeds it is ended, and its questions fail. */
const MAX_HEAP_MEGABYTES = 256;
/** Memory of an answer is garbage at once: more room for it would hardly save time. */
const YOUNG_MEGABYTES = 16;
const MAX_THREADS = 4;
/** Connections of one thread to PostgreSQL. It reads one piece after the other, so one is enough. */
const THREAD_POOL_SIZE = 1;
const RETRY_AFTER_SECONDS = 1;

export interface ReaderThreadOptions {
  readonly database: Database;
  readonly secretKeys: { readonly current: string; readonly fallbacks: readonly string[] };
  readonly site: Site & MessageSite;
  readonly defaultLimits: AccountLimits;
  readonly messageLimits: MessageLimits;
  /** The marks of the store that writes. */
  readonly marks: SharedArrayBuffer;
}

/** Starts threads that read, each with its own connection. A thread starts with the first question. */
export function startReaderThreads(options: ReaderThreadOptions, clock: Clock): Reads {
  const threads = new AnsweringThreads<TimedQuestion, unknown, EncodedError>(
    () => startReader(options),
    {
      // One core is left for the thread that answers pings.
      threadCount: Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1)),
      ...READER_LIMITS,
      urgentOwner: PROGRAM,
    },
    {
      overloaded: () => new AppError('overloaded', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS }),
      decode: decodeError,
    },
  );
  return {
    async ask<Asked, Head>(read: Read<Asked, Head>, asked: Asked) {
      const answered = await threads.ask(read.owner(asked), questionOf(read, asked, clock));
      // The read determines the type of the head.
      return answered as PiecewiseAnswer<Head>;
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  };
}

function startReader(options: ReaderThreadOptions): Worker {
  return startThread('reader-thread', import.meta.url, {
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

const reads = givenToThread<ReaderThreadOptions>('reads');
if (parentPort !== null && reads !== null) {
  lowerThreadPriority();
  const { database, secretKeys, site, defaultLimits, messageLimits, marks } = reads;
  const vault = createVault(secretKeys.current, systemRandom, secretKeys.fallbacks);
  const readingDeps = (store: Store): ReadingDeps => ({
    store,
    vault,
    site,
    defaultLimits,
    messageLimits,
    ...keepersOf({ store, vault }, { site, isOnlyNode: database.engine === 'sqlite' }),
  });
  let deps: ReadingDeps | null = null;
  answerQuestions<TimedQuestion, unknown, EncodedError>(
    parentPort,
    async (question) => {
      // The first question that can opens the database. A database that was away is tried again.
      deps ??= readingDeps(createSqlStore(await openReader(database), undefined, new ChangeMarks(marks)));
      return answer(deps, question);
    },
    encodeError,
  );
}
