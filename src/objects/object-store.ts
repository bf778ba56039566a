/** What a listing found: keys in lexical order, and whether there are more after the last. */
export interface ObjectPage {
  readonly keys: readonly string[];
  readonly hasMore: boolean;
}

/**
 * Stores bytes under keys, outside of the database. Every operation can be repeated safely, and ends within
 * `MAX_OPERATION_SECONDS`: it succeeds or throws.
 */
export interface ObjectStore {
  /** Resolves when the bytes are kept; replaces what was there. */
  put(key: string, body: Uint8Array): Promise<void>;
  /** The object's bytes; null when there is no such object. One of more bytes than `maxBytes` is a fault. */
  get(key: string, maxBytes: number): Promise<Uint8Array | null>;
  /** Removes the object, if there is one. */
  delete(key: string): Promise<void>;
  /** The first keys that begin with `prefix` and lie behind `after`, which need not exist itself. */
  list(prefix: string, after: string): Promise<ObjectPage>;
}

/** No operation takes longer: after this time, no request of an earlier claim is open. */
export const MAX_OPERATION_SECONDS = 600;
