import type { Driver, Writer } from '../src/storage/driver.ts';

/** The database of a process that dies at that statement, the first one being 1: its transaction is undone. */
export function dyingAt(inner: Driver, last: number): Driver {
  let count = 0;
  const lived = <Args extends [string, ...unknown[]], Result>(run: (...args: Args) => Promise<Result>) => {
    return async (...args: Args) => {
      if (++count >= last) throw new Error('the process is dead');
      return run(...args);
    };
  };
  const within = (tx: Writer): Writer => ({
    ...tx,
    all: lived((sql, params) => tx.all(sql, params)) as Writer['all'],
    run: lived((sql, params) => tx.run(sql, params)),
    repeat: lived((sql, sets) => tx.repeat(sql, sets)) as Writer['repeat'],
    send: lived((sql, sets) => tx.send(sql, sets)),
  });
  return {
    dialect: inner.dialect,
    all: lived((sql, params) => inner.all(sql, params)) as Driver['all'],
    transaction: (work, options) => inner.transaction((tx) => work(within(tx)), options),
    probe: () => inner.probe(),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
