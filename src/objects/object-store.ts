/** What a listing found: keys in lexical order, and whether there are more after the last. */
export interface ObjectPage {
  readonly keys: readonly string[];
  readonly hasMore: boolean;
}

/**
 * A place for bytes under keys, away from the database. All operations can be repeated without harm, and end
 * within `MAX_OPERATION_SECONDS`, one way or the other. Whatever goes wrong is thrown.
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

/** Whoever claims work on objects can count on it: after this long, no request of an earlier claim is open. */
export const MAX_OPERATION_SECONDS = 600;
