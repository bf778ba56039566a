import {
  type Ailment,
  ailmentsOf,
  type Backlog,
  type Lateness,
  type Measurements,
} from '../domain/vitals.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import type { Deps } from './deps.ts';
import type { PingWriter } from './ping-writer.ts';
import type { Telemetry } from './telemetry.ts';

/** For how long a judgement holds: anybody may ask for it, as often as they like. */
const FRESH: Micros = seconds(1);
/** What has been due for less than this is being seen to. */
const MOMENT: Micros = seconds(1);

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

/** How a node is doing, for whoever watches the watcher. */
export class Vitals {
  readonly #deps: VitalsDeps;
  readonly #telemetry: Telemetry;
  readonly #parts: Parts;
  #last: { readonly ailments: readonly Ailment[]; readonly at: Micros } | null = null;
  #judging: Promise<readonly Ailment[]> | null = null;

  constructor(deps: VitalsDeps, telemetry: Telemetry, parts: Parts) {
    this.#deps = deps;
    this.#telemetry = telemetry;
    this.#parts = parts;
  }

  /** What is wrong with the node; nothing when it is ready: it serves, and alerts are in time. Never throws. */
  async ailments(): Promise<readonly Ailment[]> {
    if (this.#last !== null && this.#deps.clock.monotonic() - this.#last.at < FRESH) {
      return this.#last.ailments;
    }
    this.#judging ??= this.#judge().finally(() => {
      this.#judging = null;
    });
    return this.#judging;
  }

  async #judge(): Promise<readonly Ailment[]> {
    const lateness = await orNull(readLateness(this.#deps, this.#parts.busyChannels()));
    const ailments = this.#ailmentsWith(lateness);
    this.#last = { ailments, at: this.#deps.clock.monotonic() };
    return ailments;
  }

  #ailmentsWith(lateness: Lateness | null): Ailment[] {
    const [watchman, notifier] = ['watchman', 'notifier'].map((name) => this.#telemetry.silenceOf(name));
    return ailmentsOf({ lateness, silence: { watchman, notifier }, clockAhead: this.#parts.clockAhead() });
  }

  /** Everything that can be measured. Never throws: without its database a node still knows of itself. */
  async measure(): Promise<Measurements> {
    const { pings, batchSizes, commitSeconds, attempts, loops } = this.#telemetry;
    const parts = this.#parts;
    const [lateness, backlog] = await Promise.all([
      orNull(readLateness(this.#deps, parts.busyChannels())),
      orNull(readBacklog(this.#deps)),
    ]);
    return {
      version: parts.version,
      ailments: this.#ailmentsWith(lateness),
      pings: { ...pings, overloaded: parts.pings.refusedCount },
      batchSizes,
      commitSeconds,
      queueLength: parts.pings.waitingCount,
      attempts,
      loops,
      lateness,
      backlog,
      clockAhead: parts.clockAhead(),
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
    store.watch.blindSpanCount(),
  ]);
  return { openDeliveries, openMails, bodyMoves, blindSpans };
}

async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch(() => null);
}
