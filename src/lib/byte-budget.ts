/** Memory that strangers may fill, counted over everything in flight at once. */
export class ByteBudget {
  /** All that there is. */
  readonly bytes: number;
  readonly #whole: ByteBudget | null;
  #used = 0;

  /** `whole` is a budget that this one is a share of: what is taken here is taken there, too. */
  constructor(bytes: number, whole: ByteBudget | null = null) {
    this.bytes = bytes;
    this.#whole = whole;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** False, and nothing is taken, where that many bytes are not left. */
  take(bytes: number): boolean {
    if (bytes > this.bytes - this.#used) return false;
    if (this.#whole !== null && !this.#whole.take(bytes)) return false;
    this.#used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#used -= bytes;
    this.#whole?.give(bytes);
  }
}
