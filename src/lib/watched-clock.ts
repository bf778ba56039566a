import { type Clock, type Readings, readingsOf } from './clock.ts';
import { type Instant, type Micros, seconds } from './instant.ts';

/** If the wall clock moved more or less than the monotonic clock by this much, it was set, or the machine slept. */
const JUMP = seconds(1);
/** Smaller differences to the reference are ignored. The duration of the query is added, as it limits the accuracy. */
const STEP = seconds(0.25);

/**
 * The clock of a node. It notices when the machine's clock is set. If there is a reference, such as the database that nodes
 * share, it shows the time of the reference: it adds the monotonic clock to the last answer, so changes to the machine's
 * wall clock have no effect.
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

  /** The machine's clock minus the reference at the last look. Null without a reference. */
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
