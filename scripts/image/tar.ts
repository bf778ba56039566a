/** https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html: the format `ustar`. */

export interface Entry {
  /** From the root of the archive, without a slash at its beginning or end. */
  readonly path: string;
  readonly mode: number;
  /** Null for a folder. */
  readonly content: Uint8Array | null;
  /** Where a symbolic link leads. */
  readonly target?: string;
  readonly owner?: number;
}

export function folder(path: string, mode = 0o755, owner = 0): Entry {
  return { path, mode, content: null, owner };
}

export function file(path: string, content: Uint8Array | string, mode = 0o644): Entry {
  return { path, mode, content: typeof content === 'string' ? Buffer.from(content) : content };
}

export function link(path: string, target: string): Entry {
  return { path, mode: 0o777, content: new Uint8Array(), target };
}

const BLOCK = 512;

/** Archives of the same entries are equal, in whatever order these come. Folders that no entry names are added. */
export function tar(entries: readonly Entry[], seconds: number): Buffer {
  const all = new Map<string, Entry>();
  for (const { path } of entries) for (const parent of parentsOf(path)) all.set(parent, folder(parent));
  for (const entry of entries) all.set(entry.path, entry);
  const blocks = [...all.values()]
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
    .flatMap((entry) => [header(entry, seconds), ...padded(entry.content ?? new Uint8Array())]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function parentsOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

function padded(content: Uint8Array): Uint8Array[] {
  const rest = content.length % BLOCK;
  return rest === 0 ? [content] : [content, Buffer.alloc(BLOCK - rest)];
}

function header(entry: Entry, seconds: number): Buffer {
  const { path, mode, content, target = '', owner = 0 } = entry;
  const block = Buffer.alloc(BLOCK);
  const [name, prefix] = nameAndPrefix(content === null ? `${path}/` : path);
  const kind = content === null ? '5' : target === '' ? '0' : '2';
  const put = (text: string, offset: number, length: number) => {
    if (Buffer.byteLength(text) > length) throw new Error(`${path} does not fit into an archive: ${text}`);
    block.write(text, offset);
  };
  const putNumber = (value: number, offset: number, length: number) =>
    put(value.toString(8).padStart(length - 1, '0'), offset, length - 1);
  put(name, 0, 100);
  putNumber(mode, 100, 8);
  putNumber(owner, 108, 8);
  putNumber(owner, 116, 8);
  putNumber(content?.length ?? 0, 124, 12);
  putNumber(seconds, 136, 12);
  // The checksum is that of the header with spaces in its place.
  put(' '.repeat(8), 148, 8);
  put(kind, 156, 1);
  put(target, 157, 100);
  put('ustar\u000000', 257, 8);
  put(prefix, 345, 155);
  const checksum = block.reduce((sum, byte) => sum + byte, 0);
  put(`${checksum.toString(8).padStart(6, '0')}\u0000 `, 148, 8);
  return block;
}

/** A long path is divided at a slash. */
function nameAndPrefix(path: string): [name: string, prefix: string] {
  if (Buffer.byteLength(path) <= 100) return [path, ''];
  const slash = path.indexOf('/', path.length - 101);
  return [path.slice(slash + 1), path.slice(0, slash)];
}
