import { type FileHandle, lstat, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';

/** What the spool does to files, call by call, so that each of them can fail in tests. */
export interface Files {
  /** Makes it and what is missing above it, for its owner alone. */
  makeFolder(path: string): Promise<void>;
  /** Null if there is nothing. */
  facts(path: string, of: 'the link itself' | 'what it leads to'): Promise<FileFacts | null>;
  /** The names of all files that are no folders, links or devices; none if there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** The first bytes; null if there is no such file. */
  read(path: string, mostBytes: number): Promise<Uint8Array | null>;
  /** Fails if it exists. */
  create(path: string): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** False if it was gone. */
  remove(path: string): Promise<boolean>;
  /** After that, names given before last through a loss of power. */
  syncFolder(path: string): Promise<void>;
}

export interface FileFacts {
  readonly isFolder: boolean;
  readonly isLink: boolean;
  readonly ownerId: number;
  /** The bits of permission. */
  readonly mode: number;
  readonly bytes: number;
  readonly changedMs: number;
}

export interface OpenFile {
  write(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

export const diskFiles: Files = {
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
  },
  facts: async (path, of) => {
    const found = await orNull(of === 'the link itself' ? lstat(path) : stat(path));
    return found === null
      ? null
      : {
          isFolder: found.isDirectory(),
          isLink: found.isSymbolicLink(),
          ownerId: found.uid,
          mode: found.mode & 0o777,
          bytes: found.size,
          changedMs: found.mtimeMs,
        };
  },
  list: async (folder) => {
    const found = (await orNull(readdir(folder, { withFileTypes: true }))) ?? [];
    return found.flatMap((one) => (one.isFile() ? [one.name] : []));
  },
  read: async (path, mostBytes) => {
    const file = await orNull(open(path, 'r'));
    if (file === null) return null;
    try {
      return await readUpTo(file, mostBytes);
    } finally {
      await file.close();
    }
  },
  create: async (path) => {
    const file = await open(path, 'wx', PRIVATE_FILE);
    return {
      write: async (bytes) => {
        await file.writeFile(bytes);
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  },
  rename: (from, to) => rename(from, to),
  remove: async (path) => (await orNull(unlink(path).then(() => true))) ?? false,
  syncFolder: async (path) => {
    // Windows opens no folders, and needs none of this.
    const folder = await open(path, 'r').catch(() => null);
    try {
      await folder?.sync();
    } finally {
      await folder?.close();
    }
  },
};

async function readUpTo(file: FileHandle, mostBytes: number): Promise<Uint8Array> {
  const { size } = await file.stat();
  const bytes = new Uint8Array(Math.min(size, mostBytes));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/**
 * Writes beside, so that whoever looks finds the whole file or none, also after a loss of power. No two processes may write the same
 * file beside.
 */
export async function writeWhole(
  files: Files,
  folder: string,
  { name, beside, bytes }: { readonly name: string; readonly beside: string; readonly bytes: Uint8Array },
): Promise<void> {
  const unfinished = `${folder}/${beside}${UNFINISHED}`;
  try {
    const file = await files.create(unfinished);
    try {
      await file.write(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(unfinished, `${folder}/${name}`);
  } catch (error) {
    await files.remove(unfinished).catch(() => undefined);
    throw error;
  }
  await files.syncFolder(folder);
}

/** What a file that is being written has behind its name. */
export const UNFINISHED = '.new';
