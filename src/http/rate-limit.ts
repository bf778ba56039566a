import { AppError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type Instant, MICROS_PER_SECOND } from '../lib/instant.ts';

/** Keys remembered at once; the one used longest ago is forgotten, which only ever forgives. */
const MAX_KEYS = 10_000;

/**
 * What a request costs. The limit is the credit that a microsecond brings, so that all counting is in whole
 * numbers: with fractions, a client that waits exactly as long as it was told might still be refused.
 */
const COST = 60 * MICROS_PER_SECOND;

interface Bucket {
  credit: number;
  filledAt: Instant;
}

/**
 * A bucket for each key: so many requests a minute for as long as one likes, and as many again
 * in a burst. Zero a minute means no limit.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #capacity: number;
  readonly #buckets = new Map<number, Bucket>();

  constructor(perMinute: number, clock: Clock) {
    this.#clock = clock;
    this.#perMinute = perMinute;
    this.#capacity = perMinute * COST * 2;
  }

  /** Throws when the key has no request left. */
  take(keyId: number): void {
    if (this.#capacity === 0) return;
    const bucket = this.#filled(keyId);
    if (bucket.credit < COST) {
      const wait = Math.ceil((COST - bucket.credit) / (this.#perMinute * MICROS_PER_SECOND));
      throw new AppError('too_many_requests', undefined, { retryAfterSeconds: wait });
    }
    bucket.credit -= COST;
  }

  #filled(keyId: number): Bucket {
    const now = this.#clock.now();
    const known = this.#buckets.get(keyId);
    const bucket = known ?? { credit: this.#capacity, filledAt: now };
    const gained = Math.max(0, now - bucket.filledAt) * this.#perMinute;
    bucket.credit = Math.min(this.#capacity, bucket.credit + gained);
    bucket.filledAt = now;
    // Taken out and put back, the key becomes the one used last.
    this.#buckets.delete(keyId);
    this.#buckets.set(keyId, bucket);
    if (this.#buckets.size > MAX_KEYS) this.#forgetOldest();
    return bucket;
  }

  #forgetOldest(): void {
    for (const oldest of this.#buckets.keys()) {
      this.#buckets.delete(oldest);
      return;
    }
  }
}
