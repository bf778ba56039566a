import type { Value } from '../driver.ts';

/**
 * How a kind of record is spelled in its table: one line for each field, from which the lists of columns
 * in `select`, `insert` and `update` follow. What is asked of the table stays written out as SQL.
 */
export class Table<Field extends string> {
  readonly name: string;
  /** `id, project_id as "projectId", …`: rows arrive with the fields' own names. */
  readonly columns: string;
  /** `insert into … (…) values ($1, …)`, to be bound with `values`. */
  readonly insert: string;
  readonly #columnOf: Readonly<Record<Field, string>>;
  readonly #fields: readonly Field[];

  /** `id` is not among the columns: the database gives it. */
  constructor(name: string, columnOf: Readonly<Record<Field, string>>) {
    this.name = name;
    this.#columnOf = columnOf;
    // The keys are the record's own: the parameter's type says so.
    this.#fields = Object.keys(columnOf) as Field[];
    this.columns = ['id', ...this.#fields.map((field) => `${columnOf[field]} as "${field}"`)].join(', ');
    this.insert = `insert into ${name} (${this.#fields.map((field) => columnOf[field]).join(', ')})
      values (${this.#fields.map((_, index) => `$${index + 1}`).join(', ')})`;
  }

  values(record: Readonly<Record<Field, Value>>): Value[] {
    return this.#fields.map((field) => record[field]);
  }

  /** `name = $3, slug = $4, …` for these fields, numbered from `first`. */
  assignments(fields: readonly Field[], first: number): string {
    return fields.map((field, index) => `${this.#columnOf[field]} = $${first + index}`).join(', ');
  }
}

/** SQLite has no boolean type of its own and hands out 0 and 1. */
export type SqlBoolean = boolean | 0 | 1;

/** A row whose booleans are still as the engine hands them out. */
export type Stored<T> = { [K in keyof T]: T[K] extends boolean ? SqlBoolean : T[K] };
