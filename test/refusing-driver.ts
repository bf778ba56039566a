import { type Driver, storageUnavailable, type Writer } from '../src/storage/driver.ts';

/** A database that can be read and, as long as a test says so, not written: its disk is full, or it is a standby. */
export class RefusingDriver implements Driver {
  readonly dialect;
  isRefusing = false;
  readonly #inner: Driver;

  constructor(inner: Driver) {
    this.dialect = inner.dialect;
    this.#inner = inner;
  }

  all<Row>(sql: string, params: Parameters<Driver['all']>[1] = []): Promise<Row[]> {
    return this.#inner.all<Row>(sql, params);
  }

  probe(): Promise<void> {
    return this.#inner.probe();
  }

  transaction<T>(work: (tx: Writer) => Promise<T>): Promise<T> {
    return this.#inner.transaction((tx) => work(this.#refusing(tx)));
  }

  #refusing(tx: Writer): Writer {
    const admit = async (sql: string) => {
      if (this.isRefusing && !/^\s*select\b/.test(sql)) throw storageUnavailable('the disk is full');
    };
    return {
      revision: tx.revision,
      all: (sql, params) => admit(sql).then(() => tx.all(sql, params)),
      run: (sql, params) => admit(sql).then(() => tx.run(sql, params)),
      repeat: (sql, sets) => admit(sql).then(() => tx.repeat(sql, sets)),
      send: (sql, sets) => admit(sql).then(() => tx.send(sql, sets)),
      script: (sql) => admit(sql).then(() => tx.script(sql)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
