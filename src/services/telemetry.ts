import type { PingOutcome } from '../domain/incoming-ping.ts';
import type { LoopTally } from '../domain/vitals.ts';
import type { Clock } from '../lib/clock.ts';
import { Histogram } from '../lib/histogram.ts';
import { MICROS_PER_SECOND, type Micros } from '../lib/instant.ts';
import type { Ingest } from './ping-writer.ts';

interface Loop extends LoopTally {
  ticks: number;
  failures: number;
  /** By the monotonic clock: when it last came round, or started. */
  lastTickAt: Micros;
}

/** What a node counts as it works. Plain numbers, added to once for a batch: pings do not feel it. */
export class Telemetry {
  readonly pings = {
    recorded: 0,
    created: 0,
    not_found: 0,
    ambiguous: 0,
    invalid: 0,
    /** Their check could not be evaluated. */
    failed: 0,
    /** The database did not take their batch. */
    unavailable: 0,
  };
  readonly batchSizes = new Histogram([1, 10, 100, 1_000]);
  readonly commitSeconds = new Histogram([0.001, 0.005, 0.025, 0.1, 0.5, 2.5]);
  readonly attempts = { delivered: 0, failed: 0 };
  readonly #loops = new Map<string, Loop>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same, counted. */
  countPings(ingest: Ingest): Ingest {
    return async (batch) => {
      const startedAt = this.#clock.monotonic();
      try {
        const outcomes = await ingest(batch);
        for (const outcome of outcomes) this.pings[kindOf(outcome)]++;
        return outcomes;
      } catch (error) {
        this.pings.unavailable += batch.length;
        throw error;
      } finally {
        this.batchSizes.add(batch.length);
        this.commitSeconds.add((this.#clock.monotonic() - startedAt) / MICROS_PER_SECOND);
      }
    };
  }

  countAttempt(isDelivered: boolean): void {
    if (isDelivered) this.attempts.delivered++;
    else this.attempts.failed++;
  }

  /** The same tick, counted under the name of its loop. */
  countTicks<T>(name: string, tick: () => Promise<T>): () => Promise<T> {
    const loop: Loop = { ticks: 0, failures: 0, lastTickAt: this.#clock.monotonic() };
    this.#loops.set(name, loop);
    return async () => {
      try {
        return await tick();
      } catch (error) {
        loop.failures++;
        throw error;
      } finally {
        loop.ticks++;
        loop.lastTickAt = this.#clock.monotonic();
      }
    };
  }

  get loops(): Record<string, LoopTally> {
    return Object.fromEntries(this.#loops);
  }

  /** For how long the loop has not come round; undefined where it was not started. */
  silenceOf(name: string): Micros | undefined {
    const loop = this.#loops.get(name);
    return loop && this.#clock.monotonic() - loop.lastTickAt;
  }
}

function kindOf(outcome: PingOutcome): keyof Telemetry['pings'] {
  if (typeof outcome !== 'string') return 'failed';
  return outcome === 'invalid_exit_status' || outcome === 'invalid_rid' ? 'invalid' : outcome;
}
