import type { Micros } from '../../src/lib/instant.ts';
import {
  type Driver,
  readAnyRow,
  storageUnavailable,
  type TransactionOptions,
  type Value,
  type Writer,
} from '../../src/storage/driver.ts';
import { type Life, NodeDied } from './life.ts';
import type { Timeline } from './timeline.ts';

/** The fate of a statement or a commit. */
export type Mishap = 'none' | 'fails' | 'node dies';

/** The state of the database for one node: asked each time. */
export interface StoreWeather {
  isAway(): boolean;
  latency(): Micros;
  ofStatement(): Mishap;
  /** After the commit, before the node learns of it. */
  ofCommit(): Mishap;
}

/**
 * A node's way to the common database, which is real: statements take time, fail, or are the last thing that the
 * node did. A transaction that is cut off is rolled back, as the database would.
 */
export class FaultyDriver implements Driver {
  readonly dialect;
  readonly #inner: Driver;
  readonly #life: Life;
  readonly #timeline: Timeline;
  readonly #weather: StoreWeather;
  readonly #die: () => void;

  constructor(inner: Driver, life: Life, timeline: Timeline, weather: StoreWeather, die: () => void) {
    this.dialect = inner.dialect;
    this.#inner = inner;
    this.#life = life;
    this.#timeline = timeline;
    this.#weather = weather;
    this.#die = die;
  }

  all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#life.lived(
      this.#reach().then(() => {
        this.#suffer(this.#weather.ofStatement());
        return this.#inner.all<Row>(sql, params);
      }),
    );
  }

  probe(): Promise<void> {
    return readAnyRow(this);
  }

  transaction<T>(work: (tx: Writer) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#life.lived(this.#transact(work, options));
  }

  async #transact<T>(work: (tx: Writer) => Promise<T>, options?: TransactionOptions): Promise<T> {
    await this.#reach();
    const result = await this.#inner.transaction(
      (tx) => this.#life.untilDeath(work(this.#faulty(tx))),
      options,
    );
    this.#suffer(this.#weather.ofCommit());
    return result;
  }

  #faulty(tx: Writer): Writer {
    const suffering = <T>(statement: () => Promise<T>): Promise<T> => {
      this.#timeline.noteActivity();
      this.#suffer(this.#weather.ofStatement());
      return statement();
    };
    return {
      revision: tx.revision,
      all: async (sql, params) => suffering(() => tx.all(sql, params)),
      run: async (sql, params) => suffering(() => tx.run(sql, params)),
      repeat: async (sql, sets) => suffering(() => tx.repeat(sql, sets)),
      send: async (sql, sets) => suffering(() => tx.send(sql, sets)),
      script: async (sql) => suffering(() => tx.script(sql)),
    };
  }

  async #reach(): Promise<void> {
    const latency = this.#weather.latency();
    if (latency > 0) await this.#timeline.sleep(latency);
    this.#timeline.noteActivity();
    if (this.#life.isOver) throw new NodeDied();
  }

  #suffer(mishap: Mishap): void {
    if (mishap === 'node dies') this.#die();
    if (this.#life.isOver) throw new NodeDied();
    if (mishap === 'fails' || this.#weather.isAway())
      throw storageUnavailable('the simulated database is away');
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
