/** A map with a limited size. It forgets the entry that was used longest ago. */
export class RecentlyUsed<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the entry. `create` makes it if there is none. */
  get(key: Key, create: () => Value): Value {
    const entry = this.#entries.get(key) ?? create();
    // Deleting and setting makes this the entry used last.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#maxEntries) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    return entry;
  }
}
