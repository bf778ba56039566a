import type { Clock } from '../../lib/clock.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { storageUnavailable } from '../driver.ts';

const FIRST_PAUSE = seconds(0.1);
const LONGEST_PAUSE = seconds(5);

/**
 * Remembers that the server cannot be reached, so that requests meanwhile fail at once instead of
 * queueing for a connection, and only one in each pause tries again. Pauses double up to a bound.
 */
export class Availability {
  readonly #clock: Clock;
  #pause = 0;
  #retryAt: Instant = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws while the server counts as unreachable and it is not yet time to try again. */
  admit(): void {
    const now = this.#clock.now();
    if (this.#pause === 0) return;
    if (now < this.#retryAt) throw storageUnavailable('the database cannot be reached');
    this.#retryAt = now + this.#pause;
  }

  succeeded(): void {
    this.#pause = 0;
  }

  failed(): void {
    this.#pause = Math.min(Math.max(this.#pause * 2, FIRST_PAUSE), LONGEST_PAUSE);
    this.#retryAt = this.#clock.now() + this.#pause;
  }
}
