import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a thread from the file `name` beside the module at `url`. The ending is .ts in the sources and .js in the build. */
export function startThread(name: string, url: string, options: WorkerOptions = {}): Worker {
  return new Worker(new URL(`./${name}${url.slice(url.lastIndexOf('.'))}`, url), options);
}

/** A thread that starts with the first message. After it has ended, the next message starts a new one. */
export class SupervisedThread<Reply> {
  readonly #work: string;
  readonly #start: () => Worker;
  readonly #onReply: (reply: Reply) => void;
  readonly #onLoss: (error: unknown) => void;
  #worker: Worker | null = null;

  /**
   * `work` names the thread's task, for errors: `answers`. `onLoss` is called when the thread has ended and its work is
   * lost.
   */
  constructor(
    work: string,
    start: () => Worker,
    onReply: (reply: Reply) => void,
    onLoss: (error: unknown) => void,
  ) {
    this.#work = work;
    this.#start = start;
    this.#onReply = onReply;
    this.#onLoss = onLoss;
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  post(message: unknown, moved: readonly Transferable[] = []): void {
    this.#worker ??= this.#watched(this.#start());
    this.#worker.postMessage(message, moved);
  }

  #watched(worker: Worker): Worker {
    worker.on('message', (reply: Reply) => this.#worker === worker && this.#onReply(reply));
    worker.on('error', (error) => this.#worker === worker && this.release(error));
    worker.on('exit', () => this.#worker === worker && this.release());
    return worker;
  }

  /** Gives the thread up without ending it. */
  release(error: unknown = new Error(`the thread that ${this.#work} has ended`)): Worker | null {
    const worker = this.#worker;
    this.#worker = null;
    if (worker !== null) this.#onLoss(error);
    return worker;
  }

  async end(error?: unknown): Promise<void> {
    await this.release(error)?.terminate();
  }
}
