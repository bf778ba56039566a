/** Memory that strangers may fill, counted over everything in flight at once. */
export class ByteBudget {
  /** All that there is. */
  readonly bytes: number;
  #used = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** False, and nothing is taken, where that many bytes are not left. */
  take(bytes: number): boolean {
    if (bytes > this.bytes - this.#used) return false;
    this.#used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}
