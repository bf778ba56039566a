import type { Dialect } from '../dialect.ts';
import type { Reader, Value } from '../driver.ts';

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
}
