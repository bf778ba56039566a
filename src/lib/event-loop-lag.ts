import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 20;
const NANOS_PER_SECOND = 1e9;

/** Measures for how long the event loop was held up. */
export class EventLoopLag implements Disposable {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#delay.enable();
  }

  /** The longest hold-up since the last time that somebody asked, in seconds. */
  takeLongest(): number {
    const nanos = this.#delay.max;
    this.#delay.reset();
    // A timer is never early: what it is set to is no delay.
    return Math.max(0, nanos / NANOS_PER_SECOND - RESOLUTION_MS / 1000);
  }

  [Symbol.dispose](): void {
    this.#delay.disable();
  }
}
