import type { MessagePort } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { type Driver, doWork, readAnyRow, StorageError, type Value, type Writer } from '../driver.ts';
import { Sent } from '../sent.ts';
import { sqliteDialect } from './dialect.ts';

/**
 * Runs transactions on a connection that another thread owns. There, only the writer waits for the disk or for a lock.
 * Reads use a connection of this thread.
 */
export class RemoteSqliteDriver implements Driver {
  readonly dialect = sqliteDialect;
  readonly #reader: Driver;
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #open = new Set<Promise<unknown>>();
  #lastId = 0;
  #isClosed = false;

  /** `reader` is disposed of together with this. */
  constructor(reader: Driver, port: MessagePort) {
    this.#reader = reader;
    this.#port = port;
    port.on('message', (reply: Reply) => this.#settle(reply));
    port.on('close', () => this.#abandon());
  }

  all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#reader.all<Row>(sql, params);
  }

  shareState(): void {
    this.#reader.shareState?.();
  }

  transaction<T>(work: (tx: Writer) => Promise<T>): Promise<T> {
    const result = this.#transact(work);
    const over: Promise<unknown> = result.then(ignore, ignore).then(() => this.#open.delete(over));
    this.#open.add(over);
    return result;
  }

  /** The other thread tests its connections and the file. This thread tests the connection that serves reads. */
  async probe(): Promise<void> {
    await Promise.all([readAnyRow(this), this.#ask({ step: 'probe' })]);
  }

  async #transact<T>(work: (tx: Writer) => Promise<T>): Promise<T> {
    const session = ++this.#lastId;
    const sent = new Sent();
    sent.add(this.#ask({ session, step: 'begin' }));
    try {
      // The answers have the columns of the statement; the caller names their type next to the statement.
      const statements: Writer = {
        revision: null,
        all: async <Row>(sql: string, params: readonly Value[] = []) =>
          (await this.#ask({ session, step: 'all', sql, params })) as Row[],
        run: async (sql, params = []) => Number(await this.#ask({ session, step: 'run', sql, params })),
        repeat: async <Row>(sql: string, sets: readonly (readonly Value[])[]) =>
          (await this.#ask({ session, step: 'repeat', sql, sets })) as Row[],
        send: async (sql, sets) => sent.add(this.#ask({ session, step: 'repeat', sql, sets })),
        script: async (sql) => void (await this.#ask({ session, step: 'script', sql })),
      };
      const result = await doWork(statements, work);
      // If a statement fails, the other thread commits nothing.
      sent.add(this.#ask({ session, step: 'commit' }));
      await sent.haveSucceeded();
      return result;
    } catch (error) {
      await this.#ask({ session, step: 'rollback' }).catch(() => undefined);
      throw sent.failure?.error ?? error;
    }
  }

  #ask(step: Step): Promise<unknown> {
    // The other thread does not answer any more.
    if (this.#isClosed) return Promise.reject(hasEnded());
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    this.#port.postMessage({ id, ...step } satisfies Request);
    this.#waiting.set(id, answer);
    return answer.promise;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(decodeError(reply.error));
    else waiting?.resolve(reply.value);
  }

  #abandon(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(hasEnded());
    this.#waiting.clear();
  }

  /** Resolves when the transactions that have begun are over. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
    this.#isClosed = true;
    this.#port.close();
    await this.#reader[Symbol.asyncDispose]();
  }
}

const ignore = () => undefined;

/** The error of a request to a thread that has ended. */
export function hasEnded(): StorageError {
  return new StorageError('fault', 'the thread that writes has ended');
}

type Step = { readonly step: 'probe' } | SessionStep;

type SessionStep = { readonly session: number } & (
  | { readonly step: 'begin' | 'commit' | 'rollback' }
  | { readonly step: 'all' | 'run'; readonly sql: string; readonly params: readonly Value[] }
  | { readonly step: 'repeat'; readonly sql: string; readonly sets: readonly (readonly Value[])[] }
  | { readonly step: 'script'; readonly sql: string }
);

type Request = { readonly id: number } & Step;

type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: EncodedError };

/** An open transaction of the other thread. */
interface Session {
  readonly tx: Writer;
  /** Commits or rolls back the transaction. */
  end(how: 'commit' | 'rollback'): Promise<void>;
}

class RolledBack extends Error {}

/** Runs the transactions of a `RemoteSqliteDriver` on the driver that owns the connection. */
export function serveTransactions(driver: Driver, port: MessagePort): void {
  const sessions = new Map<number, Promise<Session>>();
  port.on('message', async (request: Request) => {
    try {
      port.postMessage({ id: request.id, value: await perform(driver, sessions, request) } satisfies Reply);
    } catch (error) {
      port.postMessage({ id: request.id, error: encodeError(error) } satisfies Reply);
    }
  });
}

async function perform(
  driver: Driver,
  sessions: Map<number, Promise<Session>>,
  request: Request,
): Promise<unknown> {
  if (request.step === 'probe') return driver.probe();
  if (request.step === 'begin') {
    const begun = beginSession(driver);
    sessions.set(request.session, begun);
    await begun;
    return undefined;
  }
  const begun = sessions.get(request.session);
  if (begun === undefined) throw new StorageError('fault', 'there is no such transaction');
  if (request.step === 'commit' || request.step === 'rollback') sessions.delete(request.session);
  const session = await begun;
  switch (request.step) {
    case 'all':
      return session.tx.all(request.sql, request.params);
    case 'run':
      return session.tx.run(request.sql, request.params);
    case 'repeat':
      return session.tx.repeat(request.sql, request.sets);
    case 'script':
      return session.tx.script(request.sql);
    case 'commit':
    case 'rollback':
      return session.end(request.step);
  }
}

/** Resolves when the transaction has begun; it stays open until its `end` is called. */
function beginSession(driver: Driver): Promise<Session> {
  const begun = Promise.withResolvers<Session>();
  const ended = Promise.withResolvers<void>();
  const work = async (tx: Writer) => {
    begun.resolve({
      tx,
      end(how) {
        if (how === 'commit') ended.resolve();
        else ended.reject(new RolledBack());
        return finished.catch((error: unknown) => {
          if (!(error instanceof RolledBack)) throw error;
        });
      },
    });
    await ended.promise;
  };
  // Each statement is a message from the other thread.
  const finished = driver.transaction(work, { sharesCommit: false });
  finished.catch(begun.reject);
  return begun.promise;
}

/** Errors lose their class between threads. These are the kinds that are restored. */
export type EncodedError =
  | { readonly kind: 'unavailable' | 'conflict' | 'fault'; readonly message: string }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly retryAfterSeconds: number | null;
      readonly field: string | null;
    }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string };

export function encodeError(error: unknown): EncodedError {
  if (error instanceof AppError && error.code === 'storage_unavailable') {
    return { kind: 'unavailable', message: error.message };
  }
  if (error instanceof AppError) {
    const { code, message, retryAfterSeconds, field } = error;
    return { kind: 'refused', code, message, retryAfterSeconds, field };
  }
  if (error instanceof StorageError) return { kind: error.kind, message: error.message };
  if (error instanceof Error) return { kind: 'bug', message: error.message, stack: error.stack ?? '' };
  return { kind: 'bug', message: String(error), stack: '' };
}

export function decodeError(error: EncodedError): Error {
  switch (error.kind) {
    case 'unavailable':
      return new AppError('storage_unavailable', error.message, { retryAfterSeconds: 1 });
    case 'refused': {
      const { code, message, retryAfterSeconds, field } = error;
      return new AppError(code, message, {
        ...(retryAfterSeconds !== null && { retryAfterSeconds }),
        ...(field !== null && { field }),
      });
    }
    case 'conflict':
    case 'fault':
      return new StorageError(error.kind, error.message);
    case 'bug': {
      const bug = new Error(error.message);
      if (error.stack !== '') bug.stack = error.stack;
      return bug;
    }
  }
}
