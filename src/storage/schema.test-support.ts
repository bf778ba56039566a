import type { Driver, Reader } from './driver.ts';

/** The schema of a table, in words that both engines can be put into. */
export type Schema = Record<
  string,
  {
    columns: string[];
    primaryKey: string;
    indexes: string[];
    foreignKeys: string[];
    /** As PostgreSQL writes them. Empty for SQLite. */
    conditions: string[];
  }
>;

/** The schema of a database. */
export function schemaOf(driver: Pick<Driver, 'all' | 'dialect'>): Promise<Schema> {
  return driver.dialect.engine === 'sqlite' ? sqliteSchema(driver) : postgresSchema(driver);
}

async function sqliteSchema(db: Reader): Promise<Schema> {
  const tables = await db.all<{ name: string }>(
    `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`,
  );
  const schema: Schema = {};
  for (const { name } of tables) {
    const columns = await db.all<SqliteColumn>(
      `select name, type, "notnull" as "isRequired", dflt_value as "default", pk
         from pragma_table_info($1) order by cid`,
      [name],
    );
    schema[name] = {
      // A primary key takes no null, whether the engine's catalogue says so or not.
      columns: columns.map((column) =>
        describeColumn({ ...column, isRequired: column.isRequired === 1 || column.pk > 0 }),
      ),
      primaryKey: columns
        .filter((column) => column.pk > 0)
        .sort((a, b) => a.pk - b.pk)
        .map((column) => column.name)
        .join(', '),
      indexes: await sqliteIndexes(db, name),
      foreignKeys: await sqliteForeignKeys(db, name),
      conditions: [],
    };
  }
  return schema;
}

interface SqliteColumn {
  name: string;
  type: string;
  isRequired: 0 | 1;
  default: string | null;
  pk: number;
}

async function sqliteIndexes(db: Reader, table: string): Promise<string[]> {
  const rows = await db.all<{ name: string; unique: 0 | 1; origin: string; columns: string; sql: string }>(
    `select list.name, list."unique", list.origin, schema.sql,
            (select group_concat(name, ', ' order by seqno) from pragma_index_info(list.name)) as columns
       from pragma_index_list($1) as list left join sqlite_schema as schema on schema.name = list.name
      where list.origin <> 'pk'`,
    [table],
  );
  return rows
    .map((row) =>
      describeIndex({
        name: row.origin === 'c' ? row.name : null,
        isUnique: row.unique === 1,
        columns: row.columns,
        where: /\bwhere (.*)$/is.exec(row.sql ?? '')?.[1] ?? null,
      }),
    )
    .sort();
}

async function sqliteForeignKeys(db: Reader, table: string): Promise<string[]> {
  const rows = await db.all<ForeignKey>(
    `select "from" as "column", "table" as "target", "to" as "targetColumn", on_delete as "onDelete"
       from pragma_foreign_key_list($1)`,
    [table],
  );
  return rows.map(describeForeignKey).sort();
}

async function postgresSchema(db: Reader): Promise<Schema> {
  const tables = await db.all<{ name: string; oid: number }>(
    `select relname as name, oid from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname collate "C"`,
  );
  const schema: Schema = {};
  for (const { name, oid } of tables) {
    const columns = await db.all<{ name: string; type: string; isRequired: boolean; default: string | null }>(
      `select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as "isRequired",
              pg_get_expr(adbin, adrelid) as "default"
         from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attrelid = $1 and attnum > 0 and not attisdropped order by attnum`,
      [oid],
    );
    const indexes = await postgresIndexes(db, oid);
    schema[name] = {
      columns: columns.map(describeColumn),
      primaryKey: indexes.find((index) => index.isPrimary)?.columns ?? '',
      indexes: indexes
        .filter((index) => !index.isPrimary)
        .map(describeIndex)
        .sort(),
      foreignKeys: await postgresForeignKeys(db, oid),
      conditions: await postgresConditions(db, oid),
    };
  }
  return schema;
}

function postgresIndexes(db: Reader, table: number): Promise<(Index & { isPrimary: boolean })[]> {
  return db.all(
    `select case when conindid is null then index.relname end as name,
            indisunique as "isUnique", indisprimary as "isPrimary", pg_get_expr(indpred, indrelid) as where,
            (select string_agg(attname, ', ' order by place)
               from unnest(indkey) with ordinality as key (number, place)
               join pg_attribute on attrelid = indrelid and attnum = number) as columns
       from pg_index join pg_class as index on index.oid = indexrelid
       left join pg_constraint on conindid = indexrelid and contype in ('p', 'u')
      where indrelid = $1`,
    [table],
  );
}

async function postgresForeignKeys(db: Reader, table: number): Promise<string[]> {
  const rows = await db.all<ForeignKey>(
    `select own.attname as "column", confrelid::regclass::text as "target", other.attname as "targetColumn",
            case confdeltype when 'c' then 'CASCADE' when 'n' then 'SET NULL' when 'a' then 'NO ACTION'
              else confdeltype::text end as "onDelete"
       from pg_constraint
       join pg_attribute as own on own.attrelid = conrelid and own.attnum = conkey[1]
       join pg_attribute as other on other.attrelid = confrelid and other.attnum = confkey[1]
      where conrelid = $1 and contype = 'f'`,
    [table],
  );
  return rows.map(describeForeignKey).sort();
}

async function postgresConditions(db: Reader, table: number): Promise<string[]> {
  const rows = await db.all<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1 and contype = 'c'`,
    [table],
  );
  return rows.map(({ text }) => text).sort();
}

interface Index {
  /** Null for what a constraint made: the engines name those as they like. */
  name: string | null;
  isUnique: boolean;
  columns: string;
  where: string | null;
}

interface ForeignKey {
  column: string;
  target: string;
  targetColumn: string;
  onDelete: string;
}

/** SQLite has fewer types: it keeps booleans as integers and UUIDs as text. */
const FAMILIES: Record<string, string> = {
  bigint: 'integer',
  boolean: 'integer',
  uuid: 'text',
  bytea: 'blob',
};

const RANDOM_UUID = 'a random UUID';
const DEFAULTS: Record<string, string> = { true: '1', false: '0', 'gen_random_uuid()': RANDOM_UUID };

function describeColumn(column: {
  name: string;
  type: string;
  isRequired: boolean;
  default: string | null;
}): string {
  const type = column.type.toLowerCase();
  // SQLite has no function for it.
  const written = column.default?.includes('randomblob') === true ? RANDOM_UUID : column.default;
  const value = written?.replace(/::\w+$/, '') ?? null;
  return [
    column.name,
    FAMILIES[type] ?? type,
    column.isRequired ? 'not null' : 'null',
    ...(value === null ? [] : [`default ${DEFAULTS[value] ?? value}`]),
  ].join(' ');
}

function describeIndex({ name, isUnique, columns, where }: Index): string {
  // PostgreSQL writes it with all its brackets and casts.
  const condition = where === null ? '' : ` where ${where.replace(/[()]|::\w+/g, '').toLowerCase()}`;
  return `${name ?? '(constraint)'} ${isUnique ? 'unique ' : ''}(${columns})${condition}`;
}

function describeForeignKey({ column, target, targetColumn, onDelete }: ForeignKey): string {
  return `${column} → ${target}.${targetColumn}, on delete ${onDelete.toLowerCase()}`;
}
