import type { Dialect } from '../dialect.ts';
import { type Scalar, StorageError, type Writer } from '../driver.ts';

/**
 * The columns of a kind of record: one line for each field, with the type of the column where many rows are inserted at once.
 * The lists of columns in `select`, `insert` and `update` follow from it. Queries are written out as SQL.
 */
export class Table<Field extends string> {
  /** `id, project_id as "projectId", …`: the rows have the names of the fields. */
  readonly columns: string;
  /** `insert into … (…) values ($1, …)`, bound with `values`. */
  readonly insert: string;
  readonly #name: string;
  readonly #columnOf: Readonly<Record<Field, string>>;
  readonly #types: readonly string[];
  readonly #copies: Readonly<Record<string, Field>>;
  readonly #fields: readonly Field[];

  /**
   * `id` is not among the columns: the database assigns it. `copies` are further columns that always receive the value
   * of a field.
   */
  constructor(
    name: string,
    columns: Readonly<Record<Field, string>>,
    copies: Readonly<Record<string, Field>> = {},
  ) {
    this.#name = name;
    this.#copies = copies;
    const entries = Object.entries<string>(columns).map(([field, text]) => [field, ...text.split(' ')]);
    this.#types = entries.map(([, , type = '']) => type);
    // The type of the parameter says that the keys are the fields of the record.
    this.#columnOf = Object.fromEntries(entries) as Record<Field, string>;
    this.#fields = Object.keys(columns) as Field[];
    this.columns = this.columnsOf(this.#fields);
    const assigned = this.#assigned(this.#fields, 1);
    this.insert = `insert into ${name} (${assigned.map(({ column }) => column).join(', ')})
      values (${assigned.map(({ parameter }) => parameter).join(', ')})`;
  }

  values(record: Readonly<Record<Field, Scalar>>): Scalar[] {
    return this.#fields.map((field) => record[field]);
  }

  /**
   * An insert for one row or for many; many rows need the types of the columns. `ending` follows in both cases:
   * `returning …`.
   */
  insertForAll(ending = ''): ForAll {
    const columns = this.#fields.map((field) => this.#columnOf[field]).join(', ');
    const copies = Object.entries(this.#copies);
    const given = ['*', ...copies.map(([, field]) => this.#columnOf[field])].join(', ');
    const rows = `${unnest(this.#types)}${copies.length === 0 ? '' : ` as new (${columns})`}`;
    return {
      one: `${this.insert} ${ending}`,
      many: `insert into ${this.#name} (${[columns, ...copies.map(([column]) => column)].join(', ')}) select ${given} from ${rows} ${ending}`,
    };
  }

  /** Adds a row and returns its id. */
  async add(db: Writer, record: Readonly<Record<Field, Scalar>>): Promise<number> {
    const rows = await db.all<{ id: number }>(`${this.insert} returning id`, this.values(record));
    return oneRow(rows).id;
  }

  columnsOf(fields: readonly Field[]): string {
    return ['id', ...fields.map((field) => `${this.#columnOf[field]} as "${field}"`)].join(', ');
  }

  column(field: Field): string {
    return this.#columnOf[field];
  }

  /** `name = $3, slug = $4, …` for these fields, numbered from `first`. */
  assignments(fields: readonly Field[], first: number): string {
    return this.#assigned(fields, first)
      .map(({ column, parameter }) => `${column} = ${parameter}`)
      .join(', ');
  }

  #assigned(fields: readonly Field[], first: number): { column: string; parameter: string }[] {
    const own = fields.map((field, index) => ({
      column: this.#columnOf[field],
      parameter: `$${first + index}`,
    }));
    const copies = Object.entries(this.#copies).map(([column, field]) => ({
      column,
      parameter: own[fields.indexOf(field)]?.parameter ?? '',
    }));
    return [...own, ...copies.filter(({ parameter }) => parameter !== '')];
  }
}

/** The row of a statement that always returns one, such as an insert or a total. */
export function oneRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw missingRow();
  return row;
}

function missingRow(): StorageError {
  return new StorageError('fault', 'the database returned no row for what it was to insert or to count');
}

/** One statement in two forms: for a single row, and for arrays with the values of each column. */
export interface ForAll {
  readonly one: string;
  readonly many: string;
}

/**
 * Writes many rows and returns the rows of the statement. If the engine has arrays, it runs one statement. Otherwise it
 * repeats a prepared statement, which costs little on SQLite.
 */
export async function runForAll<Row>(
  db: Writer,
  dialect: Dialect,
  statements: ForAll,
  rows: readonly (readonly Scalar[])[],
): Promise<Row[]> {
  const [first] = rows;
  if (first === undefined) return [];
  if (!dialect.hasArrays) return db.repeat<Row>(statements.one, rows);
  return rows.length === 1 ? db.all(statements.one, first) : db.all(statements.many, columnsOf(first, rows));
}

/** Like `runForAll`, for inserts that return each new row. */
export async function insertForAll<Row>(
  db: Writer,
  dialect: Dialect,
  statements: ForAll,
  rows: readonly (readonly Scalar[])[],
): Promise<Row[]> {
  const inserted = await runForAll<Row>(db, dialect, statements, rows);
  if (inserted.length < rows.length) throw missingRow();
  return inserted;
}

/** Like `runForAll`, for statements that return no rows. */
export async function sendForAll(
  db: Writer,
  dialect: Dialect,
  statements: ForAll,
  rows: readonly (readonly Scalar[])[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  if (dialect.hasArrays && rows.length > 1) await db.send(statements.many, [columnsOf(first, rows)]);
  else await db.send(statements.one, rows);
}

function columnsOf(first: readonly Scalar[], rows: readonly (readonly Scalar[])[]): Scalar[][] {
  return first.map((_, column) => rows.map((row) => row[column] ?? null));
}

/** `unnest($1::bigint[], $2::text[], …)` */
export function unnest(types: readonly string[]): string {
  return `unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`;
}

/** SQLite has no boolean type and returns 0 and 1. */
export type SqlBoolean = boolean | 0 | 1;

/** A row whose booleans are still as the engine returns them. */
export type Stored<T> = { [K in keyof T]: T[K] extends boolean ? SqlBoolean : T[K] };
