import { SourceError } from '../source-error.ts';
import { type ColumnName, type CountedTable, columnsOf, type Row, TABLES, type TableName } from './tables.ts';

/** The migrations of `api` in Healthchecks 3.0 and 4.4. */
const OLDEST_MIGRATION = 100;
const NEWEST_MIGRATION = 123;

/** The database of a Healthchecks installation. All of it is as of one moment, until `pingsFollow`. */
export interface HealthchecksSource extends AsyncDisposable {
  /** The number of the newest migration. Null if the source does not tell. */
  readonly migration: number | null;
  /** The rows in order of their ids. */
  rows<T extends TableName, C extends ColumnName<T>>(
    table: T,
    columns: readonly C[],
    which?: WhichRows,
  ): AsyncIterable<Row<T, C>>;
  /** 0 if there is no such table. */
  count(table: CountedTable): Promise<number>;
  /** From now on only pings are read. A program that uses the database may write again. */
  pingsFollow(): void;
}

export interface WhichRows {
  /** From the first one after this id. */
  readonly afterId?: number;
  /** Only those of these projects, for a table with `project_id`. */
  readonly projectIds?: readonly number[];
}

/** The condition for the rows that are asked for. */
export function conditionOf({ afterId, projectIds }: WhichRows, after = String(afterId ?? 0)): string {
  // They are whole numbers.
  return `id > ${after}${projectIds === undefined ? '' : ` and project_id in (${projectIds.join(', ')})`}`;
}

/** All columns of a table. */
export function everyColumn<T extends TableName>(table: T): readonly ColumnName<T>[] {
  // These are the keys of the table.
  return Object.keys(TABLES[table]) as ColumnName<T>[];
}

/** The number of a migration: 123 of `0123_alter_channel_kind`. */
export function migrationNumber(name: unknown): number | null {
  const [, number] = /^(\d{4})_/.exec(String(name)) ?? [];
  return number === undefined ? null : Number(number);
}

/** Whether the source is of a later version than any that is known. */
export function isNewer(migration: number | null): boolean {
  return migration !== null && migration > NEWEST_MIGRATION;
}

/** Refuses a version that is too old. */
export function requireVersion(migration: number | null): void {
  if (migration !== null && migration < OLDEST_MIGRATION)
    throw new SourceError(
      `this database is of a version of Healthchecks before 3.0 (migration ${padded(migration)}): update to 3.0 first, or use \`tocsin export\``,
    );
}

/** Refuses a source without a column that every known version has. `found` are the names of columns by table. */
export function requireColumns(
  found: ReadonlyMap<string, ReadonlySet<string>>,
  migration: number | null,
): void {
  const missing = Object.keys(TABLES).flatMap((table) => {
    const columns = found.get(table);
    if (columns === undefined) return [table];
    // The names are the keys of the table.
    return columnsOf(table as TableName)
      .filter(({ name, isOptional }) => !isOptional && !columns.has(name))
      .map(({ name }) => `${table}.${name}`);
  });
  if (missing.length === 0) return;
  const version = migration === null ? '' : ` (migration ${padded(migration)})`;
  throw new SourceError(
    `this database of Healthchecks${version} is of no known version: ${missing.join(', ')} is missing`,
  );
}

export function padded(migration: number): string {
  return String(migration).padStart(4, '0');
}
