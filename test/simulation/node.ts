import pino from 'pino';
import { AppError } from '../../src/domain/errors.ts';
import type { IncomingPing, PingOutcome } from '../../src/domain/ping/incoming-ping.ts';
import type { Chance } from '../../src/lib/chance.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import type { Random } from '../../src/lib/random.ts';
import type { Timers } from '../../src/lib/timers.ts';
import { createVault } from '../../src/lib/vault.ts';
import { buildNode, type Node, type NodeDatabase, type NodeParts } from '../../src/node/node.ts';
import { startLoops, startWatching } from '../../src/node/start-loops.ts';
import { performCommands } from '../../src/services/check/check-commands.ts';
import type { CheckWriter } from '../../src/services/check/check-writer.ts';
import type { CheckDeps } from '../../src/services/check/checks.ts';
import type { Deps } from '../../src/services/core/deps.ts';
import { type IngestDeps, ingestPings } from '../../src/services/ping/ingest.ts';
import type { Ingest } from '../../src/services/ping/ping-writer.ts';
import { Pruner, type PruningDeps } from '../../src/services/ping/pruning.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { testParts } from '../node-parts.ts';
import { FaultyDriver, type StoreWeather } from './faulty-driver.ts';
import { Life } from './life.ts';
import { SECRET } from './population.ts';
import type { Timeline } from './timeline.ts';

const RETRY: Micros = seconds(1);
/** Connections of a node to a database server, as many as by default. */
const POOL_SIZE = 10;
const LIMITS = { checks: 1_000_000, pings: 1_000_000 };

export interface NodeOptions {
  readonly name: string;
  /** Whether no other node ever works on the same database, as with SQLite. */
  readonly isOnly: boolean;
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly driver: Driver;
  /** Failures and warnings are kept for so many days after their pings. */
  readonly keptDays: number;
  /** The clock of its machine. */
  readonly clock: Clock;
  /** The time of the common database; null if it has no clock of its own. */
  readonly databaseTime: (() => Instant) | null;
  weather(die: () => void): StoreWeather;
  transports(life: Life): NodeParts['transports'];
  /** Told when the node begins to take requests. */
  readonly onServing: () => void;
  /** Told when the node dies in the middle of something. */
  readonly onDeath: () => void;
  /** Told of failures that no fault of the world explains. */
  readonly onBug: (error: unknown) => void;
}

/** One process of the program, wired as the program wires it, from a start to a crash or a stop. */
export class SimulatedNode {
  readonly life: Life;
  readonly #options: NodeOptions;
  readonly #parts: NodeParts;
  /** Requests that are being answered. */
  readonly #receiving = new Set<Promise<unknown>>();
  /** From the start to the stop. */
  #node: Node | null = null;
  #watching: AsyncDisposable | null = null;
  #isServing = false;

  constructor(options: NodeOptions) {
    const { timeline, chance, clock } = options;
    this.#options = options;
    this.life = new Life(timeline);
    const random = { bytes: (count: number) => chance.bytes(count), uuid: () => chance.uuid() };
    const parts = testParts(this.#database(random), clock, {
      timers: timersOf(this.life, timeline),
      random,
      vault: createVault(SECRET, random),
      transports: options.transports(this.life),
      // An error in the log is a bug, unless the world explains it.
      log: pino({
        level: 'error',
        hooks: { logMethod: ([entry]: unknown[]) => this.#complain(errorOf(entry)) },
      }),
    });
    const settings = { ...parts.settings, limits: LIMITS, keepFailuresDays: options.keptDays };
    this.#parts = { ...parts, settings };
  }

  #database(random: Random): NodeDatabase {
    const { driver, timeline, weather, databaseTime, isOnly, clock, keptDays } = this.#options;
    const die = () => this.crash();
    const open = () => createSqlStore(new FaultyDriver(driver, this.life, timeline, weather(die), die));
    const store = open();
    return {
      store,
      async readTime() {
        if (databaseTime === null) return null;
        await store.probe();
        return databaseTime();
      },
      isShared: !isOnly,
      poolSize: isOnly ? 1 : POOL_SIZE,
      openExchange: null,
      startReads: null,
      writer: isOnly
        ? writerOf({ store: open(), clock, random, objects: null, defaultLimits: LIMITS }, keptDays)
        : null,
    };
  }

  get name(): string {
    return this.#options.name;
  }

  /** Whether it takes requests, sooner or later. */
  get isOpen(): boolean {
    return this.#isServing && !this.life.isOver;
  }

  /** Whether it takes requests at once. */
  get isServing(): boolean {
    return this.isOpen && !this.life.isHeldUp;
  }

  /** Throws unless the node has been started. */
  get checkWriter(): CheckWriter {
    return this.#started.checkWriter;
  }

  /** Throws unless the node has been started. */
  get deps(): Deps {
    return this.#started.deps;
  }

  get #started(): Node {
    if (this.#node === null) throw new Error(`${this.name} has not started yet`);
    return this.#node;
  }

  /** Takes requests from then on, or dies trying. A database that is away at the start comes back. */
  async start(): Promise<void> {
    for (;;) {
      try {
        this.#node = await buildNode(this.#parts);
        await startLoops(this.#node);
        this.#isServing = true;
        this.#options.onServing();
        this.#watching = startWatching(this.#node);
        return;
      } catch (error) {
        this.#complain(error);
        await this.#node?.[Symbol.asyncDispose]();
        await this.life.lived(this.#options.timeline.sleep(RETRY));
      }
    }
  }

  /** A node that is held up takes it later. */
  async receive(ping: IncomingPing): Promise<PingOutcome> {
    await this.life.awake();
    const answer = this.#started.pings.record(ping);
    this.#receiving.add(answer);
    void answer.catch(() => undefined).then(() => this.#receiving.delete(answer));
    return this.life.lived(answer);
  }

  /** Like kill -9: nothing is finished and nobody is told. */
  crash(): void {
    if (this.life.isOver) return;
    this.life.end();
    this.#options.onDeath();
  }

  /** Like SIGTERM: no new requests are taken, and work under way is finished. */
  async stop(): Promise<void> {
    await this.#watching?.[Symbol.asyncDispose]();
    this.#isServing = false;
    await Promise.allSettled(this.#receiving);
    await this.#node?.[Symbol.asyncDispose]();
    this.life.end();
  }

  #complain(error: unknown): void {
    const isPassing = error instanceof AppError && error.code === 'storage_unavailable';
    if (error !== undefined && !isPassing) this.#options.onBug(error);
  }
}

function timersOf(life: Life, timeline: Timeline): Timers {
  return {
    rest: (ms, signal) => life.rest(ms, signal),
    callAfter(ms, callback) {
      let isCancelled = false;
      void life.lived(timeline.sleep(ms * 1000)).then(() => {
        if (!isCancelled) callback();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
}

/** Does what the writer thread does: batches are written one after the other, in the order in which they are given. */
function writerOf(
  deps: IngestDeps & CheckDeps & PruningDeps,
  keptDays: number,
): NonNullable<NodeDatabase['writer']> {
  const pruner = new Pruner(deps, 20, keptDays);
  let last: Promise<unknown> = Promise.resolve();
  const ingest: Ingest = (batch) => {
    const written = last.then(() => ingestPings(deps, batch));
    last = written.catch(() => undefined);
    return written;
  };
  return {
    ingest,
    perform: (batch) => performCommands(deps, batch),
    prune: () => pruner.tick(),
    requireCheckpoints: () => undefined,
  };
}

function errorOf(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'err' in entry ? entry.err : undefined;
}
