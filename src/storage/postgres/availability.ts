import type { Clock } from '../../lib/clock.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { storageUnavailable } from '../driver.ts';

const FIRST_PAUSE = seconds(0.1);
const MAX_PAUSE = seconds(5);

/**
 * Remembers that the server cannot be reached. Meanwhile requests fail at once instead of queueing for a connection.
 * One request in each pause tries again. Pauses double up to a limit.
 */
export class Availability {
  readonly #clock: Clock;
  #pause = 0;
  #retryAt: Instant = 0;
  #failedAt: Instant = 0;
  #reason = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Throws while the server is considered unreachable and the pause is not over. Returns the time at which the attempt
   * began, which is passed to `failed`.
   */
  admit(): Instant {
    const now = this.#clock.now();
    if (this.#pause === 0) return now;
    // If the next try is further away than the pause, the clock was set back.
    const isPausing = now < this.#retryAt && this.#retryAt - now <= this.#pause;
    if (isPausing) throw storageUnavailable(`the database cannot be reached: ${this.#reason}`);
    this.#retryAt = now + this.#pause;
    return now;
  }

  succeeded(): void {
    this.#pause = 0;
  }

  /**
   * Starts a pause. An attempt that was already running when another one failed does not lengthen it. Requests that fail
   * during the pause tell the reason.
   */
  failed(startedAt: Instant, reason: string): void {
    if (this.#pause > 0 && startedAt <= this.#failedAt) return;
    this.#reason = reason;
    this.#pause = Math.min(Math.max(this.#pause * 2, FIRST_PAUSE), MAX_PAUSE);
    this.#failedAt = this.#clock.now();
    this.#retryAt = this.#failedAt + this.#pause;
  }
}
