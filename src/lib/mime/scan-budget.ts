/**
 * How much may be read of a message, in bytes, counted over all its levels and all steps of reading. A message that nests
 * its parts is read once for each level: without a limit for the sum, its sender decides how long that takes.
 */
export class ScanBudget {
  readonly #limit: number;
  #spent = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  get isSpent(): boolean {
    return this.#spent >= this.#limit;
  }

  /** Spends the bytes, or what is left; answers how many may be read. */
  take(bytes: number): number {
    const granted = Math.min(bytes, this.#limit - this.#spent);
    this.#spent += granted;
    return granted;
  }

  /** Spends the bytes; false, and all is spent, where fewer are left. */
  spend(bytes: number): boolean {
    return this.take(bytes) === bytes;
  }
}
