import type { Worker } from 'node:worker_threads';
import { FairQueue, type FairQueueOptions } from './fair-queue.ts';
import { Shares } from './shares.ts';
import { SupervisedThread } from './supervised-thread.ts';

/** An answer as the asking thread gets it. `head` tells about the whole. */
export interface PiecewiseAnswer<Head> {
  readonly head: Head;
  readonly pieces: AsyncIterableIterator<Uint8Array, void>;
}

/** An answer as a thread makes it. */
export type AnswerBeingMade<Head> =
  | BegunAnswer<Head>
  /** Nothing can be told yet. Other questions get a turn before `next` is called. */
  | { readonly next: () => Promise<AnswerBeingMade<Head>> };

/** Each piece is in shared memory, or in memory of its own that is moved to the asking thread. */
export interface BegunAnswer<Head> {
  readonly head: Head;
  readonly first: Uint8Array;
  /** Null when the first piece is the whole answer. */
  readonly rest: AsyncIterator<Uint8Array, void> | null;
}

export interface AnsweringThreadsOptions extends FairQueueOptions {
  readonly threadCount: number;
  /** Questions of one thread that wait, and answers that have not ended. Each owner has a share of it. */
  readonly maxOpenAnswers: number;
  /** A piece that takes longer is given up, and its thread with it: the work is bounded, so this is for bugs. */
  readonly maxPieceMs: number;
}

/** Errors to throw when a question gets no answer. */
export interface AnsweringThreadsErrors<Encoded> {
  overloaded(): Error;
  /** Errors lose their class between threads. */
  decode(error: Encoded): Error;
}

/** One piece of work for a thread. */
interface Step<Question, Head> {
  readonly request: Request<Question>;
  readonly owner: string;
  readonly result: PromiseWithResolvers<Made<Head>>;
}

type Request<Question> =
  | { readonly id: number; readonly do: 'ask'; readonly question: Question }
  | { readonly id: number; readonly do: 'next' };

type Message<Question> = Request<Question> | { readonly id: number; readonly do: 'cancel' };

/** The next piece of an answer. */
interface Made<Head> {
  readonly id: number;
  /** With the first piece alone. */
  readonly head: Head | null;
  /** Null in two messages: "not ready yet" (`isLast` is false) and "no more pieces" (`isLast` is true). */
  readonly piece: Uint8Array | null;
  readonly isLast: boolean;
}

type Reply<Head, Encoded> = Made<Head> | { readonly id: number; readonly error: Encoded };

/**
 * Threads that answer questions, so that the thread which asks has no work but to pass the pieces on. Owners of questions
 * take turns, piece by piece. Too many questions are refused at once.
 */
export class AnsweringThreads<Question, Head, Encoded> implements AsyncDisposable {
  readonly #threads: AnsweringThread<Question, Head, Encoded>[];
  readonly #errors: AnsweringThreadsErrors<Encoded>;
  #lastId = 0;

  constructor(
    startThread: () => Worker,
    options: AnsweringThreadsOptions,
    errors: AnsweringThreadsErrors<Encoded>,
  ) {
    this.#errors = errors;
    this.#threads = Array.from(
      { length: options.threadCount },
      () => new AnsweringThread(startThread, options, errors),
    );
  }

  /** Resolves when the first piece is there. `pieces` must be read to its end or returned. */
  async ask(owner: string, question: Question): Promise<PiecewiseAnswer<Head>> {
    const thread = this.#threads.toSorted((one, other) => one.load - other.load)[0];
    if (thread === undefined || !thread.hasRoomFor(owner)) throw this.#errors.overloaded();
    const id = ++this.#lastId;
    let first = await thread.do(owner, { id, do: 'ask', question });
    while (first.piece === null && !first.isLast) first = await thread.do(owner, { id, do: 'next' });
    // A caller that needs the head alone does not read the pieces.
    if (first.isLast) thread.finish(id);
    // The thread sends the head with the first piece.
    const head = first.head as Head;
    return { head, pieces: piecesOf(thread, owner, first) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread[Symbol.asyncDispose]()));
  }
}

