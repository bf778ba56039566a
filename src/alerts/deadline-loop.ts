import type { Logger } from 'pino';
import { isClockOff } from '../domain/vitals.ts';
import { MICROS_PER_SECOND, type Micros, toIsoSeconds } from '../lib/instant.ts';
import { WatchedClock } from '../lib/watched-clock.ts';
import { flipOverdue, nextDeadlineAt } from '../services/check/deadlines.ts';
import type { Deps } from '../services/core/deps.ts';
import { BEAT_SPAN, type BeatResult, BLIND_AFTER, recordBeat } from '../services/core/liveness.ts';
import { QuietTimeLoop } from './quiet-time-loop.ts';

const MAX_REST_MS = 1_000;
const MIN_REST_MS = 20;

/**
 * Takes checks down whose deadline has passed. Before each look it records a beat and compares clocks: after a blind
 * span the deadlines of that span are put off first, because their pings may have been missed.
 */
export class DeadlineLoop {
  readonly #deps: Deps;
  readonly #log: Logger;
  readonly #clock: WatchedClock;
  readonly #quietTimes: QuietTimeLoop;
  /** The id by which this node beats. */
  readonly node: string;
  readonly #onBeat: () => void;
  readonly #version: string | null;
  /** When the last beat was begun, by the monotonic clock; null before the first one. */
  #lastBeat: Micros | null = null;
  #beating: Promise<void> | undefined;
  #isClockOff = false;
  #hasToldOfUnknownRules = false;

  /** `clock` must be the clock of `deps`. `onBeat` is called after every beat that was written. `version` is the program's. */
  constructor(
    deps: Deps,
    log: Logger,
    clock = new WatchedClock(deps.clock),
    onBeat = () => {},
    version: string | null = null,
  ) {
    this.#deps = deps;
    this.#log = log;
    this.#clock = clock;
    this.#quietTimes = new QuietTimeLoop(deps, log, clock);
    this.node = deps.random.uuid();
    this.#onBeat = onBeat;
    this.#version = version;
  }

  /**
   * Takes down the checks that are overdue. When there are none, it returns how many milliseconds to rest. The rest is
   * bounded because an edit may move a deadline closer. A ping cannot: grace is at least a minute.
   */
  async tick(): Promise<true | number> {
    // A check goes down only if it was overdue before the beat and still is after it. If the machine sleeps in between,
    // or its clock is set, checks that became overdue by that wait for the next tick.
    const before = this.#deps.clock.now();
    await this.ensureBeat();
    await this.#quietTimes.ensureBegun();
    const now = Math.min(before, this.#deps.clock.now());
    const onPoison = (checkId: number, err: unknown) =>
      this.#log.error({ event: 'check.not_evaluated', checkId, err });
    const onUnknownRules = ({ id }: { readonly id: number }) => this.#tellOfUnknownRules(id);
    if (await flipOverdue({ ...this.#deps, onPoison, onUnknownRules }, now)) return true;
    const next = await nextDeadlineAt(this.#deps);
    if (next === null) return MAX_REST_MS;
    const micros = next - this.#deps.clock.now();
    // Another node holds the row of the overdue check and decides on it in a moment.
    if (micros <= 0) return MIN_REST_MS;
    return Math.min(MAX_REST_MS, Math.ceil(micros / 1000));
  }

  /** One check says enough: all of them need the newer version. */
  #tellOfUnknownRules(checkId: number): void {
    if (this.#hasToldOfUnknownRules) return;
    this.#hasToldOfUnknownRules = true;
    this.#log.warn({ event: 'check.unknown_rules', checkId });
  }

  /**
   * Call it before pings are recorded: the first pings after a blind span must not find their checks down. They seldom
   * wait for it, because ticks beat more often.
   */
  async beforePings(): Promise<void> {
    await this.ensureBeat(BLIND_AFTER);
  }

  /** Records a beat unless one was recorded within `every`. */
  async ensureBeat(every: Micros = BEAT_SPAN): Promise<void> {
    // One beat at a time: a later batch of pings must not overtake one that waits for the beat.
    await this.#beating;
    if (this.#hasBeatWithin(every) && !this.#clock.hasJumped()) return;
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    await this.#beating;
  }

  /** Whether blindness would have been noticed by now: what checks look like can be trusted. */
  get isWatching(): boolean {
    return this.#hasBeatWithin(BLIND_AFTER) && !this.#clock.hasJumped();
  }

  #hasBeatWithin(span: Micros): boolean {
    return this.#lastBeat !== null && this.#clock.monotonic() - this.#lastBeat < span;
  }

  async #beat(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    await this.#clock.look();
    this.#tellOfClock();
    const result = await recordBeat(this.#deps, this.node, this.#hasBeatWithin(BLIND_AFTER), this.#version);
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
