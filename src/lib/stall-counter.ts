/**
 * Counts looks at a thread that has not turned in between. It counts looks and not seconds: a process that was stopped, or a
 * machine that was asleep, did not look either.
 */
export class StallCounter {
  readonly #maxLooks: number;
  #turns: number | null = null;
  #looks = 0;

  constructor(maxLooks: number) {
    this.#maxLooks = maxLooks;
  }

  /** Whether the thread, which has turned so often since its start, hangs. */
  isStalledAt(turns: number): boolean {
    this.#looks = turns === this.#turns ? this.#looks + 1 : 0;
    this.#turns = turns;
    return this.#looks >= this.#maxLooks;
  }
}