/** No generator: the return of a generator that was never begun would not reach the thread. */
function piecesOf<Question, Head, Encoded>(
  thread: AnsweringThread<Question, Head, Encoded>,
  owner: string,
  first: Made<Head>,
): AsyncIterableIterator<Uint8Array, void> {
  const { id } = first;
  let made: Made<Head> | null = first;
  let isOver = false;
  const giveUp = () => {
    isOver = true;
    thread.giveUp(id);
  };
  return {
    async next() {
      if (isOver) return DONE;
      try {
        const { piece, isLast }: Made<Head> = made ?? (await thread.do(owner, { id, do: 'next' }));
        made = null;
        if (isLast) {
          isOver = true;
          thread.finish(id);
        }
        return piece === null ? DONE : { done: false, value: piece };
      } catch (error) {
        if (isOver) return DONE;
        giveUp();
        throw error;
      }
    },
    async return() {
      giveUp();
      return DONE;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const DONE: IteratorReturnResult<void> = { done: true, value: undefined };

class AnsweringThread<Question, Head, Encoded> implements AsyncDisposable {
  readonly #thread: SupervisedThread<Reply<Head, Encoded>>;
  readonly #options: AnsweringThreadsOptions;
  readonly #errors: AnsweringThreadsErrors<Encoded>;
  readonly #queue: FairQueue<Step<Question, Head>>;
  /** The questions that wait and the answers that have not ended, by id. A thread that is lost takes its answers with it. */
  readonly #open = new Map<number, { readonly owner: string; hasBegun: boolean }>();
  readonly #places: Shares<string>;
  #current: { readonly step: Step<Question, Head>; readonly timer: NodeJS.Timeout } | null = null;
  #isClosed = false;

  constructor(
    startThread: () => Worker,
    options: AnsweringThreadsOptions,
    errors: AnsweringThreadsErrors<Encoded>,
  ) {
    this.#thread = new SupervisedThread<Reply<Head, Encoded>>(
      'answers',
      startThread,
      (reply) => this.#note(reply),
      (error) => this.#breakOff(error),
    );
    this.#options = options;
    this.#errors = errors;
    this.#queue = new FairQueue(options);
    this.#places = new Shares(options.maxOpenAnswers);
  }

  get load(): number {
    return this.#queue.length + this.#open.size;
  }

  hasRoomFor(owner: string): boolean {
    return owner === this.#options.urgentOwner || this.#places.roomFor(owner) > 0;
  }

  do(owner: string, request: Request<Question>): Promise<Made<Head>> {
    const step = { owner, request, result: Promise.withResolvers<Made<Head>>() };
    if (this.#isClosed || !this.#add(owner, step)) return Promise.reject(this.#errors.overloaded());
    this.#startNext();
    return step.result.promise;
  }

  /** Only new questions are refused. Answers that have begun continue, bounded by `maxOpenAnswers`. */
  #add(owner: string, step: Step<Question, Head>): boolean {
    const { id, do: kind } = step.request;
    if (kind === 'next') {
      this.#queue.addAnyway(owner, step);
      return true;
    }
    const isAdded = this.#queue.add(owner, step);
    if (isAdded) this.#openAnswer(id, owner);
    return isAdded;
  }

  #openAnswer(id: number, owner: string): void {
    this.#open.set(id, { owner, hasBegun: false });
    if (owner !== this.#options.urgentOwner) this.#places.take(owner);
  }

  /** The answer has come to its end. Returns false if that was known. */
  finish(id: number): boolean {
    const answer = this.#open.get(id);
    if (answer === undefined) return false;
    if (answer.owner !== this.#options.urgentOwner) this.#places.giveBack(answer.owner);
    return this.#open.delete(id);
  }

  /** The answer is not wanted any more. */
  giveUp(id: number): void {
    if (!this.finish(id)) return;
    if (this.#thread.isRunning) this.#thread.post({ id, do: 'cancel' } satisfies Message<Question>);
  }

  #startNext(): void {
    if (this.#current !== null) return;
    const step = this.#take();
    if (step === undefined) return;
    const { maxPieceMs } = this.#options;
    const late = new Error(`a piece was not made within ${maxPieceMs} ms`);
    const timer = setTimeout(() => this.#thread.end(late), maxPieceMs);
    this.#current = { step, timer };
    try {
      this.#thread.post(step.request);
    } catch (error) {
      this.finish(step.request.id);
      this.#settle(({ reject }) => reject(error));
    }
  }

  /** Refuses steps of answers that were lost or ended while the steps waited. */
  #take(): Step<Question, Head> | undefined {
    for (let step = this.#queue.take(); step !== undefined; step = this.#queue.take()) {
      const answer = this.#open.get(step.request.id);
      if (answer !== undefined) {
        answer.hasBegun = true;
        return step;
      }
      step.result.reject(this.#errors.overloaded());
    }
    return undefined;
  }

  #note(reply: Reply<Head, Encoded>): void {
    if ('error' in reply) {
      this.finish(reply.id);
      this.#settle(({ reject }) => reject(this.#errors.decode(reply.error)));
    } else this.#settle(({ resolve }) => resolve(reply));
  }

  /** The next step starts a new thread. Answers that had begun are broken off where they are. */
  #breakOff(error: unknown): void {
    for (const [id, { hasBegun }] of this.#open) if (hasBegun) this.finish(id);
    this.#settle(({ reject }) => reject(error));
  }

  #settle(tell: (result: PromiseWithResolvers<Made<Head>>) => void): void {
    if (this.#current === null) return;
    clearTimeout(this.#current.timer);
    tell(this.#current.step.result);
    this.#current = null;
    this.#startNext();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (let step = this.#queue.take(); step !== undefined; step = this.#queue.take()) {
      step.result.reject(this.#errors.overloaded());
    }
    await this.#thread.end(this.#errors.overloaded());
  }
}

/** The part of `MessagePort` that is used. */
interface Port {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  postMessage(message: unknown, moved: ArrayBuffer[]): void;
}

/** The other end, in the thread. */
export function answerQuestions<Question, Head, Encoded>(
  port: Port,
  answer: (question: Question) => Promise<AnswerBeingMade<Head>>,
  encode: (error: unknown) => Encoded,
): void {
  const unbegun = new Map<number, () => Promise<AnswerBeingMade<Head>>>();
  const open = new Map<number, AsyncIterator<Uint8Array, void>>();
  const begin = async (id: number, made: AnswerBeingMade<Head>): Promise<Made<Head>> => {
    unbegun.delete(id);
    if ('next' in made) {
      unbegun.set(id, made.next);
      return { id, head: null, piece: null, isLast: false };
    }
    const { head, first, rest } = made;
    if (rest !== null) open.set(id, rest);
    return { id, head, piece: first, isLast: rest === null };
  };
  const make = async (request: Request<Question>): Promise<Made<Head>> => {
    const { id } = request;
    if (request.do === 'ask') return begin(id, await answer(request.question));
    const next = unbegun.get(id);
    if (next !== undefined) return begin(id, await next());
    const piece = await open.get(id)?.next();
    const isLast = piece === undefined || piece.done === true;
    if (isLast) open.delete(id);
    return { id, head: null, piece: isLast ? null : piece.value, isLast };
  };
  port.on('message', async (received) => {
    // The asking end sends nothing else.
    const message = received as Message<Question>;
    if (message.do === 'cancel') {
      const rest = open.get(message.id);
      open.delete(message.id);
      unbegun.delete(message.id);
      void rest?.return?.();
      return;
    }
    try {
      const made = await make(message);
      port.postMessage(made, movedWith(made.piece));
    } catch (error) {
      open.delete(message.id);
      unbegun.delete(message.id);
      port.postMessage({ id: message.id, error: encode(error) } satisfies Reply<Head, Encoded>, []);
    }
  });
}

/** Shared memory stays where it is. */
function movedWith(piece: Uint8Array | null): ArrayBuffer[] {
  return piece?.buffer instanceof ArrayBuffer ? [piece.buffer] : [];
}
