import type { Clock } from '../src/lib/clock.ts';
import { type Instant, seconds } from '../src/lib/instant.ts';

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: Instant;

  constructor(now: Instant) {
    this.#now = now;
  }

  now(): Instant {
    return this.#now;
  }

  set(now: Instant): void {
    this.#now = now;
  }

  advance(span: { seconds?: number; minutes?: number; hours?: number; days?: number }): void {
    const { seconds: s = 0, minutes = 0, hours = 0, days = 0 } = span;
    this.#now += seconds(s + minutes * 60 + hours * 3_600 + days * 86_400);
  }
}
