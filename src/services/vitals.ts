import {
  type Ailment,
  ailmentsOf,
  type Backlog,
  type Lateness,
  type Measurements,
} from '../domain/vitals.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import { SharedAnswer, within } from '../lib/shared-answer.ts';
import type { Deps } from './deps.ts';
import type { PingWriter } from './ping-writer.ts';
import type { Telemetry } from './telemetry.ts';

/** For how long a judgement holds: anybody may ask for it, as often as they like. */
const FRESH: Micros = seconds(1);
/** What has been due for less than this is being seen to. */
const MOMENT: Micros = seconds(1);
/** A database that has not answered by then does not answer, whatever it is busy with. */
const PATIENCE_MS = 10_000;

/** What a node knows of its own parts. */
export interface Parts {
  readonly pings: Pick<PingWriter, 'waitingCount' | 'refusedCount'>;
  /** Channels whose destination is busy: what waits for them waits for somebody else. */
  busyChannels(): readonly number[];
  clockAhead(): Micros | null;
  eventLoopLagSeconds(): number;
  residentBytes(): number;
  readonly version: string;
}

type VitalsDeps = Pick<Deps, 'store' | 'clock'>;

/** What is wrong with a node, and how late alerts are. */
interface Judgement {
  readonly ailments: readonly Ailment[];
  /** Null when the database does not answer. */
  readonly lateness: Lateness | null;
}

/** How a node is doing, for whoever watches the watcher. */
export class Vitals {
  readonly #deps: VitalsDeps;
  readonly #telemetry: Telemetry;
  readonly #parts: Parts;
  readonly #probe: SharedAnswer<void>;
  readonly #judgement: SharedAnswer<Judgement>;

  constructor(deps: VitalsDeps, telemetry: Telemetry, parts: Parts) {
    this.#deps = deps;
    this.#telemetry = telemetry;
    this.#parts = parts;
    this.#probe = new SharedAnswer(() => deps.store.probe(), FRESH, deps.clock);
    this.#judgement = new SharedAnswer(() => this.#judge(), FRESH, deps.clock);
  }

  /** Resolves when the database can be read, throws when it cannot, or takes too long. */
  async probeDatabase(): Promise<void> {
    await within(PATIENCE_MS, this.#probe.get());
  }

  /** What is wrong with the node; nothing when it is ready: it serves, and alerts are in time. Never throws. */
  async ailments(): Promise<readonly Ailment[]> {
    return (await this.#judgement.get()).ailments;
  }

  async #judge(): Promise<Judgement> {
    const reading = readLateness(this.#deps, this.#parts.busyChannels());
    const [lateness] = (await orNull(Promise.all([within(PATIENCE_MS, reading), this.probeDatabase()]))) ?? [
      null,
    ];
    return { ailments: ailmentsOf({ lateness, ...this.#ownSigns() }), lateness };
  }

  /** What the node knows without its database. */
  #ownSigns() {
    const { sinceWrite, refusals, loops } = this.#telemetry;
    return { sinceWrite, refusals, loops, clockAhead: this.#parts.clockAhead() };
  }

  /** Everything that can be measured. Never throws: without its database a node still knows of itself. */
  async measure(): Promise<Measurements> {
    const { pings, batchSizes, commitSeconds, attempts } = this.#telemetry;
    const parts = this.#parts;
    const [judgement, backlog] = await Promise.all([
      this.#judgement.get(),
      orNull(within(PATIENCE_MS, readBacklog(this.#deps))),
    ]);
    return {
      version: parts.version,
      ...judgement,
      ...this.#ownSigns(),
      pings: { ...pings, overloaded: parts.pings.refusedCount },
      batchSizes,
      commitSeconds,
      queueLength: parts.pings.waitingCount,
      attempts,
      backlog,
      eventLoopLagSeconds: parts.eventLoopLagSeconds(),
      residentBytes: parts.residentBytes(),
    };
  }
}

/**
 * How late we are. The first entry of an index says most of the time that we are not; only when it does not is
 * looked for what is really due, past what waits for something else.
 */
async function readLateness(
  { store, clock }: VitalsDeps,
  busyChannels: readonly number[],
): Promise<Lateness> {
  const now = clock.now();
  const isDue = (at: Instant | null) => at !== null && now - at > MOMENT;
  const since = (at: Instant | null) => (at === null ? 0 : Math.max(0, now - at));
  const [alarmAt, attemptAt] = await Promise.all([
    store.checks.nextDeadlineAt(),
    store.deliveries.nextAttemptAt(),
  ]);
  return {
    deadline: isDue(alarmAt) ? since(await store.checks.oldestOverdueAt(now)) : 0,
    delivery: isDue(attemptAt) ? since(await store.deliveries.oldestDueAt(now, busyChannels)) : 0,
  };
}

async function readBacklog({ store }: VitalsDeps): Promise<Backlog> {
  const [openDeliveries, openMails, bodyMoves, blindSpans] = await Promise.all([
    store.deliveries.openCount(),
    store.mails.openCount(),
    store.bodies.moveCount(),
    store.liveness.blindSpanCount(),
  ]);
  return { openDeliveries, openMails, bodyMoves, blindSpans };
}

async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch(() => null);
}
