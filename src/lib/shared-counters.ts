/** Counters in memory that several threads share. A counter only grows; at the end of its range it starts again. */
export class SharedCounters {
  readonly #counters: Int32Array<SharedArrayBuffer>;

  /** Another thread makes its own over the same buffer. */
  constructor(buffer: SharedArrayBuffer) {
    this.#counters = new Int32Array(buffer);
  }

  static bufferFor(count: number): SharedArrayBuffer {
    return new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT);
  }

  raise(index: number): void {
    Atomics.add(this.#counters, index, 1);
  }

  read(index: number): number {
    return Atomics.load(this.#counters, index);
  }
}
