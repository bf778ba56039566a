import type { Dialect } from '../dialect.ts';
import type { Reader } from '../driver.ts';

/** The base of the classes that hold the statements of one part of the database. `Db` is a `Writer` where they write. */
export class Statements<Db extends Reader> {
  protected readonly db: Db;
  protected readonly dialect: Dialect;

  constructor(db: Db, dialect: Dialect) {
    this.db = db;
    this.dialect = dialect;
  }
}
