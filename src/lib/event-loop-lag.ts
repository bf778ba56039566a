import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 20;
const NANOS_PER_SECOND = 1e9;

/** Measures how long the event loop was blocked. */
export class EventLoopLag implements Disposable {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#delay.enable();
  }

  /** The longest block since the last call, in seconds. */
  takeLongest(): number {
    const nanos = this.#delay.max;
    this.#delay.reset();
    // The measured time includes the timer's own interval.
    return Math.max(0, nanos / NANOS_PER_SECOND - RESOLUTION_MS / 1000);
  }

  [Symbol.dispose](): void {
    this.#delay.disable();
  }
}
