/** Limits the memory that unknown clients can fill, summed over all that is being received or processed. */
export class ByteBudget {
  /** The whole budget. */
  readonly bytes: number;
  readonly #whole: ByteBudget | null;
  #used = 0;

  /** This budget may be a share of `whole`. Bytes taken here are then also taken there. */
  constructor(bytes: number, whole: ByteBudget | null = null) {
    this.bytes = bytes;
    this.#whole = whole;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** Returns false and takes nothing if fewer bytes are left. */
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
