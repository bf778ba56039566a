import type { Logger } from 'pino';
import { type Instant, toIsoSeconds } from '../lib/instant.ts';
import { flipOverdue, nextDeadlineAt } from '../services/deadlines.ts';
import type { Deps } from '../services/deps.ts';
import { BEAT_SPAN, keepWatch } from '../services/sight.ts';

const LONGEST_REST_MS = 1_000;

/**
 * Watches deadlines. Before it looks at any it makes sure that it could have seen the pings: after a time of
 * blindness nothing goes down that may have been well.
 */
export class Watchman {
  readonly #deps: Deps;
  readonly #log: Logger;
  readonly #node: string;
  #lastBeatAt: Instant = 0;

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
    await this.keepWatch();
    const onPoison = (checkId: number, err: unknown) =>
      this.#log.error({ event: 'check.not_evaluated', checkId, err });
    if (await flipOverdue({ ...this.#deps, onPoison })) return true;
    const next = await nextDeadlineAt(this.#deps);
    if (next === null) return LONGEST_REST_MS;
    const micros = next - this.#deps.clock.now();
    return Math.min(LONGEST_REST_MS, Math.max(1, Math.ceil(micros / 1000)));
  }

  /** To be called before the first ping is taken, too: one that comes late must not find its check down. */
  async keepWatch(): Promise<void> {
    const now = this.#deps.clock.now();
    const sinceLast = now - this.#lastBeatAt;
    // A clock that was set back counts as well.
    if (sinceLast >= 0 && sinceLast < BEAT_SPAN) return;
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
