import { fromTemporal, type Instant, type Micros } from './instant.ts';

/** Where time comes from. Nothing below `main` reads the time in any other way. */
export interface Clock {
  now(): Instant;
  /** How much time has passed since some moment that no setting of clocks moves. */
  monotonic(): Micros;
}

/** What the clocks said at the same moment. */
export interface Readings {
  readonly wall: Instant;
  readonly monotonic: Micros;
}

export function readingsOf(clock: Clock): Readings {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** How long the reading of the wall clock is carried on by the monotonic one before it is taken anew. */
const CARRIED_MS = 50;

/**
 * The wall clock in microseconds. Asking the system for it takes longer than all else that a ping needs of
 * time, so that a reading is carried on for a moment by the monotonic clock, which costs next to nothing.
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
