/**
 * Lets a limited number of callers continue in each turn of the event loop, in order of arrival. Otherwise the work of many
 * clients would run in one turn, and all other clients would wait for its end.
 */
export class EventLoopTurns {
  readonly #maxPerTurn: number;
  #waiting: (() => void)[] = [];
  #isScheduled = false;

  constructor(maxPerTurn: number) {
    this.#maxPerTurn = maxPerTurn;
  }

  /** Resolves in a later turn. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const resolve of this.#waiting.splice(0, this.#maxPerTurn)) resolve();
      this.#schedule();
    });
  }
}
