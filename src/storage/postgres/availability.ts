import type { Clock } from '../../lib/clock.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { storageUnavailable } from '../driver.ts';

const FIRST_PAUSE = seconds(0.1);
const MAX_PAUSE = seconds(5);

/**
 * Remembers that the server cannot be reached, so that requests meanwhile fail at once instead of
 * queueing for a connection, and only one in each pause tries again. Pauses double up to a bound.
 */
export class Availability {
  readonly #clock: Clock;
  #pause = 0;
  #retryAt: Instant = 0;
  #failedAt: Instant = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Throws while the server counts as unreachable and it is not yet time to try again. Returns when the
   * attempt began, for `failed`.
   */
  admit(): Instant {
    const now = this.#clock.now();
    if (this.#pause === 0) return now;
    // A retry further off than the pause means that the clock was put back.
    const isPausing = now < this.#retryAt && this.#retryAt - now <= this.#pause;
    if (isPausing) throw storageUnavailable('the database cannot be reached');
    this.#retryAt = now + this.#pause;
    return now;
  }

  succeeded(): void {
    this.#pause = 0;
  }

  /** An attempt that was under way when another one failed says nothing new: the pause stays. */
  failed(startedAt: Instant): void {
    if (this.#pause > 0 && startedAt <= this.#failedAt) return;
    this.#pause = Math.min(Math.max(this.#pause * 2, FIRST_PAUSE), MAX_PAUSE);
    this.#failedAt = this.#clock.now();
    this.#retryAt = this.#failedAt + this.#pause;
  }
}
