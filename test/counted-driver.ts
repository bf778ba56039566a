import type { Driver, Value } from '../src/storage/driver.ts';

interface Statements {
  count: number;
  /** Their texts. */
  sql: string[];
  /** Rows that were read. */
  rows: number;
}

/** The database, with a count of the calls that run statements on it. */
export function counted(inner: Driver): { driver: Driver; statements: Statements } {
  const statements: Statements = { count: 0, sql: [], rows: 0 };
  const counting = <Args extends [string, ...unknown[]], Result>(run: (...args: Args) => Result) => {
    return (...args: Args) => {
      statements.count++;
      statements.sql.push(args[0]);
      return run(...args);
    };
  };
  const reading = (all: Driver['all']) =>
    counting(async (sql: string, params?: readonly Value[]) => {
      const rows = await all(sql, params);
      statements.rows += rows.length;
      return rows;
    }) as Driver['all'];
  const driver: Driver = {
    dialect: inner.dialect,
    all: reading((sql, params) => inner.all(sql, params)),
    transaction: (work, options) =>
      inner.transaction(
        (tx) =>
          work({
            ...tx,
            all: reading((sql, params) => tx.all(sql, params)),
            run: counting((sql, params) => tx.run(sql, params)),
            repeat: counting((sql, sets) => tx.repeat(sql, sets)) as typeof tx.repeat,
            send: counting((sql, sets) => tx.send(sql, sets)),
          }),
        options,
      ),
    probe: () => inner.probe(),
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { driver, statements };
}
