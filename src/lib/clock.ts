import { fromTemporal, type Instant, type Micros } from './instant.ts';

/** The source of time. Nothing below `main` reads the time in any other way. */
export interface Clock {
  now(): Instant;
  /** The time since a fixed moment. Setting the clock does not change it. */
  monotonic(): Micros;
}

/** Both clocks, read at the same moment. */
export interface Readings {
  readonly wall: Instant;
  readonly monotonic: Micros;
}

export function readingsOf(clock: Clock): Readings {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** The wall clock is read again after this time. Until then the monotonic clock is added to the last reading. */
const CARRIED_MS = 50;

/**
 * The wall clock in microseconds. Reading it from the system is the slowest part of dating a ping. So a reading is used for
 * a moment, with the time of the monotonic clock added, which is cheap to read.
 */
function createSystemClock(): Clock {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Instant = 0;
  return {
    now() {
      const elapsed = performance.now() - readAt;
      if (elapsed < CARRIED_MS) return reading + Math.floor(elapsed * 1000);
      reading = fromTemporal(Temporal.Now.instant());
      readAt = performance.now();
      return reading;
    },
    monotonic: () => Math.floor(performance.now() * 1000),
  };
}

export const systemClock: Clock = createSystemClock();
