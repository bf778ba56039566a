import { type Clock, type Readings, readingsOf } from './clock.ts';
import { type Instant, type Micros, seconds } from './instant.ts';

/** A wall clock that has moved so much more or less than the monotonic one was set, or the machine slept. */
const JUMP = seconds(1);
/** A reference is known as well as an answer from it is quick. Time is not moved for less than that and this. */
const STEP = seconds(0.25);

/**
 * The clock of a node, which notices when it is set. Where there is a reference, such as the database that nodes
 * share, its time rules: the monotonic clock carries it on between two looks, so that whatever happens to the
 * wall clock of this machine moves nothing.
 */
export class WatchedClock implements Clock {
  readonly #machine: Clock;
  readonly #readReference: () => Promise<Instant | null>;
  #lastLook: Readings;
  #reference: { readonly time: Instant; readonly monotonic: Micros } | null = null;
  #ahead: Micros | null = null;

  constructor(machine: Clock, readReference: () => Promise<Instant | null> = async () => null) {
    this.#machine = machine;
    this.#readReference = readReference;
    this.#lastLook = readingsOf(this.#machine);
  }

  now(): Instant {
    if (this.#reference === null) return this.#machine.now();
    return this.#reference.time + this.#machine.monotonic() - this.#reference.monotonic;
  }

  monotonic(): Micros {
    return this.#machine.monotonic();
  }

  /** By how much the machine's clock is ahead of the reference, as of the last look; null without one. */
  get ahead(): Micros | null {
    return this.#ahead;
  }

  /** Whether the machine's clock was set, or the machine slept, since the last look. */
  hasJumped(): boolean {
    const { wall, monotonic } = readingsOf(this.#machine);
    const passed = { wall: wall - this.#lastLook.wall, monotonic: monotonic - this.#lastLook.monotonic };
    return Math.abs(passed.wall - passed.monotonic) > JUMP;
  }

  /** Asks the reference for its time. */
  async look(): Promise<void> {
    const askedAt = this.#machine.monotonic();
    const answer = await this.#readReference();
    const readings = readingsOf(this.#machine);
    this.#lastLook = readings;
    if (answer === null) return;
    const underWay = readings.monotonic - askedAt;
    const time = answer + Math.round(underWay / 2);
    this.#ahead = readings.wall - time;
    if (this.#reference === null || Math.abs(time - this.now()) > STEP + underWay) {
      this.#reference = { time, monotonic: readings.monotonic };
    }
  }
}
