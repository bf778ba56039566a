import type { Driver } from '../src/storage/driver.ts';

interface Statements {
  count: number;
  /** Their texts. */
  sql: string[];
}

/** The database, with a count of the calls that run statements on it. */
export function counted(inner: Driver): { driver: Driver; statements: Statements } {
  const statements: Statements = { count: 0, sql: [] };
  const counting = <Args extends [string, ...unknown[]], Result>(run: (...args: Args) => Result) => {
    return (...args: Args) => {
      statements.count++;
      statements.sql.push(args[0]);
      return run(...args);
    };
  };
  const driver: Driver = {
    dialect: inner.dialect,
    all: counting((sql, params) => inner.all(sql, params)) as Driver['all'],
    transaction: (work, options) =>
      inner.transaction(
        (tx) =>
          work({
            ...tx,
            all: counting((sql, params) => tx.all(sql, params)) as Driver['all'],
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
