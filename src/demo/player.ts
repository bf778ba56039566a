import type { Clock } from '../lib/clock.ts';
import type { PingWriter } from '../services/ping/ping-writer.ts';
import type { Pinger } from './pinger.ts';

const MAX_REST_MS = 1_000;

/** Sends what jobs send, when it is due. */
export class Player {
  readonly #pings: Pick<PingWriter, 'record'>;
  readonly #pinger: Pinger;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(pings: Pick<PingWriter, 'record'>, pinger: Pinger, clock: Pick<Clock, 'now'>) {
    this.#pings = pings;
    this.#pinger = pinger;
    this.#clock = clock;
  }

  /** Returns the milliseconds until the next call. */
  async tick(): Promise<number> {
    const due = this.#pinger.takeDue(this.#clock.now());
    await Promise.all(due.map((ping) => this.#pings.record(ping)));
    return Math.min(MAX_REST_MS, Math.max(0, (this.#pinger.nextAt - this.#clock.now()) / 1_000));
  }
}
