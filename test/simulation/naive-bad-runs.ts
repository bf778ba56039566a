import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import type { Answer } from './answer.ts';
import type { PingRow } from './observed.ts';

/** How many bad runs an outage takes before it is told. */
export interface Threshold {
  readonly bad_runs?: number;
  readonly counts?: string;
}

/** The bad runs of one outage. Failures are counted; of runs that never came only the most there can have been is known. */
export class NaiveBadRuns {
  readonly #flip: Flip;
  readonly #lastGoodAt: Instant | null;
  readonly #failures: readonly Instant[];
  /** Whether something besides pings in time may have changed the count. */
  readonly #isUnsure: boolean;

  constructor(flip: Flip, until: Instant, pings: readonly PingRow[], flips: readonly Flip[]) {
    this.#flip = flip;
    const before = pings.filter(({ createdAt }) => createdAt <= flip.createdAt);
    this.#lastGoodAt = before.findLast(({ signal }) => signal === 'success')?.createdAt ?? null;
    const from = this.#lastGoodAt ?? 0;
    const since = pings.filter(({ createdAt }) => createdAt > from && createdAt <= until);
    this.#failures = since.filter(({ signal }) => signal === 'fail').map(({ createdAt }) => createdAt);
    const isOdd = ({ createdAt, newStatus }: Flip) =>
      createdAt > from && createdAt <= flip.createdAt && newStatus !== 'down';
    this.#isUnsure = since.some(({ occurredAt }) => occurredAt !== null) || flips.some(isOdd);
  }

  /** Whether there are too few of them at that time. `isSteady`: the check has had this schedule since the last good run. */
  hold({ bad_runs = 1, counts = 'all' }: Threshold, check: Check, isSteady: boolean, at: Instant): Answer {
    if (bad_runs <= 1 || (counts === 'failed' && this.#flip.reason !== 'fail')) return 'no';
    if (this.#isUnsure) return 'unsure';
    const failures = this.#failures.filter((time) => time <= at).length;
    if (failures >= bad_runs) return 'no';
    if (!isSteady || check.kind !== 'simple' || this.#lastGoodAt === null) return 'unsure';
    const missed = Math.floor((at - this.#lastGoodAt) / seconds(check.timeoutSeconds));
    const needed = counts === 'all' ? bad_runs - failures : 1;
    return missed < needed ? 'yes' : 'unsure';
  }

  /** Whether a run failed about that time. */
  hasFailure(at: Instant, slack: number): boolean {
    return this.#isUnsure || this.#failures.some((time) => Math.abs(time - at) <= slack);
  }

  get lastGoodAt(): Instant | null {
    return this.#lastGoodAt;
  }
}
