import type { ByteBudget } from './byte-budget.ts';

const FIRST_CAPACITY = 4 * 1024;

/**
 * Copies bytes that arrive in pieces into one block. It does not keep the pieces: a piece of one byte can keep a buffer of
 * 64 kB in memory, so a message in tiny pieces would take thousands of times its length.
 */
export class GrowingBlock {
  readonly #limit: number;
  readonly #budget: ByteBudget;
  #block = Buffer.alloc(0);
  /** Stored here because the block itself has length 0 once its bytes were moved to another thread. */
  #capacity = 0;
  #length = 0;

  /** At most `limit` bytes will be appended. The block takes its memory from the budget. */
  constructor(limit: number, budget: ByteBudget) {
    this.#limit = limit;
    this.#budget = budget;
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes that have arrived. This is a view: the block may be replaced when more is appended. */
  get bytes(): Buffer {
    return this.#block.subarray(0, this.#length);
  }

  /** Returns false and appends nothing if the budget has no room for the piece. */
  append(piece: Uint8Array): boolean {
    if (!this.#grow(this.#length + piece.length)) return false;
    this.#block.set(piece, this.#length);
    this.#length += piece.length;
    return true;
  }

  #grow(needed: number): boolean {
    const capacity = this.#capacity;
    if (needed <= capacity) return true;
    if (needed > this.#limit) throw new RangeError(`${needed} bytes in a block of at most ${this.#limit}`);
    const larger = Math.min(Math.max(needed, capacity * 2, FIRST_CAPACITY), this.#limit);
    if (!this.#budget.take(larger - capacity)) return false;
    const block = Buffer.allocUnsafeSlow(larger);
    this.#block.copy(block, 0, 0, this.#length);
    this.#block = block;
    this.#capacity = larger;
    return true;
  }

  /** Returns the memory to the budget. Call it when the bytes are no longer needed. */
  release(): void {
    this.#budget.give(this.#capacity);
    this.#block = Buffer.alloc(0);
    this.#capacity = 0;
    this.#length = 0;
  }
}
