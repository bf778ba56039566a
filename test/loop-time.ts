import type { Micros } from '../src/lib/instant.ts';
import type { Rest } from '../src/lib/timers.ts';
import type { FakeClock } from './fake-clock.ts';

const STEP_SECONDS = 5;

/** Rests of loops that pass with a test's clock. Real work between them takes as long as it takes. */
export class LoopTime {
  readonly #clock: FakeClock;
  readonly #resting = new Map<() => void, Micros>();
  #loopCount: number;
  #onRest = () => {};

  /** `loopCount` loops go by it. */
  constructor(clock: FakeClock, loopCount: number) {
    this.#clock = clock;
    this.#loopCount = loopCount;
  }

  readonly rest: Rest = (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        this.#resting.delete(end);
        resolve();
      };
      this.#resting.set(end, this.#clock.monotonic() + ms * 1000);
      signal.addEventListener('abort', end, { once: true });
      this.#onRest();
    });

  /** Time passes, and all loops come round as often as they do in it. */
  async pass(span: number): Promise<void> {
    await this.#allRest();
    for (let left = span; left > 0; left -= STEP_SECONDS) {
      this.#clock.advance({ seconds: Math.min(left, STEP_SECONDS) });
      for (const [end, due] of this.#resting) if (due <= this.#clock.monotonic()) end();
      await this.#allRest();
    }
  }

  async #allRest(): Promise<void> {
    while (this.#resting.size < this.#loopCount) {
      await new Promise<void>((resolve) => {
        this.#onRest = resolve;
      });
    }
  }
}
