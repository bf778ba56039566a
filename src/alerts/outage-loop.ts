import type { Logger } from 'pino';
import type { Deps } from '../services/core/deps.ts';
import { nextWakeAt, wakeOutages } from '../services/core/outages.ts';
import type { DeadlineLoop } from './deadline-loop.ts';

const MAX_REST_MS = 1_000;
const MIN_REST_MS = 20;

/**
 * Decides anew who is told of outages, when their time has come. What came due in a blind span is put off, so a beat comes
 * before each look.
 */
export class OutageLoop {
  readonly #deps: Deps;
  readonly #log: Logger;
  readonly #deadlines: Pick<DeadlineLoop, 'ensureBeat'>;

  constructor(deps: Deps, log: Logger, deadlines: Pick<DeadlineLoop, 'ensureBeat'>) {
    this.#deps = deps;
    this.#log = log;
    this.#deadlines = deadlines;
  }

  /** Returns true if there was work, else how many milliseconds to rest. The rest is bounded, since answers may set a time. */
  async tick(): Promise<true | number> {
    const before = this.#deps.clock.now();
    await this.#deadlines.ensureBeat();
    const now = Math.min(before, this.#deps.clock.now());
    const onPoison = (checkId: number, err: unknown) =>
      this.#log.error({ event: 'outage.not_planned', checkId, err });
    if (await wakeOutages({ ...this.#deps, onPoison }, now)) return true;
    const next = await nextWakeAt(this.#deps);
    if (next === null) return MAX_REST_MS;
    const micros = next - this.#deps.clock.now();
    // Another node holds the check and decides in a moment.
    if (micros <= 0) return MIN_REST_MS;
    return Math.min(MAX_REST_MS, Math.ceil(micros / 1000));
  }
}
