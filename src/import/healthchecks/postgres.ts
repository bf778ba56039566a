import pg from 'pg';
import { SourceError } from '../source-error.ts';
import {
  conditionOf,
  type HealthchecksSource,
  migrationNumber,
  requireColumns,
  requireVersion,
  type WhichRows,
} from './source.ts';
import { requireHealthchecks } from './sqlite.ts';
import {
  type ColumnName,
  type ColumnType,
  type Converters,
  columnsOf,
  type Row,
  TABLES,
  type TableName,
} from './tables.ts';
import { ANY_VALUES } from './values.ts';

/** Rows that are fetched at once: their bodies have to fit into memory. */
const ROWS_PER_PIECE = 200;
const CONNECT_TIMEOUT_MS = 10_000;

/** Times and spans come as whole microseconds, and an infinite time as none. */
const micros = (column: string) =>
  `case when isfinite(${column}) then (extract(epoch from ${column}) * 1000000)::bigint end`;
const expressionOf = (column: string, type: ColumnType) =>
  type === 'time' || type === 'duration' ? micros(column) : column;
/** The driver gives texts for whole numbers of 64 bits. */
const wholeNumber = (found: unknown) => ANY_VALUES.integer(found === null ? null : Number(found));
const VALUES: Converters = { ...ANY_VALUES, integer: wholeNumber, time: wholeNumber, duration: wholeNumber };

/** Opens a database of Healthchecks on a PostgreSQL server. It is read in one transaction, which writes nothing. */
export async function openHealthchecksDatabase(url: string): Promise<HealthchecksSource> {
  await using opened = new AsyncDisposableStack();
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // The next statement fails with the reason.
  client.on('error', () => undefined);
  opened.defer(() => client.end());
  const query = async (sql: string): Promise<Record<string, unknown>[]> => {
    try {
      return (await client.query(sql)).rows;
    } catch (error) {
      throw postgresError(error);
    }
  };
  try {
    await client.connect();
  } catch (error) {
    throw postgresError(error);
  }
  await query('begin isolation level repeatable read, read only');
  await query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
  const found = new Map<string, Set<string>>();
  for (const { table, column } of await query(COLUMNS)) {
    const known = found.get(String(table)) ?? new Set();
    found.set(String(table), known.add(String(column)));
  }
  requireHealthchecks(found);
  const [newest] = await query(
    `select name from django_migrations where app = 'api' order by name desc limit 1`,
  );
  const migration = migrationNumber(newest?.name);
  requireVersion(migration);
  requireColumns(found, migration);
  // Pings are read last, when all else is written. A missing right must not be found only then.
  for (const table of Object.keys(TABLES)) await query(`select from ${table} limit 0`);
  const parts = opened.move();
  let cursors = 0;
  return {
    migration,
    rows: (table, columns, which = {}) => {
      cursors += 1;
      const plan = { table, columns, which, cursor: `rows_${cursors}` };
      return rowsOf(query, found.get(table) ?? new Set(), plan);
    },
    async count(table) {
      if (!found.has(table)) return 0;
      const [row] = await query(`select count(*) as rows from ${table}`);
      return Number(row?.rows);
    },
    pingsFollow: () => undefined,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The columns of tables that this user finds without naming a schema. */
const COLUMNS = `
  select c.relname as table, a.attname as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid
   where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
     and pg_table_is_visible(c.oid) and c.relnamespace <> 'pg_catalog'::regnamespace`;

async function* rowsOf<T extends TableName, C extends ColumnName<T>>(
  query: (sql: string) => Promise<Record<string, unknown>[]>,
  found: ReadonlySet<string>,
  { table, columns, which, cursor }: { table: T; columns: readonly C[]; which: WhichRows; cursor: string },
): AsyncGenerator<Row<T, C>> {
  const wanted = columnsOf(table).filter(({ name }) => columns.some((column) => column === name));
  const values = wanted.map(({ name, type }) => {
    const value = found.has(name) ? expressionOf(`"${name}"`, type) : 'null';
    return `${value} as "${name}"`;
  });
  const sql = `select ${values.join(', ')} from ${table} where ${conditionOf(which)} order by id`;
  await query(`declare ${cursor} no scroll cursor for ${sql}`);
  for (;;) {
    const piece = await query(`fetch ${ROWS_PER_PIECE} from ${cursor}`);
    for (const row of piece) {
      for (const { name, type } of wanted) row[name] = VALUES[type](row[name]);
      // Each value is made by the converter of its column's type.
      yield row as Row<T, C>;
    }
    if (piece.length < ROWS_PER_PIECE) break;
  }
  await query(`close ${cursor}`);
}

const REASONS: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong',
  '28000': 'this user may not connect',
  '3D000': 'there is no such database',
  '42501': 'there is no right to read it',
  ECONNREFUSED: 'nothing answers at this address',
  ENOTFOUND: 'there is no such host',
};

/** The driver's messages name users and tables, and no password. */
function postgresError(error: unknown): unknown {
  const { code = '', message } = error as { readonly code?: string; readonly message: string };
  const reason = REASONS[code];
  const detail = reason === undefined ? message : `${reason} (${message || code})`;
  return new SourceError(`the PostgreSQL database cannot be read: ${detail}`, { cause: error });
}
