import type { ByteBudget } from './byte-budget.ts';

const FIRST_CAPACITY = 4 * 1024;

/**
 * Bytes that arrive in pieces, copied into one block. The pieces themselves are not kept: a piece of one byte may hold on
 * to a buffer of 64 kB, so that a message in crumbs would take thousands of times its length.
 */
export class GrowingBlock {
  readonly #limit: number;
  readonly #budget: ByteBudget;
  #block = Buffer.alloc(0);
  /** Not asked of the block itself: whoever has moved its bytes to another thread leaves it with a length of 0. */
  #capacity = 0;
  #length = 0;

  /** `limit` is the most that is ever appended; the block takes its memory from the budget. */
  constructor(limit: number, budget: ByteBudget) {
    this.#limit = limit;
    this.#budget = budget;
  }

  get length(): number {
    return this.#length;
  }

  /** What has arrived. It is part of a larger block, which may change when more is appended. */
  get bytes(): Buffer {
    return this.#block.subarray(0, this.#length);
  }

  /** False, and nothing is appended, where the budget has no room for the piece. */
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

  /** Gives the memory back to the budget; to be called once the bytes are done with, or copied. */
  release(): void {
    this.#budget.give(this.#capacity);
    this.#block = Buffer.alloc(0);
    this.#capacity = 0;
    this.#length = 0;
  }
}
