/**
 * Remembers at most twice `capacity` values and forgets those not asked for recently.
 *
 * Two generations instead of a list in order of use: a hit in the young one, which is nearly every hit,
 * writes nothing. When the young one is full it becomes the old one, and what is still in use moves back.
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

  /** The value for `key`; `make` is called when it is not remembered, and may throw. */
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
