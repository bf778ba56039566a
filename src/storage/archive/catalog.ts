import type { Engine } from '../dialect.ts';
import type { Reader } from '../driver.ts';
import { TABLES } from '../sqlite/tables.ts';

export interface TableShape {
  readonly name: string;
  /** By the alphabet: a database that was migrated has them in another order than one that is new. */
  readonly columns: readonly Column[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Tables that are not archived, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  schema_migrations: 'the header tells the version, and a restored database is made by its migrations',
  rate_buckets: 'they are full again after minutes',
  account_rate_buckets: 'they are full again after minutes',
  token_rate_buckets: 'they are full again after minutes',
};

interface ColumnRow extends Column {
  readonly table: string;
  /** The place in the primary key, from one on. Zero or null: it is not in it. */
  readonly place: number | null;
}

interface Reference {
  readonly table: string;
  readonly target: string;
}

const COLUMNS: Readonly<Record<Engine, string>> = {
  sqlite: `select tables.name as "table", columns.name, lower(columns.type) as type, columns.pk as place
             from sqlite_schema as tables join pragma_table_info(tables.name) as columns
            where tables.type = 'table'`,
  postgres: `select relname as "table", attname as name, format_type(atttypid, atttypmod) as type,
                    array_position(indkey::int[], attnum::int) + 1 as place
               from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
                    left join pg_index on indrelid = pg_class.oid and indisprimary
              where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
};

const REFERENCES: Readonly<Record<Engine, string>> = {
  sqlite: `select tables.name as "table", keys."table" as target
             from sqlite_schema as tables join pragma_foreign_key_list(tables.name) as keys where tables.type = 'table'`,
  postgres: `select tables.relname as "table", targets.relname as target
               from pg_constraint join pg_class as tables on tables.oid = conrelid
                    join pg_class as targets on targets.oid = confrelid
              where contype = 'f' and tables.relnamespace = current_schema()::regnamespace`,
};

/** Our tables that the database has. Each comes after those to which its rows refer. */
export async function readCatalog(db: Reader, engine: Engine): Promise<TableShape[]> {
  const columns = Map.groupBy(await db.all<ColumnRow>(COLUMNS[engine]), ({ table }) => table);
  const references = await db.all<Reference>(REFERENCES[engine]);
  const tables = TABLES.flatMap((name) => {
    const rows = columns.get(name);
    return rows === undefined ? [] : [shapeOf(name, rows)];
  });
  return inOrder(tables, references);
}

function shapeOf(name: string, rows: readonly ColumnRow[]): TableShape {
  const key = rows.filter(({ place }) => place !== null && place > 0);
  return {
    name,
    columns: rows
      .map((row) => ({ name: row.name, type: row.type }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    key: key.toSorted((one, other) => Number(one.place) - Number(other.place)).map((row) => row.name),
  };
}

function inOrder(tables: readonly TableShape[], references: readonly Reference[]): TableShape[] {
  const ordered: TableShape[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const isReady = ({ name }: TableShape) =>
      references.every(({ table, target }) => table !== name || target === name || !waiting.has(target));
    const ready = left.filter(isReady);
    if (ready.length === 0) throw new Error('the tables refer to each other in a circle');
    ordered.push(...ready);
    left = left.filter((table) => !ready.includes(table));
  }
  return ordered;
}

const LAST_IDS: Readonly<Record<Engine, string>> = {
  sqlite: 'select name as "table", seq as "lastId" from sqlite_sequence order by name',
  postgres: `select tables.relname as "table", coalesce(pg_sequence_last_value(sequences.oid), 0) as "lastId"
               from pg_depend
                    join pg_class as sequences on sequences.oid = pg_depend.objid and sequences.relkind = 'S'
                    join pg_class as tables on tables.oid = pg_depend.refobjid
              where pg_depend.deptype = 'i' and tables.relnamespace = current_schema()::regnamespace
              order by tables.relname`,
};

/** The last id that each table has given out. A table is missing or has zero if it has given out none. */
export async function readLastIds(db: Reader, engine: Engine): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ table: string; lastId: number }>(LAST_IDS[engine]);
  return new Map(rows.map(({ table, lastId }) => [table, lastId]));
}
