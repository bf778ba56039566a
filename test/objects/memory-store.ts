import type { ObjectPage, ObjectStore } from '../../src/objects/object-store.ts';

/** Object storage in memory, for what a real one does too seldom: short pages, and pauses at the worst moment. */
export class MemoryStore implements ObjectStore {
  readonly objects = new Map<string, Uint8Array>();
  readonly puts: string[] = [];
  readonly #pageSize: number;
  /** Waited for before an upload takes effect. */
  beforePut: () => Promise<void> = async () => undefined;

  constructor(pageSize = 1000) {
    this.#pageSize = pageSize;
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    this.puts.push(key);
    await this.beforePut();
    this.objects.set(key, body);
  }

  async get(key: string): Promise<Uint8Array | null> {
    return this.objects.get(key) ?? null;
  }

  async delete(key: string): Promise<void> {
    this.objects.delete(key);
  }

  async list(prefix: string, after: string): Promise<ObjectPage> {
    const all = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    return { keys: all.slice(0, this.#pageSize), hasMore: all.length > this.#pageSize };
  }
}

/** A storage that refuses everything. */
export const brokenStore: ObjectStore = {
  put: refuse,
  get: refuse,
  delete: refuse,
  list: refuse,
};

async function refuse(): Promise<never> {
  throw new Error('the storage is broken');
}
