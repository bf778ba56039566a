import { CarefulHours } from './careful-hours.ts';
import type { Clock } from './clock.ts';
import type { Instant } from './instant.ts';

/** Looks once an hour for work that time has made due, if the clock can be trusted, and does it piece by piece. */
export class HourlyPieces {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #doPiece: (now: Instant) => Promise<boolean>;
  readonly #hours: CarefulHours;
  /** When the present look began. Null between two looks. */
  #lookedAt: Instant | null = null;

  /** `doPiece` does a piece of the work due at that time. It returns whether there was one. */
  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, doPiece: (now: Instant) => Promise<boolean>) {
    this.#clock = clock;
    this.#doPiece = doPiece;
    this.#hours = new CarefulHours(clock);
  }

  /** Returns whether there may be more. */
  async tick(): Promise<boolean> {
    if (this.#lookedAt === null && this.#hours.isTimeToLook()) this.#lookedAt = this.#clock.now();
    if (this.#lookedAt === null) return false;
    const hadPiece = await this.#doPiece(this.#lookedAt);
    if (!hadPiece) this.#lookedAt = null;
    return hadPiece;
  }
}
