import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import type { Answer } from './answer.ts';
import type { Gap } from './installation.ts';
import type { PingRow } from './observed.ts';

/** How many bad runs an outage takes before it is told. */
export interface Threshold {
  readonly bad_runs?: number;
  readonly counts?: string;
}

/** What has come to a check, and when nobody watched. */
interface Past {
  readonly pings: readonly PingRow[];
  readonly flips: readonly Flip[];
  readonly blindSpans: readonly Gap[];
}

/**
 * The most runs that can have been missed between these ends and until then: one for each period, unless its deadline passed while
 * nobody watched. The check has a period, and had it all the time.
 */
export function mostMissed(
  { timeoutSeconds, graceSeconds, runRules }: Check,
  ends: readonly Instant[],
  until: Instant,
  blindSpans: readonly Gap[],
): number {
  const [period, grace] = [seconds(timeoutSeconds), seconds(graceSeconds)];
  const isBlind = (at: Instant) => blindSpans.some((span) => at >= span.from && at < span.until);
  let most = 0;
  for (const [index, end] of ends.entries())
    for (let due = end + period; due <= (ends[index + 1] ?? until); due += period)
      // Rules may give it another limit.
      if (runRules !== '' || !isBlind(due + grace)) most++;
  return most;
}

/** The bad runs of one outage. Failures are counted; of runs that never came only the most there can have been is known. */
export class NaiveBadRuns {
  readonly #flip: Flip;
  readonly #lastGoodAt: Instant | null;
  readonly #failures: readonly Instant[];
  readonly #blindSpans: readonly Gap[];
  /** When runs began or were alive. One that is open may be bad by taking too long. */
  readonly #signs: readonly Instant[];
  /** Whether something besides pings in time may have changed the count. */
  readonly #isUnsure: boolean;

  constructor(flip: Flip, until: Instant, { pings, flips, blindSpans }: Past) {
    this.#flip = flip;
    this.#blindSpans = blindSpans;
    const before = pings.filter(({ createdAt }) => createdAt <= flip.createdAt);
    const good = before.findLast(({ signal }) => signal === 'success');
    this.#lastGoodAt = good?.createdAt ?? null;
    this.#signs = pings
      .filter(({ signal }) => signal === 'start' || signal === 'progress')
      .map(({ createdAt }) => createdAt);
    const from = this.#lastGoodAt ?? 0;
    const since = pings.filter(({ createdAt }) => createdAt > from && createdAt <= until);
    this.#failures = since.filter(({ signal }) => signal === 'fail').map(({ createdAt }) => createdAt);
    const isOdd = ({ createdAt, newStatus }: Flip) =>
      createdAt > from && createdAt <= flip.createdAt && newStatus !== 'down';
    const isLate = [good, ...since].some((ping) => ping !== undefined && ping.occurredAt !== null);
    this.#isUnsure = isLate || flips.some(isOdd);
  }

  /** Whether there are too few of them at that time. `isSteady`: the check has had this schedule since the last good run. */
  hold({ bad_runs = 1, counts = 'all' }: Threshold, check: Check, isSteady: boolean, at: Instant): Answer {
    if (bad_runs <= 1 || (counts === 'failed' && this.#flip.reason !== 'fail')) return 'no';
    if (this.#isUnsure) return 'unsure';
    const ends = this.#failures.filter((time) => time <= at);
    const failures = ends.length;
    if (failures >= bad_runs) return 'no';
    if (!isSteady || check.kind !== 'simple' || this.#lastGoodAt === null) return 'unsure';
    const open = this.#signs.some((time) => time <= at) ? 1 : 0;
    const missed = mostMissed(check, [this.#lastGoodAt, ...ends], at, this.#blindSpans) + open;
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
