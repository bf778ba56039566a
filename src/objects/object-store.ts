/** The result of a listing: keys in lexical order, and whether more follow. */
export interface ObjectPage {
  readonly keys: readonly string[];
  readonly hasMore: boolean;
}

/**
 * Stores bytes under keys, outside of the database. Every operation can be repeated safely, and ends within
 * `MAX_OPERATION_SECONDS`: it succeeds or throws.
 */
export interface ObjectStore {
  /** Resolves when the bytes are stored. Replaces an earlier object. */
  put(key: string, body: Uint8Array): Promise<void>;
  /** Returns the object's bytes, or null when there is no such object. Throws when it has more than `maxBytes`. */
  get(key: string, maxBytes: number): Promise<Uint8Array | null>;
  /** Deletes the object, if there is one. */
  delete(key: string): Promise<void>;
  /** The first keys that begin with `prefix` and sort after `after`. An object named `after` need not exist. */
  list(prefix: string, after: string): Promise<ObjectPage>;
}

/** The longest time of an operation. After it, no request of an earlier claim is open. */
export const MAX_OPERATION_SECONDS = 600;
