import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { Engine } from '../dialect.ts';
import { type Driver, type Reader, type Scalar, StorageError } from '../driver.ts';
import { loadMigrations } from '../migration-files.ts';
import { type Database, openDriver } from '../open.ts';
import { SECRET_ROWS } from '../secret-key.ts';
import { LEFT_OUT, readCatalog, readLastIds, type TableShape } from './catalog.ts';
import type { Header, Sink } from './parts.ts';

/** Rows are read until they have about this size. A row may be larger. */
const MAX_BATCH_BYTES = 1_000_000;
const MAX_BATCH_ROWS = 1_024;
/** Tables whose rows may be many megabytes long: nobody knows how long the next ones are before they are read. */
const MAX_LONG_ROWS: Readonly<Record<string, number>> = { ping_bodies: 8 };

/** One state of a database, whatever others write meanwhile. */
interface Snapshot extends Reader {
  /** Reads the rows of a statement without parameters, a bounded part at a time. */
  batches(name: string, sql: string): AsyncIterable<readonly (readonly Scalar[])[]>;
}

export interface SnapshotWorld {
  readonly clock: Clock;
  readonly release: string;
  /** Whether the database is a copy, which stands still since its last beat. */
  readonly isCopy?: boolean;
}

/** Reads a whole database as it is at one moment. Others may write meanwhile. */
export async function readDatabase(
  database: Database,
  { clock, release, isCopy = false }: SnapshotWorld,
  secret: Header['secret'],
  sink: Sink,
): Promise<void> {
  const read = async (snapshot: Snapshot, engine: Engine, currentTime: string | null) => {
    const { schema, waiting } = await schemaOf(snapshot, engine);
    const [row] =
      currentTime === null ? [] : await snapshot.all<{ at: number }>(`select ${currentTime} as at`);
    const at = row?.at ?? (isCopy ? await lastBeatIn(snapshot) : null) ?? clock.now();
    await sink({ kind: 'header', release, schema, ...(waiting.length > 0 && { waiting }), at, secret });
    const lastIds = await readLastIds(snapshot, engine);
    for (const table of await readCatalog(snapshot, engine)) {
      if (Object.hasOwn(LEFT_OUT, table.name)) continue;
      const columns = table.columns.map(({ name }) => name);
      await sink({ kind: 'table', name: table.name, columns, lastId: lastIds.get(table.name) ?? 0 });
      for await (const rows of snapshot.batches(table.name, selectAll(table, engine)))
        await sink({ kind: 'rows', rows });
    }
  };
  if (database.engine === 'sqlite') {
    using snapshot = new SqliteSnapshot(database.path);
    return await read(snapshot, 'sqlite', null);
  }
  await using driver = await openDriver(database, { clock, onLostConnection: () => undefined });
  await readPostgres(driver, (snapshot) => read(snapshot, 'postgres', driver.dialect.currentTime));
}

/** When somebody last used the database. Null if nobody has. */
async function lastBeatIn(snapshot: Reader): Promise<number | null> {
  const [row] = await snapshot.all<{ at: number | null }>('select max(beat_at) as at from watch');
  return row?.at ?? null;
}

/** The newest version that the database has, and what it lacks. A program does not know what to archive of a newer one. */
async function schemaOf(snapshot: Reader, engine: Engine): Promise<{ schema: number; waiting: number[] }> {
  const rows = await snapshot
    .all<{ version: number }>('select version from schema_migrations')
    .catch((cause: unknown) => {
      throw new StorageError('fault', 'it is no database of Tocsin', { cause });
    });
  if (rows.length === 0) throw new StorageError('fault', 'the database is empty');
  const known = (await loadMigrations(engine)).map(({ version }) => version);
  const done = new Set(rows.map((row) => row.version));
  const version = Math.max(...done);
  if (version <= (known.at(-1) ?? 0))
    return { schema: version, waiting: known.filter((one) => one < version && !done.has(one)) };
  throw new StorageError(
    'fault',
    `the database is at version ${version}, of a newer Tocsin: make the backup with that one`,
  );
}

/** The secret is not among the rows: it is archived only under a passphrase. */
const CONDITIONS: Readonly<Record<string, string>> = {
  instance: `where key not in (${SECRET_ROWS.map((row) => `'${row}'`).join(', ')})`,
};

function selectAll({ name, columns, key }: TableShape, engine: Engine): string {
  const isText = new Map(columns.map((column) => [column.name, column.type === 'text']));
  // Both engines have to agree on the order.
  const order = key.map((column) =>
    engine === 'postgres' && isText.get(column) ? `"${column}" collate "C"` : `"${column}"`,
  );
  return `select ${columns.map((column) => `"${column.name}"`).join(', ')} from ${name}
    ${CONDITIONS[name] ?? ''} order by ${order.join(', ')}`;
}

class SqliteSnapshot implements Snapshot, Disposable {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    try {
      this.#database = new DatabaseSync(path, { readOnly: true });
    } catch (cause) {
      throw new StorageError('fault', `there is no database at ${path}`, { cause });
    }
    this.#database.exec('begin');
  }

  async all<Row>(sql: string): Promise<Row[]> {
    // The rows have the columns of the statement; the caller names their type next to the statement.
    return this.#database.prepare(sql).all() as Row[];
  }

  async *batches(_name: string, sql: string): AsyncGenerator<readonly (readonly Scalar[])[]> {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    let rows: Scalar[][] = [];
    let bytes = 0;
    // The type definitions do not know rows as arrays.
    for (const row of statement.iterate() as unknown as Iterable<Scalar[]>) {
      rows.push(row);
      bytes += sizeOf(row);
      if (bytes < MAX_BATCH_BYTES && rows.length < MAX_BATCH_ROWS) continue;
      yield rows;
      rows = [];
      bytes = 0;
    }
    if (rows.length > 0) yield rows;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** Nothing is limited but by the size of the database. */
const BEGIN_READING = `set transaction isolation level repeatable read, read only;
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

async function readPostgres(driver: Driver, read: (snapshot: Snapshot) => Promise<void>): Promise<void> {
  await driver.transaction(async (tx) => {
    await tx.script(BEGIN_READING);
    await read({
      all: (sql, params) => tx.all(sql, params),
      async *batches(name, sql) {
        await tx.script(`declare rows_${name} no scroll cursor for ${sql}`);
        for (let count = 1; ; ) {
          const found = await tx.all<Record<string, Scalar>>(`fetch ${count} from rows_${name}`);
          const rows = found.map((row) => Object.values(row).map(plain));
          if (rows.length > 0) yield rows;
          if (rows.length < count) break;
          count = Math.min(nextCount(count, rows), MAX_LONG_ROWS[name] ?? MAX_BATCH_ROWS);
        }
        await tx.script(`close rows_${name}`);
      },
    });
  });
}

/** Doubles and halves, so that there are few statements. */
function nextCount(count: number, rows: readonly (readonly Scalar[])[]): number {
  const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
  if (bytes > MAX_BATCH_BYTES) return Math.max(1, count / 2);
  return bytes * 2 <= MAX_BATCH_BYTES ? count * 2 : count;
}

function plain(value: Scalar): Scalar {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** About. */
function sizeOf(row: readonly Scalar[]): number {
  return row.reduce<number>((sum, value) => sum + (value === null ? 1 : (Object(value).length ?? 8)), 0);
}
