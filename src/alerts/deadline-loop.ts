import type { Logger } from 'pino';
import { isClockOff } from '../domain/vitals.ts';
import { MICROS_PER_SECOND, type Micros, toIsoSeconds } from '../lib/instant.ts';
import { WatchedClock } from '../lib/watched-clock.ts';
import { flipOverdue, nextDeadlineAt } from '../services/deadlines.ts';
import type { Deps } from '../services/deps.ts';
import { BEAT_SPAN, type BeatResult, BLIND_AFTER, recordBeat } from '../services/liveness.ts';

const MAX_REST_MS = 1_000;
const MIN_REST_MS = 20;

/**
 * Watches deadlines. Before it looks at any it makes sure that it could have seen the pings, and that it knows
 * what time it is: after a time of blindness nothing goes down that may have been well.
 */
export class DeadlineLoop {
  readonly #deps: Deps;
  readonly #log: Logger;
  readonly #clock: WatchedClock;
  readonly #node: string;
  readonly #onBeat: () => void;
  /** By the monotonic clock; null before the first. */
  #lastBeat: Micros | null = null;
  #beating: Promise<void> | undefined;
  #isClockOff = false;

  /** `clock` is the one of `deps`, where that is compared with another; `onBeat` is told of every beat that was written. */
  constructor(deps: Deps, log: Logger, clock = new WatchedClock(deps.clock), onBeat = () => {}) {
    this.#deps = deps;
    this.#log = log;
    this.#clock = clock;
    this.#node = deps.random.uuid();
    this.#onBeat = onBeat;
  }

  /**
   * Takes down what is overdue; else says how long there is nothing to do. That rest is bounded, since an edit
   * may bring a deadline closer than the one known; a ping cannot, its grace is a minute at least.
   */
  async tick(): Promise<true | number> {
    // Only what was overdue before and is: if the machine sleeps in the middle of this, or its clock is set, what
    // comes due by that is left.
    const before = this.#deps.clock.now();
    await this.ensureBeat();
    const now = Math.min(before, this.#deps.clock.now());
    const onPoison = (checkId: number, err: unknown) =>
      this.#log.error({ event: 'check.not_evaluated', checkId, err });
    if (await flipOverdue({ ...this.#deps, onPoison }, now)) return true;
    const next = await nextDeadlineAt(this.#deps);
    if (next === null) return MAX_REST_MS;
    const micros = next - this.#deps.clock.now();
    // What is due already is held by another node, which decides on it in a moment.
    if (micros <= 0) return MIN_REST_MS;
    return Math.min(MAX_REST_MS, Math.ceil(micros / 1000));
  }

  /**
   * To be called before pings are recorded: the first that come after a time of blindness must not find their
   * checks down. That they wait for it is rare, since ticks say more often that we watch.
   */
  async beforePings(): Promise<void> {
    await this.ensureBeat(BLIND_AFTER);
  }

  /** To be called before the doors open, too. Does nothing when the last time is not that long ago. */
  async ensureBeat(every: Micros = BEAT_SPAN): Promise<void> {
    // One at a time: whoever comes later, such as the next batch of pings, must not be through earlier.
    await this.#beating;
    if (this.#hasBeatWithin(every) && !this.#clock.hasJumped()) return;
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    await this.#beating;
  }

  #hasBeatWithin(span: Micros): boolean {
    return this.#lastBeat !== null && this.#clock.monotonic() - this.#lastBeat < span;
  }

  async #beat(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    await this.#clock.look();
    this.#tellOfClock();
    const result = await recordBeat(this.#deps, this.#node, this.#hasBeatWithin(BLIND_AFTER));
    this.#lastBeat = startedAt;
    this.#onBeat();
    this.#tell(result);
  }

  #tellOfClock(): void {
    const { ahead } = this.#clock;
    const isOff = isClockOff(ahead);
    if (isOff === this.#isClockOff) return;
    this.#isClockOff = isOff;
    const aheadSeconds = Math.round((ahead ?? 0) / MICROS_PER_SECOND);
    if (isOff) this.#log.error({ event: 'clock.differs_from_database', aheadSeconds });
    else this.#log.info({ event: 'clock.agrees_with_database', aheadSeconds });
  }

  #tell({ blindness, wasAhead }: BeatResult): void {
    if (wasAhead) this.#log.warn({ event: 'clock.was_set_back' });
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
