import type { Logger } from 'pino';
import { COVERED_AHEAD } from '../domain/check/quiet-time.ts';
import type { Micros } from '../lib/instant.ts';
import { WatchedClock } from '../lib/watched-clock.ts';
import { nextQuietTimeAt, QuietTimeTurns } from '../services/check/quiet-coverage.ts';
import type { Deps } from '../services/core/deps.ts';

const MAX_REST_MS = 1_000;
/** What was looked up is known for so long. A quiet time that is announced and begins sooner is begun by its request. */
const KNOWN_FOR: Micros = 1_000_000;
/** Deadlines wait at most so long, however many quiet times have not begun in time. */
const MAX_WAIT: Micros = 2_000_000;

/** Covers checks with quiet times that begin. */
export class QuietTimeLoop {
  readonly #deps: Deps;
  readonly #log: Logger;
  readonly #turns: QuietTimeTurns;
  readonly #clock: Pick<WatchedClock, 'monotonic'>;
  /** Until when no quiet time runs whose checks are not covered, by the monotonic clock. */
  #clearUntil: Micros | null = null;
  /** Accounts for which deadlines have waited in vain. They wait for none of them again before it has caught up. */
  #behind: ReadonlySet<number> = new Set();

  constructor(
    deps: Deps,
    log: Logger,
    clock: Pick<WatchedClock, 'monotonic'> = new WatchedClock(deps.clock),
  ) {
    this.#deps = deps;
    this.#log = log;
    this.#clock = clock;
    const onPoison = (uuid: string, err: unknown) =>
      log.error({ event: 'quiet_time.not_evaluated', uuid, err });
    this.#turns = new QuietTimeTurns({ ...deps, onPoison });
  }

  /** Returns true if there was work, else how many milliseconds to rest. The rest is bounded, since an edit may bring a quiet time closer. */
  async tick(): Promise<true | number> {
    const now = this.#deps.clock.now();
    const next = await nextQuietTimeAt(this.#deps);
    if (next === null) return MAX_REST_MS;
    if (next > now) return Math.min(MAX_REST_MS, Math.ceil((next - now) / 1000));
    await this.#turns.next();
    return true;
  }

  /**
   * Covers the checks of quiet times that run and that no node has covered in time. Call it before deadlines are looked at: none
   * of a quiet time may be missed. It reads at most once a second.
   */
  async ensureBegun(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    if (this.#clearUntil !== null && startedAt < this.#clearUntil) return;
    try {
      for (;;) {
        const next = await nextQuietTimeAt(this.#deps);
        const left = next === null ? KNOWN_FOR : next + COVERED_AHEAD - this.#deps.clock.now();
        const late = left > 0 ? new Set<number>() : await this.#late();
        this.#behind = this.#behind.intersection(late);
        if (late.size === this.#behind.size) {
          this.#clearUntil = startedAt + (left > 0 ? Math.min(left, KNOWN_FOR) : KNOWN_FOR);
          return;
        }
        if (this.#clock.monotonic() - startedAt >= MAX_WAIT) {
          this.#behind = late;
          return;
        }
        await this.#turns.next();
      }
    } catch (err) {
      // Checks that no quiet time covers must not wait for it.
      this.#log.error({ event: 'quiet_times.not_applied', err });
    }
  }

  /** Accounts with quiet times that run and do not cover all of their checks. */
  async #late(): Promise<ReadonlySet<number>> {
    const { store, clock } = this.#deps;
    return new Set(await store.quietTimes.accountsDue(clock.now() - COVERED_AHEAD));
  }
}
