import type { Clock } from './clock.ts';
import { type Rest, systemTimers } from './timers.ts';

/** Does one unit of work and says whether it found any, or for how many milliseconds there will be none. */
export type Tick = () => Promise<boolean | number>;

export interface LoopOptions {
  /** How long to rest when there was nothing to do. */
  readonly restMs: number;
  /** Told of a tick that failed; the loop rests, ten seconds at the most, and goes on. */
  readonly onError: (error: unknown) => void;
  /** How a rest passes; by a timer of the system unless it says otherwise. */
  readonly rest?: Rest;
}

/** A loop that rests for an hour does not wait that long to try again what failed. */
const MAX_REST_AFTER_FAILURE_MS = 10_000;

/** The same with a rest after every piece of work, as long as the work took: it takes half of the time at the most. */
export function withEqualRests(tick: Tick, clock: Pick<Clock, 'monotonic'>): Tick {
  return async () => {
    const begunAt = clock.monotonic();
    const found = await tick();
    return found === true ? (clock.monotonic() - begunAt) / 1000 : found;
  };
}

/** Repeats a tick until disposed of: at once while there is work, after a rest when there is none. */
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
      // What came up during the tick may have been too late for it.
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

  /** There is work: a rest ends at once. */
  wake(): void {
    this.#isAwaited = true;
    this.#rest.abort();
  }

  /** Resolves when the tick that is under way has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#rest.abort();
    await this.#running;
  }
}
