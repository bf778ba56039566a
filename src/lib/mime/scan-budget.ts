/**
 * Limits how many bytes of a message are read, summed over all levels and steps. Each level of nesting is read again, so
 * without a limit for the sum a sender could make reading take very long.
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

  /** Spends the bytes, or fewer if fewer are left. Returns how many may be read. */
  take(bytes: number): number {
    const granted = Math.min(bytes, this.#limit - this.#spent);
    this.#spent += granted;
    return granted;
  }

  /** Spends the bytes. If fewer are left, it spends all of them and returns false. */
  spend(bytes: number): boolean {
    return this.take(bytes) === bytes;
  }
}
