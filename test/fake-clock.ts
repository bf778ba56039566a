import type { Clock } from '../src/lib/clock.ts';
import { type Instant, type Micros, seconds } from '../src/lib/instant.ts';

export interface Span {
  readonly seconds?: number;
  readonly minutes?: number;
  readonly hours?: number;
  readonly days?: number;
}

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: Instant;
  #monotonic: Micros = 0;

  constructor(now: Instant) {
    this.#now = now;
  }

  now(): Instant {
    return this.#now;
  }

  monotonic(): Micros {
    return this.#monotonic;
  }

  /** Time passes until then; a time that has passed already means that the clock is set back. */
  set(now: Instant): void {
    this.#monotonic += Math.max(0, now - this.#now);
    this.#now = now;
  }

  /** Time passes. */
  advance(span: Span): void {
    this.set(this.#now + microsOf(span));
  }

  /** The clock is set, ahead or back, and no time passes. */
  jump(span: Span): void {
    this.#now += microsOf(span);
  }
}

export function microsOf({ seconds: s = 0, minutes = 0, hours = 0, days = 0 }: Span): Micros {
  return seconds(s + minutes * 60 + hours * 3_600 + days * 86_400);
}
