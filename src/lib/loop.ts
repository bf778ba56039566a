import { setTimeout as delay } from 'node:timers/promises';

/** Does one unit of work and says whether it found any, or for how many milliseconds there will be none. */
export type Tick = () => Promise<boolean | number>;

export interface LoopOptions {
  /** How long to rest when there was nothing to do. */
  readonly restMs: number;
  /** Told of a tick that failed; the loop rests and goes on. */
  readonly onError: (error: unknown) => void;
}

/** Repeats a tick until disposed of: at once while there is work, after a rest when there is none. */
export class Loop implements AsyncDisposable {
  readonly #tick: Tick;
  readonly #options: LoopOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(tick: Tick, options: LoopOptions) {
    this.#tick = tick;
    this.#options = options;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const found = await this.#once();
      if (found === true) continue;
      const restMs = found === false ? this.#options.restMs : found;
      await delay(restMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #once(): Promise<boolean | number> {
    try {
      return await this.#tick();
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  /** Resolves when the tick that is under way has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}
