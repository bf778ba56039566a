import type { Instant } from '../../src/lib/instant.ts';

/** A promise that was broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** The check that it was broken to; null where it concerns all. */
  readonly check: string | null;
  /** What comes later has nothing to do with it. */
  readonly until: Instant;

  constructor(message: string, check: string | null = null, until: Instant = Number.POSITIVE_INFINITY) {
    super(message);
    this.check = check;
    this.until = until;
  }
}
