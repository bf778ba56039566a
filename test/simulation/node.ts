import type { Logger } from 'pino';
import { Watchman } from '../../src/alerts/watchman.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { IncomingPing, PingOutcome } from '../../src/domain/incoming-ping.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Loop, type Tick } from '../../src/lib/loop.ts';
import { createVault } from '../../src/lib/vault.ts';
import { createCarrier, type Ways } from '../../src/notifier/carrier.ts';
import { Notifier } from '../../src/notifier/notifier.ts';
import { releaseAllClaims } from '../../src/services/deliveries.ts';
import type { Deps } from '../../src/services/deps.ts';
import { ingestPings } from '../../src/services/ingest.ts';
import { PingWriter } from '../../src/services/ping-writer.ts';
import { pruneNext } from '../../src/services/pruning.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import type { Chance } from './chance.ts';
import { FaultyDriver, type StoreWeather } from './faulty-driver.ts';
import { Life } from './life.ts';
import type { Timeline } from './timeline.ts';

const REST_MS = 1_000;
const HOUSEKEEPING_REST_MS = 5_000;
const SITE = {
  name: 'Tocsin',
  root: 'http://testserver',
  pingEndpoint: 'http://testserver/ping/',
  masterBadgeLabel: 'Tocsin',
};
const SEATS = { seats: 64, seatsPerDestination: 4 };

export interface NodeOptions {
  readonly name: string;
  /** Whether no other node ever works on the same database, as with SQLite. */
  readonly isOnly: boolean;
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly driver: Driver;
  readonly clock: Clock;
  readonly log: Logger;
  weather(die: () => void): StoreWeather;
  ways(life: Life): Ways;
  /** Told when the node dies in the middle of something. */
  readonly onDeath: () => void;
  /** Told of failures that no fault of the world explains. */
  readonly onBug: (error: unknown) => void;
}

function isPassing(error: unknown): boolean {
  return error instanceof AppError && error.code === 'storage_unavailable';
}

/** The real services and loops of one process, as `main` starts them, from a start to a crash or a stop. */
export class SimulatedNode {
  readonly life: Life;
  readonly deps: Deps;
  readonly #options: NodeOptions;
  readonly #watchman: Watchman;
  readonly #pings: PingWriter;
  readonly #notifier: Notifier;
  #loops: Loop[] = [];
  #sending: Loop | undefined;
  #isServing = false;

  constructor(options: NodeOptions) {
    const { timeline, driver, chance, clock, log } = options;
    this.#options = options;
    this.life = new Life(timeline);
    const die = () => this.crash();
    const store = createSqlStore(new FaultyDriver(driver, this.life, timeline, options.weather(die), die));
    const vault = createVault('a secret for simulations only', chance);
    const defaultLimits = { checks: 1_000_000, pings: 1_000_000 };
    this.deps = {
      store,
      clock,
      random: { bytes: (count) => chance.bytes(count), uuid: () => chance.uuid() },
      vault,
      objects: null,
      defaultLimits,
    };
    this.#watchman = new Watchman(this.deps, log);
    this.#pings = new PingWriter(async (batch) => {
      await this.#watchman.beforePings();
      return ingestPings(this.deps, batch);
    });
    const carrier = createCarrier(options.ways(this.life));
    this.#notifier = new Notifier(this.deps, carrier, {
      site: SITE,
      log,
      ...SEATS,
      onFree: () => this.#sending?.wake(),
    });
  }

  get name(): string {
    return this.#options.name;
  }

  /** Whether it takes requests, sooner or later. */
  get isOpen(): boolean {
    return this.#isServing && !this.life.isOver;
  }

  /** Whether it takes requests and watches deadlines. */
  get isServing(): boolean {
    return this.isOpen && !this.life.isHeldUp;
  }

  /** Opens the doors, or dies trying. */
  async start(): Promise<void> {
    if (this.#options.isOnly) await this.#insist(() => releaseAllClaims(this.deps));
    this.#loop(() => this.#notifier.keepClaims());
    this.#sending = this.#loop(() => this.#notifier.tick());
    await this.#insist(() => this.#watchman.keepWatch());
    this.#loop(async () => {
      const found = await this.#watchman.tick();
      if (found === true) this.#sending?.wake();
      return found;
    });
    this.#loop(() => pruneNext(this.deps), HOUSEKEEPING_REST_MS);
    this.#isServing = true;
  }

  /** A node that is held up takes it later. */
  async receive(ping: IncomingPing): Promise<PingOutcome> {
    await this.life.awake();
    return this.life.lived(this.#pings.record(ping));
  }

  /** As kill -9: nothing is finished and nobody is told. */
  crash(): void {
    if (this.life.isOver) return;
    this.life.end();
    this.#options.onDeath();
  }

  /** As SIGTERM: the doors are closed, what is under way is finished. */
  async stop(): Promise<void> {
    this.#isServing = false;
    await this.#pings[Symbol.asyncDispose]();
    await Promise.all(this.#loops.map((loop) => loop[Symbol.asyncDispose]()));
    await this.#notifier[Symbol.asyncDispose]();
    this.life.end();
  }

  #loop(tick: Tick, restMs = REST_MS): Loop {
    const loop = new Loop(tick, {
      restMs,
      onError: (error) => {
        if (!isPassing(error)) this.#options.onBug(error);
      },
      rest: (ms, signal) => this.life.rest(ms, signal),
    });
    this.#loops.push(loop);
    return loop;
  }

  /** A database that is away at the start comes back. */
  async #insist(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await work();
        return;
      } catch {
        await this.life.rest(REST_MS, new AbortController().signal);
      }
    }
  }
}
