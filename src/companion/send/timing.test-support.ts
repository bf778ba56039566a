import type { Timing } from './attempts.ts';

/** Time that passes only while everything waits for it. */
export class FakeTiming implements Timing {
  #now = 0;
  #waiting: { at: number; callback: () => void }[] = [];

  readonly monotonicMs = (): number => this.#now;

  readonly after = (ms: number, callback: () => void): (() => void) => {
    const one = { at: this.#now + ms, callback };
    this.#waiting.push(one);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
    };
  };

  /** Lets time pass from one moment to the next until the promise has settled. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => undefined);
    for (;;) {
      // Everything that can go on without time goes on first.
      await new Promise((resolve) => setImmediate(resolve));
      if (isSettled) return await settled;
      const next = this.#waiting.reduce(
        (first, one) => (first === null || one.at < first.at ? one : first),
        NOBODY,
      );
      if (next === null) continue;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
  }
}

const NOBODY: { at: number; callback: () => void } | null = null;
