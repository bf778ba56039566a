/**
 * Remembers at most twice `capacity` values and forgets those that were not requested recently.
 *
 * It has two generations instead of a list in order of use. Nearly every request finds its value in the young
 * generation, which costs no write. When the young generation is full, it replaces the old one. Values that are
 * requested again move back to the young generation.
 */
export class BoundedCache<Value> {
  readonly #capacity: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The value for `key`. If it is not remembered, `make` is called, which may throw. */
  get(key: string, make: (key: string) => Value): Value {
    const young = this.#young.get(key);
    if (young !== undefined) return young;

    const value = this.#old.get(key) ?? make(key);
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }
}
