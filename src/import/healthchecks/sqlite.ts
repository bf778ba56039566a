import type { DatabaseSync } from 'node:sqlite';
import { SourceError } from '../source-error.ts';
import { openSqliteFile, readingFile } from '../sqlite-file.ts';
import {
  conditionOf,
  type HealthchecksSource,
  migrationNumber,
  requireColumns,
  requireVersion,
  type WhichRows,
} from './source.ts';
import { type ColumnName, columnsOf, type Row, type TableName } from './tables.ts';
import { ANY_VALUES } from './values.ts';

/** Rows that are read at once: their bodies have to fit into memory. Between the pieces a program on the database can write. */
const ROWS_PER_PIECE = 100;

/** Opens a database file of Healthchecks. A program may be running on it. */
export function openHealthchecksFile(path: string): HealthchecksSource {
  using opened = new DisposableStack();
  const { database } = opened.use(openSqliteFile(path));
  return readingFile(path, () => {
    // Everything but the pings is read as of one moment.
    database.exec('begin');
    const found = columnsIn(database);
    requireHealthchecks(found);
    const migration = newestMigration(database);
    requireVersion(migration);
    requireColumns(found, migration);
    const parts = opened.move();
    return {
      migration,
      rows: (table, columns, which = {}) =>
        rowsOf(path, database, found.get(table) ?? new Set(), { table, columns, which }),
      async count(table) {
        if (!found.has(table)) return 0;
        const count = database.prepare(`select count(*) as rows from ${table}`);
        return Number(readingFile(path, () => count.get())?.rows);
      },
      pingsFollow: () => {
        if (database.isTransaction) database.exec('commit');
      },
      [Symbol.asyncDispose]: async () => parts.dispose(),
    };
  });
}

function columnsIn(database: DatabaseSync): ReadonlyMap<string, ReadonlySet<string>> {
  const rows = database
    .prepare(
      `select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`,
    )
    .all();
  const columns = new Map<string, Set<string>>();
  for (const { table, column } of rows) {
    const known = columns.get(String(table)) ?? new Set();
    columns.set(String(table), known.add(String(column)));
  }
  return columns;
}

/** Names the program of a database that is none of Healthchecks. */
export function requireHealthchecks(tables: ReadonlyMap<string, unknown>): void {
  if (tables.has('django_migrations') && tables.has('api_check')) return;
  if (tables.size === 0) throw new SourceError('the database is empty');
  if (tables.has('monitor') && tables.has('heartbeat'))
    throw new SourceError('this is a database of Uptime Kuma: use `tocsin import kuma`');
  throw new SourceError('this is no database of Healthchecks');
}

function newestMigration(database: DatabaseSync): number | null {
  const row = database
    .prepare(`select name from django_migrations where app = 'api' order by name desc limit 1`)
    .get();
  return migrationNumber(row?.name);
}

/** A piece is read as a whole, so that no lock is held while its rows are used. */
async function* rowsOf<T extends TableName, C extends ColumnName<T>>(
  path: string,
  database: DatabaseSync,
  found: ReadonlySet<string>,
  { table, columns, which }: { table: T; columns: readonly C[]; which: WhichRows },
): AsyncGenerator<Row<T, C>> {
  const wanted = columnsOf(table).filter(({ name }) => columns.some((column) => column === name));
  const values = wanted.map(({ name }) => (found.has(name) ? `"${name}"` : 'null'));
  const sql = `select id, ${values.join(', ')} from ${table} where ${conditionOf(which, '?')} order by id limit ${ROWS_PER_PIECE}`;
  // A copy has room for all columns. A row that grows column by column takes several times the memory.
  const noRow: Readonly<Record<string, unknown>> = Object.fromEntries(wanted.map(({ name }) => [name, null]));
  const statement = readingFile(path, () => database.prepare(sql, { returnArrays: true, readBigInts: true }));
  for (let after: unknown = BigInt(which.afterId ?? 0); ; ) {
    // With arrays, a row is an array.
    const piece = readingFile(path, () => statement.all(after as bigint)) as unknown as unknown[][];
    for (const cells of piece) {
      const row: Record<string, unknown> = { ...noRow };
      wanted.forEach(({ name, type }, index) => {
        // The first cell is the id.
        row[name] = ANY_VALUES[type](cells[index + 1]);
      });
      // Each value is made by the converter of its column's type.
      yield row as Row<T, C>;
    }
    if (piece.length < ROWS_PER_PIECE) return;
    after = piece.at(-1)?.[0];
  }
}
