import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Random } from '../../lib/random.ts';
import { PRIVATE_FILE_MODE, partialPath, publishFile, removePartialFiles } from '../../lib/whole-file.ts';
import { StorageError } from '../driver.ts';
import { existsAlready, requireNoFile } from '../sqlite/backup.ts';
import type { Scalar } from '../value.ts';
import { FORMAT, type Header, type Part, type Sink, type TableBegin } from './parts.ts';

/** https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1 */
export const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

const MARK = 'tocsin archive';

/** The last line. */
interface Footer {
  readonly kind: 'footer';
  /** The number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Of all bytes before this line. */
  readonly sha256: string;
}

/** Counts and digests what passes, on the way in and on the way out. */
class Ledger {
  readonly #hash: Hash = createHash('sha256');
  readonly #rows: Record<string, number> = {};
  #table = '';

  note(line: string | Buffer): void {
    this.#hash.update(line).update('\n');
  }

  begin({ name }: TableBegin): void {
    this.#table = name;
    this.#rows[name] = 0;
  }

  count(rows: number): void {
    this.#rows[this.#table] = (this.#rows[this.#table] ?? 0) + rows;
  }

  footer(): Footer {
    return { kind: 'footer', rows: this.#rows, sha256: this.#hash.digest('hex') };
  }
}

/**
 * Writes an archive of what `produce` tells. The file appears only when it is complete and on the disk. Returns its size in
 * bytes.
 */
export async function writeArchive(
  target: string,
  random: Random,
  produce: (sink: Sink) => Promise<void>,
): Promise<number> {
  await requireNoFile(target);
  const partial = partialPath(target, random);
  try {
    await using file = await open(partial, 'wx', PRIVATE_FILE_MODE);
    const compressing = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    const writing = drainInto(file, compressing);
    const ledger = new Ledger();
    try {
      await produce(async (part) => {
        if (part.kind === 'table') ledger.begin(part);
        if (part.kind === 'rows') ledger.count(part.rows.length);
        const lines = linesOf(part);
        for (const line of lines) ledger.note(line);
        const hasRoom = compressing.write(lines.map((line) => `${line}\n`).join(''));
        if (!hasRoom) await Promise.race([once(compressing, 'drain'), writing]);
      });
      compressing.end(`${JSON.stringify(ledger.footer())}\n`);
      await writing;
    } finally {
      compressing.destroy();
      await writing.catch(() => undefined);
    }
    await file.sync();
    if (!(await publishFile(partial, target))) throw existsAlready(target);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new StorageError('fault', `cannot write ${target}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    await rm(partial, { force: true });
  }
  await removePartialFiles(target);
  return (await stat(target)).size;
}

/** Ends the stream when the file cannot be written. */
async function drainInto(file: FileHandle, stream: Transform): Promise<void> {
  // Told by this function, whose result somebody awaits sooner or later.
  stream.on('error', () => undefined);
  for await (const chunk of stream as AsyncIterable<Buffer>) await file.writeFile(chunk);
}

function linesOf(part: Part): string[] {
  if (part.kind === 'header') return [JSON.stringify({ archive: MARK, format: FORMAT, ...part })];
  if (part.kind === 'table') return [JSON.stringify(part)];
  return part.rows.map((row) => JSON.stringify(row.map(written)));
}

/** JSON has no bytes. */
function written(value: Scalar): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
}

function read(value: unknown): Scalar {
  if (typeof value !== 'object' || value === null) return value as Scalar;
  return Buffer.from(String(Object(value).base64), 'base64');
}

/** Rows that are told together, at most. */
const MAX_ROWS = 1_000;
const MAX_BYTES = 1_000_000;

/**
 * Reads an archive and tells its parts. Throws if it is cut off, changed, or in a form that this program does not know: what was
 * told before must then be thrown away. Returns its header.
 */
export async function readArchive(path: string, sink: Sink): Promise<Header> {
  const reading = new Reading(path, sink);
  try {
    for await (const line of linesIn(path)) await reading.take(line);
  } catch (error) {
    // Of the decompression.
    if (error instanceof Error && 'errno' in error && !('syscall' in error)) throw damaged(path, error);
    throw error;
  }
  return reading.end();
}

class Reading {
  readonly #path: string;
  readonly #sink: Sink;
  readonly #ledger = new Ledger();
  #header: Header | null = null;
  #footer: Footer | null = null;
  #columns = 0;
  #rows: Scalar[][] = [];
  #bytes = 0;

  constructor(path: string, sink: Sink) {
    this.#path = path;
    this.#sink = sink;
  }

  async take(line: Buffer): Promise<void> {
    const value = this.#parsed(line);
    if (this.#footer !== null) throw damaged(this.#path);
    if (Array.isArray(value)) {
      this.#ledger.note(line);
      return this.#row(value, line.length);
    }
    await this.#flush();
    const part = value as Header | TableBegin | Footer;
    if (part.kind === 'footer') {
      this.#footer = part;
      return;
    }
    if (this.#header === null) this.#header = requireHeader(this.#path, part);
    else if (part.kind !== 'table') throw damaged(this.#path);
    this.#ledger.note(line);
    if (part.kind === 'table') {
      this.#ledger.begin(part);
      this.#columns = part.columns.length;
    }
    await this.#sink(part);
  }

  end(): Header {
    if (this.#header === null || this.#footer === null)
      throw new StorageError('fault', `${this.#path} is cut off: its end is missing`);
    const { rows, sha256 } = this.#ledger.footer();
    const isEqual = JSON.stringify(rows) === JSON.stringify(this.#footer.rows);
    if (!isEqual || sha256 !== this.#footer.sha256) throw damaged(this.#path);
    return this.#header;
  }

  async #row(values: readonly unknown[], bytes: number): Promise<void> {
    if (values.length !== this.#columns) throw damaged(this.#path);
    this.#rows.push(values.map(read));
    this.#bytes += bytes;
    if (this.#rows.length >= MAX_ROWS || this.#bytes >= MAX_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    if (rows.length === 0) return;
    this.#ledger.count(rows.length);
    await this.#sink({ kind: 'rows', rows });
  }

  #parsed(line: Buffer): unknown {
    try {
      const value: unknown = JSON.parse(line.toString('utf8'));
      if (typeof value === 'object' && value !== null) return value;
    } catch {}
    throw damaged(this.#path);
  }
}

function requireHeader(path: string, first: unknown): Header {
  const { archive, format } = Object(first);
  if (archive !== MARK) throw new StorageError('fault', `${path} is no archive of Tocsin`);
  if (format !== FORMAT) {
    throw new StorageError(
      'fault',
      `${path} has format ${format}, and this Tocsin reads format ${FORMAT}: use the one that has made it, or a newer one`,
    );
  }
  // The mark and the format say that this program, or one like it, has written it.
  return first as Header;
}

function damaged(path: string, cause?: unknown): StorageError {
  return new StorageError('fault', `${path} is damaged: its content is not what was written`, { cause });
}

async function* linesIn(path: string): AsyncGenerator<Buffer> {
  const compressed = createReadStream(path);
  const plain = createZstdDecompress();
  compressed.on('error', (error) => plain.destroy(error)).pipe(plain);
  let pieces: Buffer[] = [];
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
        pieces.push(chunk.subarray(from, end));
        yield Buffer.concat(pieces);
        pieces = [];
        from = end + 1;
      }
      if (from < chunk.length) pieces.push(chunk.subarray(from));
    }
  } finally {
    compressed.destroy();
  }
  if (pieces.length > 0) throw new StorageError('fault', `${path} is cut off: its end is missing`);
}
