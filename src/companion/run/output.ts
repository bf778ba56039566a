/** Keeps the beginning and the end of what a job writes, in bounded memory. */

/** How much of an output is kept: its first and its last bytes. */
export interface Shares {
  readonly head: number;
  readonly tail: number;
}

/** What was kept of an output: its first and its last bytes, both of which are all of it where it was short enough. */
export interface Kept {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly total: number;
}

const FIRST_BYTES = 16_384;

export class KeptOutput {
  readonly #head: Growing;
  readonly #tail: Ring;
  #total = 0;

  constructor(shares: Shares) {
    this.#head = new Growing(shares.head);
    this.#tail = new Ring(shares.tail);
  }

  add(piece: Uint8Array): void {
    this.#total += piece.length;
    const rest = this.#head.add(piece);
    this.#tail.add(rest);
  }

  take(): Kept {
    const [head, tail] = [this.#head.bytes(), this.#tail.bytes()];
    const isWhole = head.length + tail.length === this.#total;
    const all = isWhole ? Buffer.concat([head, tail]) : null;
    return { head: all ?? head, tail: all ?? tail, total: this.#total };
  }
}

/** The first bytes. Its memory grows with what is kept: most jobs write little. */
class Growing {
  readonly #capacity: number;
  #memory: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** What does not fit. */
  add(piece: Uint8Array): Uint8Array {
    const taken = piece.subarray(0, this.#capacity - this.#length);
    this.#memory = grown(this.#memory, this.#length + taken.length, this.#capacity);
    this.#memory.set(taken, this.#length);
    this.#length += taken.length;
    return piece.subarray(taken.length);
  }

  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }
}

/** The last bytes. Once its memory is full, new bytes take the place of the oldest. */
class Ring {
  readonly #capacity: number;
  #memory: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Where the next byte goes, once the memory is full. */
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(piece: Uint8Array): void {
    const wanted = this.#length + piece.length;
    if (wanted <= this.#capacity) {
      this.#memory = grown(this.#memory, wanted, this.#capacity);
      this.#memory.set(piece, this.#length);
      this.#length = wanted;
      this.#next = this.#length % this.#capacity;
      return;
    }
    if (this.#capacity === 0) return;
    this.#memory = grown(this.#memory, this.#capacity, this.#capacity);
    const last = piece.subarray(Math.max(0, piece.length - this.#capacity));
    const behind = last.subarray(0, this.#capacity - this.#next);
    this.#memory.set(behind, this.#next);
    this.#memory.set(last.subarray(behind.length), 0);
    this.#next = (this.#next + last.length) % this.#capacity;
    this.#length = this.#capacity;
  }

  bytes(): Buffer {
    if (this.#length < this.#capacity) return this.#memory.subarray(0, this.#length);
    return Buffer.concat([this.#memory.subarray(this.#next), this.#memory.subarray(0, this.#next)]);
  }
}

function grown(memory: Buffer, length: number, capacity: number): Buffer {
  if (length <= memory.length) return memory;
  const larger = Buffer.alloc(Math.min(capacity, Math.max(FIRST_BYTES, length, memory.length * 2)));
  larger.set(memory);
  return larger;
}
