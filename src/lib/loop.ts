import type { Clock } from './clock.ts';
import { type Rest, systemTimers } from './timers.ts';

/** Does one unit of work. Returns whether it found any, or the milliseconds until there may be some. */
export type Tick = () => Promise<boolean | number>;

export interface LoopOptions {
  /** The rest after a tick that found no work. */
  readonly restMs: number;
  /** Called when a tick fails. The loop rests for at most ten seconds and goes on. */
  readonly onError: (error: unknown) => void;
  /** Waits for the time of a rest. Resolves early when the signal is aborted. By default a timer. */
  readonly rest?: Rest;
}

/** A loop with long rests tries again earlier after a failure. */
const MAX_REST_AFTER_FAILURE_MS = 10_000;

/**
 * Adds a rest after each tick that found work, so many times as long as the tick took. With one, the work takes at most half of
 * the time.
 */
export function withRests(tick: Tick, clock: Pick<Clock, 'monotonic'>, times = 1): Tick {
  return async () => {
    const begunAt = clock.monotonic();
    const found = await tick();
    return found === true ? (times * (clock.monotonic() - begunAt)) / 1000 : found;
  };
}

/** Repeats a tick until it is disposed: at once after a tick with work, after a rest otherwise. */
export class Loop implements AsyncDisposable {
  readonly #tick: Tick;
  readonly #options: LoopOptions;
  readonly #running: Promise<void>;
  #isStopped = false;
  #isAwaited = false;
  #rest = new AbortController();

  constructor(tick: Tick, options: LoopOptions) {
    this.#tick = tick;
    this.#options = options;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isAwaited = false;
      const found = await this.#once();
      // Work that came up during the tick may have been missed by it.
      if (found === true || this.#isAwaited || this.#isStopped) continue;
      const restMs = found === false ? this.#options.restMs : found;
      this.#rest = new AbortController();
      await (this.#options.rest ?? systemTimers.rest)(restMs, this.#rest.signal);
    }
  }

  async #once(): Promise<boolean | number> {
    try {
      return await this.#tick();
    } catch (error) {
      this.#options.onError(error);
      return Math.min(this.#options.restMs, MAX_REST_AFTER_FAILURE_MS);
    }
  }

  /** Ends a rest at once, because there is work. */
  wake(): void {
    this.#isAwaited = true;
    this.#rest.abort();
  }

  /** Resolves when the running tick has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#rest.abort();
    await this.#running;
  }
}
