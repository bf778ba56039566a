/** Something that occupies memory. */
interface Sized {
  readonly byteLength: number;
}

/**
 * Keeps values until they occupy too much memory together. Then it forgets those that were not requested recently.
 *
 * It has two generations instead of a list in order of use, so that finding a value rarely writes anything. When the
 * young generation has half of the bytes, it replaces the old one.
 */
export class ByteCache<Key, Value extends Sized> {
  readonly #maxBytes: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  #youngBytes = 0;
  #oldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes of the values that are kept. */
  get byteLength(): number {
    return this.#youngBytes + this.#oldBytes;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** A value of more than half of all bytes is not kept. */
  set(key: Key, value: Value): void {
    this.#forget(key);
    const half = this.#maxBytes / 2;
    if (value.byteLength > half) return;
    if (this.#youngBytes + value.byteLength > half) {
      this.#old = this.#young;
      this.#oldBytes = this.#youngBytes;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(key, value);
    this.#youngBytes += value.byteLength;
  }

  #forget(key: Key): void {
    this.#youngBytes -= this.#young.get(key)?.byteLength ?? 0;
    this.#young.delete(key);
    this.#oldBytes -= this.#old.get(key)?.byteLength ?? 0;
    this.#old.delete(key);
  }
}
