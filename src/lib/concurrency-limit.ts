export interface ConcurrencyLimitOptions {
  readonly maxConcurrent: number;
  /** Work that may wait. More is refused. */
  readonly maxQueued: number;
}

/** Bounds how much work runs at once. The rest waits in order of arrival. */
export class ConcurrencyLimit {
  readonly #options: ConcurrencyLimitOptions;
  readonly #overloaded: () => Error;
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(options: ConcurrencyLimitOptions, overloaded: () => Error) {
    this.#options = options;
    this.#overloaded = overloaded;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  async #begin(): Promise<void> {
    const { maxConcurrent, maxQueued } = this.#options;
    if (this.#running < maxConcurrent) {
      this.#running++;
      return;
    }
    if (this.#queue.length >= maxQueued) throw this.#overloaded();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push(resolve);
    await promise;
  }

  /** Hands the place over, so that nobody who comes later gets it. */
  #end(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
