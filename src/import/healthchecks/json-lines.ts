import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SourceError } from '../source-error.ts';
import { type HealthchecksSource, requireColumns } from './source.ts';
import {
  type ColumnName,
  type Converters,
  type CountedTable,
  columnsOf,
  type Row,
  TABLES,
  type TableName,
} from './tables.ts';
import { ANY_VALUES, readDuration } from './values.ts';

/** Django's names of the models whose tables are read or counted. */
const MODELS: Readonly<Record<TableName | Exclude<CountedTable, 'auth_user_user_permissions'>, string>> = {
  auth_user: 'auth.user',
  accounts_profile: 'accounts.profile',
  accounts_credential: 'accounts.credential',
  accounts_project: 'accounts.project',
  accounts_member: 'accounts.member',
  api_check: 'api.check',
  api_channel: 'api.channel',
  /** A channel's line lists its checks. */
  api_channel_checks: 'api.channel',
  api_flip: 'api.flip',
  api_ping: 'api.ping',
  api_notification: 'api.notification',
  django_session: 'sessions.session',
  logs_record: 'logs.record',
  payments_subscription: 'payments.subscription',
  auth_group: 'auth.group',
};
const MODEL = /^\s*\{\s*"model":\s*"([a-z]+\.[a-z]+)"(?:,\s*"pk":\s*(\d{1,15})\b)?/;
/** Enough of a line to find its model and its key. */
const HEAD_BYTES = 80;
/** The longest body is far shorter. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;
const LINE_END = 0x0a;
const HINT = 'write it by `./manage.py dumpdata auth.user accounts api --format jsonl`';

const VALUES: Converters = {
  ...ANY_VALUES,
  duration: (found) => (typeof found === 'string' ? readDuration(found) : null),
  bytes: (found) => Buffer.from(typeof found === 'string' ? found : '', 'base64'),
};

/** The lines of a model: how many, and from which byte to which. */
interface Span {
  readonly start: number;
  end: number;
  rows: number;
  /** The key of the last line. */
  lastId: number;
  /** Whether its lines are in the order of their keys, as Django writes them. */
  isSorted: boolean;
  /** The first line. */
  readonly sample: Line;
}

interface Line {
  readonly id: number | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A file that stays open: later this process may be a user who cannot open it again. */
interface LinesFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly isCompressed: boolean;
}

/** Opens lines that Django has written of a database. They are read once to find out what is where. */
export async function openHealthchecksLines(
  path: string,
  isCompressed: boolean,
): Promise<HealthchecksSource> {
  await using opened = new AsyncDisposableStack();
  const file = { path, isCompressed, handle: opened.use(await open(path)) };
  const spans = await findSpans(file);
  if (!spans.has('auth.user') && !spans.has('api.check'))
    throw new SourceError(`${path} has no lines of Healthchecks: ${HINT}`);
  requireColumns(columnsIn(spans), null);
  const parts = opened.move();
  return {
    migration: null,
    async *rows(table, columns, { afterId = 0, projectIds } = {}) {
      const span = spans.get(MODELS[table]);
      if (span === undefined) return;
      const read = rowReader(table, columns);
      for await (const line of span.isSorted
        ? ownLines(file, span, MODELS[table])
        : sortedLines(file, span, MODELS[table])) {
        const { id, fields } = parse(path, line);
        const isAsked = projectIds === undefined || projectIds.some((project) => project === fields.project);
        if ((id ?? 0) > afterId && isAsked) yield* read(id, fields);
      }
    },
    // The lines of people list their permissions, and nobody counts those.
    count: async (table) =>
      table === 'auth_user_user_permissions' ? 0 : (spans.get(MODELS[table])?.rows ?? 0),
    pingsFollow: () => undefined,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function findSpans(file: LinesFile): Promise<Map<string, Span>> {
  const spans = new Map<string, Span>();
  for await (const { line, start, end } of linesOf(file)) {
    const { model, id } = headOf(line);
    if (model === null) {
      if (line.every((byte) => byte <= 0x20)) continue;
      throw new SourceError(`${file.path} is no file of JSON lines by Django: ${HINT}`);
    }
    const span = spans.get(model);
    if (span === undefined) {
      const sample = parse(file.path, line);
      spans.set(model, { start, end, rows: 1, lastId: id, isSorted: true, sample });
    } else {
      span.end = end;
      span.rows += 1;
      // A key that is not where Django writes it counts as out of order.
      span.isSorted &&= id > span.lastId;
      span.lastId = id;
    }
  }
  return spans;
}

/** The columns of each table by its first line. A table without lines has no column that is missing. */
function columnsIn(spans: ReadonlyMap<string, Span>): Map<string, Set<string>> {
  // The names are the keys of the table.
  const names = Object.keys(TABLES) as TableName[];
  return new Map(
    names.map((table) => {
      const columns = columnsOf(table).map(({ name }) => name);
      const sample = spans.get(MODELS[table])?.sample;
      if (sample === undefined || table === 'api_channel_checks') return [table, new Set(columns)];
      return [
        table,
        new Set(columns.filter((name) => fieldOf(name) === 'id' || fieldOf(name) in sample.fields)),
      ];
    }),
  );
}

/** Django calls the column `owner_id` by the name of its field, `owner`. */
function fieldOf(column: string): string {
  return column.replace(/_id$/, '');
}

function rowReader<T extends TableName, C extends ColumnName<T>>(
  table: T,
  columns: readonly C[],
): (id: number | null, fields: Line['fields']) => Row<T, C>[] {
  const wanted = columnsOf(table).filter(({ name }) => columns.some((column) => column === name));
  const rowOf = (fields: Readonly<Record<string, unknown>>) =>
    // Each value is made by the converter of its column's type.
    Object.fromEntries(wanted.map(({ name, type }) => [name, VALUES[type](fields[fieldOf(name)])])) as Row<
      T,
      C
    >;
  if (table !== 'api_channel_checks') return (id, fields) => [rowOf({ ...fields, id })];
  return (channel, { checks }) =>
    Array.isArray(checks) ? checks.map((check) => rowOf({ id: channel, channel, check })) : [];
}

/** Lines of the model in the order of the file. */
async function* ownLines(file: LinesFile, span: Span, model: string): AsyncGenerator<Uint8Array> {
  for await (const { line } of linesOf(file, span)) if (headOf(line).model === model) yield line;
}

/** Lines of the model in the order of their keys: first only the places of all are kept. */
async function* sortedLines(file: LinesFile, span: Span, model: string): AsyncGenerator<Uint8Array> {
  const { path, handle, isCompressed } = file;
  if (isCompressed)
    throw new SourceError(`${path} has lines that are not in the order of their keys: unpack it first`);
  const places: { readonly id: number; readonly start: number; readonly length: number }[] = [];
  for await (const { line, start } of linesOf(file, span))
    if (headOf(line).model === model)
      places.push({ id: parse(path, line).id ?? 0, start, length: line.length });
  for (const { start, length } of places.sort((one, other) => one.id - other.id)) {
    const { buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, start);
    yield buffer;
  }
}

/** The model of a line, and its key. The key is 0 where it does not follow the model. */
function headOf(line: Uint8Array): { readonly model: string | null; readonly id: number } {
  const head = Buffer.from(line.buffer, line.byteOffset, Math.min(line.length, HEAD_BYTES));
  const [, model = null, id = '0'] = MODEL.exec(head.toString('latin1')) ?? [];
  return { model, id: Number(id) };
}

function parse(path: string, line: Uint8Array): Line {
  try {
    const { pk, fields } = JSON.parse(new TextDecoder().decode(line)) as {
      readonly pk?: unknown;
      readonly fields?: unknown;
    };
    if (typeof fields === 'object' && fields !== null)
      return { id: ANY_VALUES.integer(pk), fields: { ...fields } };
  } catch {
    // Told below. The message of the parser would repeat the line.
  }
  throw new SourceError(`${path} has a line that is no JSON of Django: ${HINT}`);
}

/** The lines of a file between two bytes. A compressed file is read from its beginning. */
async function* linesOf(
  { path, handle, isCompressed }: LinesFile,
  { start, end }: { readonly start: number; readonly end: number } = {
    start: 0,
    end: Number.POSITIVE_INFINITY,
  },
): AsyncGenerator<{ readonly line: Uint8Array; readonly start: number; readonly end: number }> {
  const blocks = isCompressed ? unpacked(blocksOf(handle, 0)) : blocksOf(handle, start);
  let position = isCompressed ? 0 : start;
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for await (const chunk of blocks) {
      let next = 0;
      for (let to = chunk.indexOf(LINE_END); to !== -1; to = chunk.indexOf(LINE_END, next)) {
        const line = Buffer.concat([...rest, chunk.subarray(next, to)]);
        const lineEnd = position + line.length + 1;
        if (position >= start && line.length > 0) yield { line, start: position, end: lineEnd };
        if (lineEnd >= end) return;
        position = lineEnd;
        [rest, restBytes, next] = [[], 0, to + 1];
      }
      rest.push(chunk.subarray(next));
      restBytes += chunk.length - next;
      if (restBytes > MAX_LINE_BYTES)
        throw new SourceError(`${path} has a line of more than 64 MiB: ${HINT}`);
    }
    const line = Buffer.concat(rest);
    if (position >= start && line.length > 0) yield { line, start: position, end: position + line.length };
  } catch (error) {
    throw error instanceof SourceError
      ? error
      : new SourceError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** A stream would close the file at its end. */
async function* blocksOf(handle: FileHandle, start: number): AsyncGenerator<Buffer> {
  for (let position = start; ; ) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(BLOCK_BYTES),
      0,
      BLOCK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function unpacked(blocks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const packed = Readable.from(blocks);
  const plain = createGunzip();
  packed.on('error', (error) => plain.destroy(error));
  return packed.pipe(plain);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
