import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Flip } from '../check/flip.ts';
import { expectedAt, type Timed } from '../check/status.ts';
import { nextOccurrence } from '../schedule/schedule.ts';
import { nextDue } from './run.ts';

/** The pulse of a project counts checks in spans of this length. */
export const BUCKET: Micros = seconds(600);
/** Including the current one. */
export const PAST_BUCKETS = 72;
/** Including the rest of the current one. */
export const AHEAD_BUCKETS = 24;

/** Pings of a check that are counted, newest first. If there are more, it is assumed to have run while it was up. */
export const COUNTED_PINGS = 150;

/** The number of the span of time in which the instant lies. */
export function bucketOf(at: Instant): number {
  return Math.floor(at / BUCKET);
}

/** The numbers of different checks that ran, failed, and missed their deadline. */
export interface PulseBucket {
  ran: number;
  failed: number;
  missed: number;
}

/** The ends of a check's runs in one span. */
export interface Activity {
  readonly checkId: number;
  readonly bucket: number;
  /** Pings of any signal. */
  readonly pings: number;
  /** Successes and failures. */
  readonly ends: number;
  readonly failures: number;
}

interface Counted {
  /** The last span in which the check is counted. */
  ran: number;
  failed: number;
}

/** Counts the runs of a project's checks. Each check counts once in a span, however often its pings are read. */
export class PulseCounter {
  readonly #buckets = new Map<number, PulseBucket>();
  readonly #counted = new Map<number, Counted>();

  /**
   * Adds the pings that were read of a check, in any order. `since`: the check has been up since then. If there are
   * more pings than were read, it also ran before the oldest of them.
   */
  add(checkId: number, read: readonly Activity[], since: Instant, now: Instant): void {
    const isFirst = !this.#counted.has(checkId);
    const counted = this.#counted.getOrInsertComputed(checkId, () => ({ ran: -1, failed: -1 }));
    const oldest = oldestBucket(now);
    const ascending = read.filter(({ bucket }) => bucket >= oldest).toSorted((a, b) => a.bucket - b.bucket);
    const first = ascending[0];
    const isCut = read.reduce((sum, { pings }) => sum + pings, 0) >= COUNTED_PINGS;
    if (isFirst && isCut && first !== undefined && first.ends > 0) {
      for (let bucket = Math.max(oldest, bucketOf(since)); bucket < first.bucket; bucket++)
        this.#at(bucket).ran++;
    }
    for (const { bucket, ends, failures } of ascending) {
      if (ends > 0 && bucket > counted.ran) {
        this.#at(bucket).ran++;
        counted.ran = bucket;
      }
      if (failures > 0 && bucket > counted.failed) {
        this.#at(bucket).failed++;
        counted.failed = bucket;
      }
    }
  }

  /** The last spans, oldest first, with the deadlines that were missed in them. */
  past(flips: readonly Pick<Flip, 'createdAt' | 'reason'>[], now: Instant): PulseBucket[] {
    const oldest = oldestBucket(now);
    for (const bucket of this.#buckets.keys()) if (bucket < oldest) this.#buckets.delete(bucket);
    const past = Array.from({ length: PAST_BUCKETS }, (_, index) => ({
      ...(this.#buckets.get(oldest + index) ?? { ran: 0, failed: 0 }),
      missed: 0,
    }));
    for (const { createdAt, reason } of flips) {
      const bucket = past[bucketOf(createdAt) - oldest];
      if (bucket !== undefined && reason === 'timeout') bucket.missed++;
    }
    return past;
  }

  #at(bucket: number): PulseBucket {
    return this.#buckets.getOrInsertComputed(bucket, () => ({ ran: 0, failed: 0, missed: 0 }));
  }
}

export function oldestBucket(now: Instant): number {
  return bucketOf(now) - PAST_BUCKETS + 1;
}

/** The pulse of several projects. Each of them begins with the same span, and their checks are different ones. */
export function sumOfPulses(pulses: readonly (readonly PulseBucket[])[]): PulseBucket[] {
  return Array.from({ length: PAST_BUCKETS }, (_, place) => {
    const sum: PulseBucket = { ran: 0, failed: 0, missed: 0 };
    for (const pulse of pulses) {
      const bucket = pulse[place];
      sum.ran += bucket?.ran ?? 0;
      sum.failed += bucket?.failed ?? 0;
      sum.missed += bucket?.missed ?? 0;
    }
    return sum;
  });
}

/** Finds the next spans in which checks are expected. Many checks have the same schedule, which is looked at once. */
export class Forecast {
  readonly #now: Instant;
  readonly #first: number;
  readonly #known = new Map<string, readonly number[]>();
  readonly counts: number[] = Array(AHEAD_BUCKETS).fill(0);

  constructor(now: Instant) {
    this.#now = now;
    this.#first = bucketOf(now);
  }

  add(check: Timed): void {
    const expected = expectedAt(check);
    if (expected === null) return;
    // A late run is expected now, and the next one by the schedule.
    const first = expected > this.#now ? expected : nextDue(check, this.#now);
    if (first === null || bucketOf(first) >= this.#first + AHEAD_BUCKETS) return;
    this.#count(bucketOf(first));
    const later =
      check.kind === 'simple'
        ? periodic(first, seconds(check.timeoutSeconds), this.#first)
        : this.#occurrences(check.schedule, check.tz);
    for (const bucket of later) if (bucket > bucketOf(first)) this.#count(bucket);
  }

  #occurrences(schedule: string, tz: string): readonly number[] {
    return this.#known.getOrInsertComputed(`${tz} ${schedule}`, () => {
      const found: number[] = [];
      const end = this.#first + AHEAD_BUCKETS;
      for (let bucket = this.#first; bucket < end; ) {
        const next = nextOccurrence(schedule, tz, bucket * BUCKET - 1);
        if (next === null || bucketOf(next) >= end) break;
        found.push(bucketOf(next));
        bucket = bucketOf(next) + 1;
      }
      return found;
    });
  }

  #count(bucket: number): void {
    const index = bucket - this.#first;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
  }
}

function periodic(first: Instant, period: Micros, firstBucket: number): number[] {
  const found: number[] = [];
  const end = firstBucket + AHEAD_BUCKETS;
  for (let at = first; bucketOf(at) < end; ) {
    found.push(bucketOf(at));
    const rest = (bucketOf(at) + 1) * BUCKET - at;
    at += Math.max(1, Math.ceil(rest / period)) * period;
  }
  return found;
}
