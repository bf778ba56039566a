import { open } from 'node:fs/promises';
import { StorageError } from '../driver.ts';
import { readArchive, ZSTD_MAGIC } from './file.ts';
import type { Header, Part, Sink } from './parts.ts';
import { readDatabase, type SnapshotWorld } from './snapshot.ts';

/** A backup that can be read from its beginning, as often as needed. */
export interface Source {
  readonly path: string;
  readonly form: 'archive' | 'copy';
  readonly header: Header;
  read(sink: Sink): Promise<Header>;
}

const SQLITE_MAGIC = Buffer.from('SQLite format 3\0');

/** Finds out what sort of backup the file is. */
export async function openSource(path: string, world: SnapshotWorld): Promise<Source> {
  const start = await firstBytes(path, SQLITE_MAGIC.length);
  if (start.equals(SQLITE_MAGIC)) {
    const read = (sink: Sink) =>
      keepingHeader(sink, (all) =>
        readDatabase({ engine: 'sqlite', path }, { ...world, isCopy: true }, null, all),
      );
    return { path, form: 'copy', header: await headerOf(read), read };
  }
  if (start.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC)) {
    const read = (sink: Sink) => readArchive(path, sink);
    return { path, form: 'archive', header: await headerOf(read), read };
  }
  throw new StorageError('fault', `${path} is no backup of Tocsin`);
}

async function firstBytes(path: string, length: number): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: 0 });
  return buffer;
}

async function keepingHeader(sink: Sink, read: (sink: Sink) => Promise<void>): Promise<Header> {
  let header: Header | null = null;
  await read(async (part) => {
    if (part.kind === 'header') header = part;
    await sink(part);
  });
  if (header === null) throw new Error('a backup begins with a header');
  return header;
}

/** Stops a reading that has told enough. */
class Enough extends Error {
  readonly header: Header;

  constructor(header: Header) {
    super('enough is read');
    this.header = header;
  }
}

async function headerOf(read: (sink: Sink) => Promise<Header>): Promise<Header> {
  const stop = async (part: Part) => {
    if (part.kind === 'header') throw new Enough(part);
  };
  try {
    return await read(stop);
  } catch (error) {
    if (error instanceof Enough) return error.header;
    throw error;
  }
}
