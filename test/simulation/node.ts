import pino from 'pino';
import { type AlertingOptions, startAlerting } from '../../src/alerting.ts';
import { DeadlineLoop } from '../../src/alerts/deadline-loop.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { IncomingPing, PingOutcome } from '../../src/domain/incoming-ping.ts';
import { SERVER } from '../../src/integrations/alert-event.test-support.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { createVault } from '../../src/lib/vault.ts';
import { WatchedClock } from '../../src/lib/watched-clock.ts';
import { Loops } from '../../src/loops.ts';
import type { Deps } from '../../src/services/deps.ts';
import { ingestPings } from '../../src/services/ingest.ts';
import { PingWriter } from '../../src/services/ping-writer.ts';
import { Pruner } from '../../src/services/pruning.ts';
import { Telemetry } from '../../src/services/telemetry.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import type { Chance } from './chance.ts';
import { FaultyDriver, type StoreWeather } from './faulty-driver.ts';
import { Life } from './life.ts';
import type { Timeline } from './timeline.ts';

const RETRY: Micros = seconds(1);
const HOUSEKEEPING_REST_MS = 5_000;
const SITE = {
  name: 'Tocsin',
  root: 'http://testserver',
  pingEndpoint: 'http://testserver/ping/',
  masterBadgeLabel: 'Tocsin',
  hasDashboard: true,
};

export interface NodeOptions {
  readonly name: string;
  /** Whether no other node ever works on the same database, as with SQLite. */
  readonly isOnly: boolean;
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly driver: Driver;
  /** Of its machine. */
  readonly clock: Clock;
  /** What time the common database has; null where it has no clock of its own. */
  readonly databaseTime: (() => Instant) | null;
  weather(die: () => void): StoreWeather;
  ways(life: Life): Pick<AlertingOptions, 'http' | 'mail'>;
  /** Told when the node dies in the middle of something. */
  readonly onDeath: () => void;
  /** Told of failures that no fault of the world explains. */
  readonly onBug: (error: unknown) => void;
}

/** The real services and loops of one process, as `main` starts them, from a start to a crash or a stop. */
export class SimulatedNode {
  readonly life: Life;
  readonly deps: Deps;
  readonly #options: NodeOptions;
  readonly #clock: WatchedClock;
  readonly #deadlineLoop: DeadlineLoop;
  readonly #pings: PingWriter;
  readonly #telemetry: Telemetry;
  /** What would be logged as an error is a bug, unless the world explains it. */
  readonly #log = pino({
    level: 'error',
    hooks: { logMethod: ([entry]: unknown[]) => this.#complain(errorOf(entry)) },
  });
  #parts = new AsyncDisposableStack();
  #isServing = false;

  constructor(options: NodeOptions) {
    const { timeline, driver, chance, clock, databaseTime } = options;
    this.#options = options;
    this.life = new Life(timeline);
    const die = () => this.crash();
    const store = createSqlStore(new FaultyDriver(driver, this.life, timeline, options.weather(die), die));
    this.#clock = new WatchedClock(clock, async () => {
      if (databaseTime === null) return null;
      await store.probe();
      return databaseTime();
    });
    const random = { bytes: (count: number) => chance.bytes(count), uuid: () => chance.uuid() };
    const vault = createVault('a secret for simulations only', random);
    const defaultLimits = { checks: 1_000_000, pings: 1_000_000 };
    this.deps = { store, clock: this.#clock, random, vault, objects: null, defaultLimits };
    this.#deadlineLoop = new DeadlineLoop(this.deps, this.#log, this.#clock);
    this.#telemetry = new Telemetry(this.#clock);
    this.#pings = new PingWriter(async (batch) => {
      await this.#deadlineLoop.beforePings();
      return ingestPings(this.deps, batch);
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

  /** Opens the doors, or dies trying. A database that is away at the start comes back. */
  async start(): Promise<void> {
    for (;;) {
      try {
        await this.#open();
        this.#isServing = true;
        return;
      } catch (error) {
        this.#complain(error);
        await this.#parts.disposeAsync();
        await this.life.lived(this.#options.timeline.sleep(RETRY));
      }
    }
  }

  async #open(): Promise<void> {
    const started = new AsyncDisposableStack();
    this.#parts = started;
    await this.#clock.look();
    const rest = (ms: number, signal: AbortSignal) => this.life.rest(ms, signal);
    const loops = new Loops(started, this.#telemetry, this.#log, rest);
    const pruner = new Pruner(this.deps, 10);
    loops.start('housekeeping', 'housekeeping.failed', HOUSEKEEPING_REST_MS, () => pruner.tick());
    const { isOnly, ways } = this.#options;
    const options = {
      site: SITE,
      isOnlyNode: isOnly,
      server: SERVER,
      returnTemplate: null,
      ...ways(this.life),
    };
    await startAlerting(this.deps, options, this.#deadlineLoop, loops, started);
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
    await this.#parts.disposeAsync();
    this.life.end();
  }

  #complain(error: unknown): void {
    const isPassing = error instanceof AppError && error.code === 'storage_unavailable';
    if (error !== undefined && !isPassing) this.#options.onBug(error);
  }
}

function errorOf(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'err' in entry ? entry.err : undefined;
}
