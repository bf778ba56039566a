import { AppError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type Instant, MICROS_PER_SECOND, type Micros, seconds } from '../lib/instant.ts';
import type { ObjectStore } from './object-store.ts';

const CAPACITY: Micros = seconds(60);
/** A third, so that three failures in a minute are allowed. */
const COST: Micros = CAPACITY / 3;

/**
 * A bucket of three tokens that fills up in a minute. Each failure takes one. The credit is counted in whole
 * microseconds of refilling: with fractions, a client that waits exactly as long as told might still be refused.
 */
export class ReadBreaker {
  readonly #clock: Clock;
  #credit: Micros = CAPACITY;
  #filledAt: Instant;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#filledAt = clock.now();
  }

  get isOpen(): boolean {
    return this.#fill() < COST;
  }

  /** Seconds until the next read is allowed; at least one. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((COST - this.#fill()) / MICROS_PER_SECOND));
  }

  /**
   * The credit never falls below zero. When the storage goes away, a hundred open reads may fail at once, and that must
   * not block reads for half an hour.
   */
  recordFailure(): void {
    this.#credit = Math.max(0, this.#fill() - COST);
  }

  #fill(): Micros {
    const now = this.#clock.now();
    this.#credit = Math.min(CAPACITY, this.#credit + Math.max(0, now - this.#filledAt));
    this.#filledAt = now;
    return this.#credit;
  }
}

/**
 * A circuit breaker around the storage's reads. A failed read throws an error that says when to retry. After three
 * failures within a minute, reads are refused for a while without asking the storage. A missing object is no failure.
 */
export function guardReads(objects: ObjectStore, clock: Clock): ObjectStore {
  const breaker = new ReadBreaker(clock);
  const unavailable = (cause?: unknown) =>
    new AppError('body_unavailable', undefined, { cause, retryAfterSeconds: breaker.retryAfterSeconds });
  return {
    put: (key, body) => objects.put(key, body),
    delete: (key) => objects.delete(key),
    list: (prefix, after) => objects.list(prefix, after),
    async get(key, maxBytes) {
      if (breaker.isOpen) throw unavailable();
      try {
        return await objects.get(key, maxBytes);
      } catch (error) {
        breaker.recordFailure();
        throw unavailable(error);
      }
    },
  };
}
