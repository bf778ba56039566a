import type { Moment } from '../ping.ts';

/**
 * The time between two moments: by the time since boot, if both are of the same boot, for then it does not matter whether somebody
 * has set the clock; else by the wall clock.
 */
export function msBetween(earlier: Moment, later: Moment): number {
  if (
    earlier.bootId !== null &&
    earlier.bootId === later.bootId &&
    earlier.sinceBootMs !== null &&
    later.sinceBootMs !== null
  ) {
    return later.sinceBootMs - earlier.sinceBootMs;
  }
  return later.wallMs - earlier.wallMs;
}

/** No server accepts a greater age. Where one comes out, a clock was wrong. */
export const MOST_AGE_MS = 30 * 86_400_000;

/** Null if it cannot be right: the clock was wrong then, or is now. */
export function ageMsOf(at: Moment, now: Moment, mostMs: number): number | null {
  const age = msBetween(at, now);
  return age < 0 || age > mostMs ? null : age;
}

/** `45 s`, `12 min`, `2 h 41 min`, `3 d 4 h`. */
export function inWords(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
