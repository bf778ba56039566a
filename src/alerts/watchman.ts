import type { Logger } from 'pino';
import { type Instant, type Micros, toIsoSeconds } from '../lib/instant.ts';
import { flipOverdue, nextDeadlineAt } from '../services/deadlines.ts';
import type { Deps } from '../services/deps.ts';
import { BEAT_SPAN, BLIND_AFTER, keepWatch } from '../services/sight.ts';

const LONGEST_REST_MS = 1_000;
const SHORTEST_REST_MS = 20;

/**
 * Watches deadlines. Before it looks at any it makes sure that it could have seen the pings: after a time of
 * blindness nothing goes down that may have been well.
 */
export class Watchman {
  readonly #deps: Deps;
  readonly #log: Logger;
  readonly #node: string;
  #lastBeatAt: Instant = 0;
  #beating: Promise<void> | undefined;

  constructor(deps: Deps, log: Logger) {
    this.#deps = deps;
    this.#log = log;
    this.#node = deps.random.uuid();
  }

  /**
   * Takes down what is overdue; else says how long there is nothing to do. That rest is bounded, since an edit
   * may bring a deadline closer than the one known; a ping cannot, its grace is a minute at least.
   */
  async tick(): Promise<true | number> {
    // Only what is overdue by now: if the machine sleeps in the middle of this, what comes due meanwhile is left.
    const now = this.#deps.clock.now();
    await this.keepWatch();
    const onPoison = (checkId: number, err: unknown) =>
      this.#log.error({ event: 'check.not_evaluated', checkId, err });
    if (await flipOverdue({ ...this.#deps, onPoison }, now)) return true;
    const next = await nextDeadlineAt(this.#deps);
    if (next === null) return LONGEST_REST_MS;
    const micros = next - this.#deps.clock.now();
    // What is due already is held by another node, which decides on it in a moment.
    if (micros <= 0) return SHORTEST_REST_MS;
    return Math.min(LONGEST_REST_MS, Math.ceil(micros / 1000));
  }

  /**
   * To be called before pings are recorded: the first that come after a time of blindness must not find their
   * checks down. That they wait for it is rare, since ticks say more often that we watch.
   */
  async beforePings(): Promise<void> {
    await this.keepWatch(BLIND_AFTER);
  }

  /** To be called before the doors open, too. Does nothing when the last time is not that long ago. */
  async keepWatch(every: Micros = BEAT_SPAN): Promise<void> {
    // One at a time: whoever comes later, such as the next batch of pings, must not be through earlier.
    await this.#beating;
    const sinceLast = this.#deps.clock.now() - this.#lastBeatAt;
    // A clock that was set back counts as well.
    if (sinceLast >= 0 && sinceLast < every) return;
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    await this.#beating;
  }

  async #beat(): Promise<void> {
    const now = this.#deps.clock.now();
    const blindness = await keepWatch(this.#deps, this.#node);
    this.#lastBeatAt = now;
    if (blindness === null) return;
    const { from, until, excused } = blindness;
    this.#log.warn({
      event: 'watch.was_blind',
      from: toIsoSeconds(from),
      until: toIsoSeconds(until),
      excused,
    });
  }
}
