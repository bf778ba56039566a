import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import type { RecordedSpan } from './naive-quiet.ts';
import type { Observed } from './observed.ts';

/** Between the time of a change and the look that finds it. */
const SLACK: Micros = seconds(2);

/** The quiet times of checks as the database has them, looked at whenever it has changed. */
export class QuietRecord {
  readonly #observed: Observed;
  readonly #slack: Micros;
  /** What the rows of checks said at the last look. */
  readonly #rows = new Map<number, string>();
  readonly #spans = new Map<number, readonly RecordedSpan[]>();

  /** `skew`: the most difference between the clocks of nodes. */
  constructor(observed: Observed, skew: Micros) {
    this.#observed = observed;
    this.#slack = SLACK + skew;
  }

  /** Those of a check, oldest first. */
  of(checkId: number): readonly RecordedSpan[] {
    return this.#spans.get(checkId) ?? [];
  }

  /** Returns the checks whose quiet time is another than at the last look. */
  async look(now: Instant): Promise<number[]> {
    const changed: number[] = [];
    for (const { id, from, until } of await this.#observed.quietChecks()) {
      const row = `${from} ${until}`;
      if (this.#rows.get(id) === row) continue;
      this.#rows.set(id, row);
      await this.#read(id, now);
      changed.push(id);
    }
    return changed;
  }

  async #read(checkId: number, now: Instant): Promise<void> {
    const before = this.of(checkId);
    const spans = (await this.#observed.quietSpansOf(checkId)).map(({ from, until }): RecordedSpan => {
      const known = before.find((span) => span.from === from);
      if (known === undefined) return { from, until, isSure: now <= from + this.#slack, isExtended: false };
      const isLonger = until > known.until;
      const isInTime = !isLonger || now <= known.until + this.#slack;
      return { from, until, isSure: known.isSure && isInTime, isExtended: known.isExtended || isLonger };
    });
    this.#spans.set(checkId, spans);
  }
}
