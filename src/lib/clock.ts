import { fromTemporal, type Instant } from './instant.ts';

/** Where time comes from. Nothing below `main` reads the time in any other way. */
export interface Clock {
  now(): Instant;
}

export const systemClock: Clock = {
  now: () => fromTemporal(Temporal.Now.instant()),
};
