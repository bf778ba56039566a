/** A map with a limited size. It forgets the entries that were used longest ago. */
export class RecentlyUsed<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #maxSize: number;
  readonly #sizeOf: (value: Value) => number;
  #size = 0;
  #newest: Key | undefined;

  /** Without `sizeOf` the size is the number of entries. */
  constructor(maxSize: number, sizeOf: (value: Value) => number = () => 1) {
    this.#maxSize = maxSize;
    this.#sizeOf = sizeOf;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the entry. `create` makes it if there is none. */
  get(key: Key, create: () => Value): Value {
    const entry = this.find(key);
    if (entry !== undefined) return entry;
    const created = create();
    this.set(key, created);
    return created;
  }

  find(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (key !== this.#newest) {
      // Deleting and setting makes this the entry used last.
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = key;
    }
    return entry;
  }

  /** An entry that is larger than all may be together is not kept. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    this.#size += this.#sizeOf(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= this.#sizeOf(entry);
  }
}
