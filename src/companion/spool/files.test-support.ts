import type { Files } from './files.ts';

interface Entry {
  bytes: Uint8Array;
  /** What a loss of power leaves of it. */
  lasting: Uint8Array;
}

/** A disk in memory that can fail or stop at any call, and lose what nobody has synchronised. */
export class MemoryFiles implements Files {
  readonly folders = new Set<string>();
  /** What each name leads to, and what it led to when its folder was synchronised. */
  names = new Map<string, Entry>();
  #lastingNames = new Map<string, Entry>();
  /** Called before each call; what it throws is what the call fails with. */
  before: (call: string) => void = () => undefined;
  ownerId = 1000;
  mode = 0o700;
  wallMs = 0;

  async makeFolder(path: string): Promise<void> {
    this.before('makeFolder');
    this.folders.add(path);
  }

  async facts(path: string) {
    this.before('facts');
    const bytes = this.names.get(path)?.bytes.length ?? 0;
    const isFolder = this.folders.has(path);
    if (!isFolder && !this.names.has(path)) return null;
    return { isFolder, isLink: false, ownerId: this.ownerId, mode: this.mode, bytes, changedMs: this.wallMs };
  }

  async list(folder: string): Promise<string[]> {
    this.before('list');
    const inside = [...this.names.keys()].filter((path) => path.startsWith(`${folder}/`));
    return inside.map((path) => path.slice(folder.length + 1)).filter((name) => !name.includes('/'));
  }

  async read(path: string, mostBytes: number): Promise<Uint8Array | null> {
    this.before('read');
    return this.names.get(path)?.bytes.slice(0, mostBytes) ?? null;
  }

  async create(path: string) {
    this.before('create');
    if (this.names.has(path)) throw Object.assign(new Error('exists'), { code: 'EEXIST' });
    const entry: Entry = { bytes: new Uint8Array(), lasting: new Uint8Array() };
    this.names.set(path, entry);
    return {
      write: async (bytes: Uint8Array) => {
        // A write that fails may have written a part.
        entry.bytes = bytes.slice(0, bytes.length / 2);
        this.before('write');
        entry.bytes = bytes.slice();
      },
      sync: async () => {
        this.before('sync');
        entry.lasting = entry.bytes;
      },
      close: async () => this.before('close'),
    };
  }

  async rename(from: string, to: string): Promise<void> {
    this.before('rename');
    const entry = this.names.get(from);
    if (entry === undefined) throw Object.assign(new Error('missing'), { code: 'ENOENT' });
    this.names.delete(from);
    this.names.set(to, entry);
  }

  async remove(path: string): Promise<boolean> {
    this.before('remove');
    return this.names.delete(path);
  }

  async syncFolder(): Promise<void> {
    this.before('syncFolder');
    this.#lastingNames = new Map(this.names);
  }

  /** Each change of a name since the last synchronisation has been kept or not, as `isKept` says; contents are what was synchronised. */
  losePower(isKept: () => boolean): void {
    const paths = new Set([...this.names.keys(), ...this.#lastingNames.keys()]);
    const left = new Map<string, Entry>();
    for (const path of paths) {
      const entry = isKept() ? this.names.get(path) : this.#lastingNames.get(path);
      if (entry !== undefined) left.set(path, { bytes: entry.lasting, lasting: entry.lasting });
    }
    this.names = left;
    this.#lastingNames = new Map(left);
  }
}
