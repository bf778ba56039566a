import { AppError } from '../../domain/errors.ts';
import { isFailure, type PingOutcome } from '../../domain/ping/incoming-ping.ts';
import {
  type LoopName,
  type LoopTally,
  MAX_TICK,
  REFUSALS_REMEMBERED,
  type Refusals,
} from '../../domain/vitals.ts';
import type { Clock } from '../../lib/clock.ts';
import { Histogram } from '../../lib/histogram.ts';
import { MICROS_PER_SECOND, type Micros } from '../../lib/instant.ts';
import type { Tick } from '../../lib/loop.ts';
import type { Ingest } from '../ping/ping-writer.ts';

export interface LoopSpans {
  /** The loop's rest when there is nothing to do. */
  readonly restMs: number;
  /** The longest time for one tick; MAX_TICK when absent. */
  readonly maxTickMs?: number;
}

interface Loop {
  ticks: number;
  failures: number;
  /** When a tick last succeeded, or else when the loop was started. On the monotonic clock. */
  succeededAt: Micros;
  bound: Micros;
}

/**
 * The counters of a node. They are plain numbers, updated once for each batch, so that they cost pings next to nothing.
 */
export class Telemetry {
  readonly pings = {
    recorded: 0,
    created: 0,
    not_found: 0,
    ambiguous: 0,
    invalid: 0,
    /** Pings whose check could not be evaluated. */
    failed: 0,
    /** Pings whose batch the database did not accept. */
    unavailable: 0,
  };
  readonly batchSizes = new Histogram([1, 10, 100, 1_000]);
  readonly commitSeconds = new Histogram([0.001, 0.005, 0.025, 0.1, 0.5, 2.5]);
  /** From the request of a ping to its answer. */
  readonly pingSeconds = new Histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]);
  /** From a change of status to the first attempt to tell it, in seconds. */
  readonly alertDelays = new Histogram([0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600]);
  readonly attempts = { delivered: 0, failed: 0 };
  readonly #loops = new Map<LoopName, Loop>();
  readonly #clock: Clock;
  /**
   * On the monotonic clock, as the two times below. It begins at the start of the node, which gives the node time for
   * its first write.
   */
  #wroteAt: Micros;
  #refusals: { readonly firstAt: Micros; readonly lastAt: Micros } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wroteAt = clock.monotonic();
  }

  /** Returns the same function with counters. */
  countPings(ingest: Ingest): Ingest {
    return async (batch) => {
      const startedAt = this.#clock.monotonic();
      try {
        const outcomes = await ingest(batch);
        const before = this.pings.recorded + this.pings.created;
        for (const outcome of outcomes) {
          const kind = kindOf(outcome);
          if (kind !== null) this.pings[kind]++;
        }
        // A batch with only wrong addresses is answered without a write.
        if (this.pings.recorded + this.pings.created > before) this.noteWrite();
        // When only some pings of a batch fail, the cause is in those pings. When all fail, the cause is this node or
        // its database.
        if (outcomes.every(isFailure)) this.#noteRefusal();
        else this.#refusals = null;
        return outcomes;
      } catch (error) {
        this.pings.unavailable += batch.length;
        this.#noteRefusal();
        throw error;
      } finally {
        this.batchSizes.add(batch.length);
        this.commitSeconds.add((this.#clock.monotonic() - startedAt) / MICROS_PER_SECOND);
      }
    };
  }

  #noteRefusal(): void {
    const now = this.#clock.monotonic();
    const { refusals } = this;
    const isFirst = refusals === null || refusals.last > REFUSALS_REMEMBERED;
    this.#refusals = { firstAt: isFirst ? now : now - refusals.first, lastAt: now };
  }

  countAttempt(isDelivered: boolean): void {
    if (isDelivered) this.attempts.delivered++;
    else this.attempts.failed++;
  }

  /** This node has committed something that it wrote. */
  noteWrite(): void {
    this.#wroteAt = this.#clock.monotonic();
  }

  get sinceWrite(): Micros {
    return this.#clock.monotonic() - this.#wroteAt;
  }

  get refusals(): Refusals | null {
    if (this.#refusals === null) return null;
    const now = this.#clock.monotonic();
    return { first: now - this.#refusals.firstAt, last: now - this.#refusals.lastAt };
  }

  /** Returns the same tick with counters, under the name of its loop. */
  countTicks(name: LoopName, { restMs, maxTickMs = MAX_TICK / 1000 }: LoopSpans, tick: Tick): Tick {
    const boundAfter = (found: boolean | number) =>
      (Math.max(restMs, typeof found === 'number' ? found : 0) + maxTickMs) * 1000;
    const loop: Loop = {
      ticks: 0,
      failures: 0,
      succeededAt: this.#clock.monotonic(),
      bound: boundAfter(false),
    };
    this.#loops.set(name, loop);
    return async () => {
      try {
        const found = await tick();
        loop.ticks++;
        loop.succeededAt = this.#clock.monotonic();
        loop.bound = boundAfter(found);
        return found;
      } catch (error) {
        loop.failures++;
        throw error;
      }
    };
  }

  /** The counters of the loops that were started. */
  get loops(): Partial<Record<LoopName, LoopTally>> {
    const now = this.#clock.monotonic();
    const tallies = [...this.#loops].map(([name, { ticks, failures, succeededAt, bound }]) => [
      name,
      { ticks, failures, sinceSuccess: now - succeededAt, bound },
    ]);
    return Object.fromEntries(tallies);
  }
}

/** Null for a mail that has to be parsed again. It is counted when it comes back. */
function kindOf(outcome: PingOutcome): keyof Telemetry['pings'] | null {
  if (isFailure(outcome)) return outcome.failure instanceof AppError ? 'unavailable' : 'failed';
  if (typeof outcome === 'object') return outcome.recorded;
  switch (outcome) {
    case 'filter_changed':
      return null;
    case 'invalid_exit_status':
    case 'invalid_rid':
    case 'invalid_age':
    case 'invalid_url':
    case 'unknown_state':
      return 'invalid';
    default:
      return outcome;
  }
}
