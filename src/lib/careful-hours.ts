import { type Clock, type Readings, readingsOf } from './clock.ts';
import { type Micros, seconds } from './instant.ts';

const HOUR: Micros = seconds(3600);
/** If the wall clock moves by more than this against the monotonic clock within an hour, somebody has set it. */
const MAX_CLOCK_JUMP: Micros = seconds(300);

/**
 * Says once an hour that it is time to look for old rows. If the clock were months ahead, everything would count as
 * old. This happens, for example, on a machine that has just started and has not asked a time server yet. So the first
 * look waits for an hour, and a look is skipped when the clock was set since the last one was due.
 */
export class CarefulHours {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Both clocks at the time when the last look was due, or at the start. */
  #dueAt: Readings;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
    this.#dueAt = readingsOf(clock);
  }

  isTimeToLook(): boolean {
    const last = this.#dueAt;
    const now = readingsOf(this.#clock);
    const passed = now.monotonic - last.monotonic;
    if (passed < HOUR) return false;
    this.#dueAt = now;
    return Math.abs(now.wall - last.wall - passed) <= MAX_CLOCK_JUMP;
  }
}
