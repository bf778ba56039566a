import { type Micros, seconds } from '../src/lib/instant.ts';
import type { Timers } from '../src/lib/timers.ts';
import type { FakeClock } from './fake-clock.ts';

/** Timers that run out when a test lets time pass. */
export class FakeTimers implements Pick<Timers, 'callAfter'> {
  readonly clock: FakeClock;
  readonly #due = new Map<() => void, Micros>();

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  /** The number of timers that have neither run out nor been cancelled. */
  get count(): number {
    return this.#due.size;
  }

  readonly callAfter: Timers['callAfter'] = (ms, callback) => {
    const call = () => callback();
    this.#due.set(call, this.clock.monotonic() + ms * 1000);
    return () => void this.#due.delete(call);
  };

  /** Time passes, and what is due meanwhile is called at its time. */
  pass(span: number): void {
    const end = this.clock.monotonic() + seconds(span);
    for (;;) {
      const [next] = [...this.#due].sort(([, one], [, other]) => one - other);
      if (next === undefined || next[1] > end) break;
      const [call, at] = next;
      this.#due.delete(call);
      this.#advanceTo(at);
      call();
    }
    this.#advanceTo(end);
  }

  #advanceTo(at: Micros): void {
    this.clock.advance({ seconds: (at - this.clock.monotonic()) / seconds(1) });
  }
}
