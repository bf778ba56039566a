interface Owned<Key, Value> {
  /** The least recently used comes first: a Map keeps insertion order. */
  readonly entries: Map<Key, Value>;
  size: number;
}

export interface SharedCacheOptions<Value, Owner> {
  readonly maxSize: number;
  readonly ownerOf: (value: Value) => Owner;
  /** Without it the size is the number of values. */
  readonly sizeOf?: (value: Value) => number;
}

/**
 * A map with a limited size that several owners fill. When it is full, the owner with the most loses its least recently
 * used entry. So an owner with less than an equal part loses nothing to others.
 */
export class SharedCache<Key, Value, Owner> {
  readonly #maxSize: number;
  readonly #ownerOf: (value: Value) => Owner;
  readonly #sizeOf: (value: Value) => number;
  readonly #owners = new Map<Key, Owner>();
  readonly #byOwner = new Map<Owner, Owned<Key, Value>>();
  #size = 0;

  constructor({ maxSize, ownerOf, sizeOf = () => 1 }: SharedCacheOptions<Value, Owner>) {
    this.#maxSize = maxSize;
    this.#ownerOf = ownerOf;
    this.#sizeOf = sizeOf;
  }

  get size(): number {
    return this.#size;
  }

  find(key: Key): Value | undefined {
    const entries = this.#ownedBy(key)?.entries;
    const value = entries?.get(key);
    if (entries === undefined || value === undefined) return undefined;
    // Deleting and setting makes this the value used last.
    entries.delete(key);
    entries.set(key, value);
    return value;
  }

  /** A value that is larger than all may be together is not kept. */
  set(key: Key, value: Value): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    if (size > this.#maxSize) return;
    const owner = this.#ownerOf(value);
    const owned = this.#byOwner.getOrInsertComputed(owner, () => ({ entries: new Map(), size: 0 }));
    owned.entries.set(key, value);
    owned.size += size;
    this.#owners.set(key, owner);
    this.#size += size;
    while (this.#size > this.#maxSize) this.#forgetOne();
  }

  delete(key: Key): void {
    const owned = this.#ownedBy(key);
    const value = owned?.entries.get(key);
    if (owned === undefined || value === undefined) return;
    const size = this.#sizeOf(value);
    owned.entries.delete(key);
    owned.size -= size;
    this.#size -= size;
    // The key has an owner, or nothing would be found.
    if (owned.entries.size === 0) this.#byOwner.delete(this.#owners.get(key) as Owner);
    this.#owners.delete(key);
  }

  #ownedBy(key: Key): Owned<Key, Value> | undefined {
    const owner = this.#owners.get(key);
    return owner === undefined ? undefined : this.#byOwner.get(owner);
  }

  #forgetOne(): void {
    let most: Owned<Key, Value> | undefined;
    for (const owned of this.#byOwner.values()) if (owned.size > (most?.size ?? 0)) most = owned;
    for (const oldest of most?.entries.keys() ?? []) {
      this.delete(oldest);
      return;
    }
  }
}
