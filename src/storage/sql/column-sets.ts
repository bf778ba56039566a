import type { Dialect } from '../dialect.ts';
import type { Scalar, Writer } from '../driver.ts';
import { type ForAll, sendForAll } from './table.ts';

/** A column, and the field of a record with its value. */
export interface Column<T> {
  readonly name: string;
  readonly type: string;
  readonly field: keyof T & string;
}

/** So many sets have a statement of their own. Clients choose what their pings have, and each statement takes memory. */
export const MAX_SETS = 100;

/** Some of the optional columns: a bit for each. */
export type ColumnSet = number;

interface Writing<T> {
  readonly sql: ForAll;
  readonly valuesOf: (record: T) => Scalar[];
}

/**
 * Writes only those columns that a row needs. Every column costs SQLite time, even one without a value or with its old value.
 * Each of the first `MAX_SETS` sets of columns that occur has a statement, and further ones write all columns. An engine that
 * writes all rows in one statement writes the columns that any of them needs.
 */
export class ColumnSets<T> {
  /** The columns that have a value. */
  readonly filled: (record: T) => ColumnSet;
  /** The columns that have another value. */
  readonly changed: (before: T, after: T) => ColumnSet;
  readonly #always: readonly Column<T>[];
  readonly #optional: readonly Column<T>[];
  readonly #statementOf: (columns: readonly Column<T>[]) => ForAll;
  readonly #writings = new Map<ColumnSet, Writing<T>>();

  /** There are at most 31 optional columns. */
  constructor(
    always: readonly Column<T>[],
    optional: readonly Column<T>[],
    statementOf: (columns: readonly Column<T>[]) => ForAll,
  ) {
    this.#always = always;
    this.#optional = optional;
    this.#statementOf = statementOf;
    const bits = (isLeftOut: (field: string) => string) =>
      optional.map(({ field }, place) => `(${isLeftOut(field)} ? 0 : ${1 << place})`).join(' | ');
    this.filled = generated(
      'record',
      bits((field) => `record.${field} == null`),
    );
    this.changed = generated(
      'before, after',
      bits((field) => `before.${field} === after.${field}`),
    );
  }

  async send(db: Writer, dialect: Dialect, records: ReadonlyMap<ColumnSet, readonly T[]>): Promise<void> {
    if (!dialect.hasArrays) {
      for (const [set, some] of records) await this.#send(db, dialect, set, some);
      return;
    }
    const union = [...records.keys()].reduce((one, other) => one | other, 0);
    await this.#send(db, dialect, union, [...records.values()].flat());
  }

  async #send(db: Writer, dialect: Dialect, set: ColumnSet, records: readonly T[]): Promise<void> {
    const { sql, valuesOf } = this.#writingOf(set);
    await sendForAll(db, dialect, sql, records.map(valuesOf));
  }

  #writingOf(set: ColumnSet): Writing<T> {
    const known = this.#writings.get(set);
    if (known !== undefined) return known;
    const all = 2 ** this.#optional.length - 1;
    if (this.#writings.size >= MAX_SETS && set !== all) return this.#writingOf(all);
    const columns = [...this.#always, ...this.#optional.filter((_, place) => (set & (1 << place)) !== 0)];
    const values = columns.map(({ field }) => `record.${field}`);
    const writing: Writing<T> = {
      sql: this.#statementOf(columns),
      valuesOf: generated('record', `[${values.join(', ')}]`),
    };
    this.#writings.set(set, writing);
    return writing;
  }
}

/**
 * A function that returns this expression. Looking up fields by their names would take several times as long. The names come
 * from our own declarations only.
 */
function generated<F>(parameters: string, expression: string): F {
  return new Function(parameters, `return ${expression};`) as F;
}
