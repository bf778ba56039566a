import type { Dialect } from '../dialect.ts';
import type { Reader, Value, Writer } from '../driver.ts';
import { oneRow } from './table.ts';

/** The base of the classes that hold the statements of one part of the database. `Db` is a `Writer` where they write. */
export class Statements<Db extends Reader> {
  protected readonly db: Db;
  protected readonly dialect: Dialect;

  constructor(db: Db, dialect: Dialect) {
    this.db = db;
    this.dialect = dialect;
  }

  /** The first row of the statement. Null if there is none. */
  protected async first<Row>(sql: string, params?: readonly Value[]): Promise<Row | null> {
    const [row] = await this.db.all<Row>(sql, params);
    return row ?? null;
  }

  /** Whether the statement finds any row. */
  protected async hasRow(sql: string, params?: readonly Value[]): Promise<boolean> {
    return (await this.db.all(sql, params)).length > 0;
  }

  /** The column `count` of the only row. */
  protected async counted(sql: string, params?: readonly Value[]): Promise<number> {
    return oneRow(await this.db.all<{ count: number }>(sql, params)).count;
  }

  /** Whether the statement changed its row: it may be gone, or have changed meanwhile. */
  protected async changesOne(
    this: Statements<Writer>,
    sql: string,
    params: readonly Value[],
  ): Promise<boolean> {
    return (await this.db.run(sql, params)) === 1;
  }

  /** Deletes these rows of the table. Returns their number. */
  protected async deleteRows(
    this: Statements<Writer>,
    table: string,
    rows: readonly { readonly id: number }[],
  ): Promise<number> {
    if (rows.length === 0) return 0;
    const ids = this.dialect.list(rows.map(({ id }) => id));
    return this.db.run(`delete from ${table} where id ${this.dialect.inList('$1')}`, [ids]);
  }
}
