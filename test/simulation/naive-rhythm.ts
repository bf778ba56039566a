import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';

/** A repeat that is so late keeps the rhythm, and may be followed so much sooner by the next. */
export const KEEPS_RHYTHM: Micros = seconds(60);

/** The rules of repeats. */
export interface RepeatRules {
  readonly again?: number;
  readonly again_most?: number;
}

/** How many repeats there are at most. */
export function mostOf({ again = 0, again_most = 48 }: RepeatRules): number {
  return again === 0 ? 0 : again_most;
}

/**
 * When the next repeat of an outage comes, as time goes on and rules change. A repeat that nobody hears leaves no trace, but it
 * counts, and the next one comes a period after it.
 */
export class Rhythm {
  readonly #times: readonly Instant[];
  readonly #slack: Micros;
  #passed = 0;
  #lastAt: Instant;
  /** From when the next one counts, at the earliest and at the latest. */
  #earliest: Instant;
  #latest: Instant;
  /** How many there may have been. */
  #count = 0;
  /** From when the next one counts, if all that may have come without a trace have come as early as they could. */
  #counted: Instant;

  /** `times`: of those that have left a trace. */
  constructor(toldAt: Instant, times: readonly Instant[], slack: Micros) {
    this.#times = times;
    this.#slack = slack;
    this.#lastAt = toldAt;
    this.#earliest = toldAt;
    this.#latest = toldAt;
    this.#counted = toldAt;
  }

  passTo(at: Instant): void {
    for (const time of this.#times.slice(this.#passed)) {
      if (time > at) return;
      this.#passed++;
      this.#count++;
      this.#lastAt = time;
      this.#latest = time;
      this.#earliest = time - KEEPS_RHYTHM;
      this.#counted = this.#earliest;
    }
  }

  /** The last one that has left a trace, or the first message. */
  get lastAt(): Instant {
    return this.#lastAt;
  }

  /** Whether one may come at that time, if these are the possible rules. */
  mayCome(possible: readonly RepeatRules[], at: Instant): boolean {
    const most = Math.max(...possible.map(mostOf));
    return this.#passed < most && at >= this.#earliest + shortestOf(possible) - this.#slack;
  }

  /** One may have come then without a trace. */
  lose(possible: readonly RepeatRules[], at: Instant): void {
    this.#latest = Math.max(this.#latest, at);
    const dueAt = this.#counted + shortestOf(possible);
    if (at < dueAt - this.#slack) return;
    this.#count++;
    this.#counted = Math.max(dueAt, at - KEEPS_RHYTHM) - this.#slack;
  }

  /** Whether one is surely due at that time. */
  isDue(possible: readonly RepeatRules[], at: Instant): boolean {
    const longest = Math.max(...possible.map(({ again = 0 }) => seconds(again)));
    return possible.every((rules) => this.#count < mostOf(rules)) && at >= this.#latest + longest;
  }
}

function shortestOf(possible: readonly RepeatRules[]): Micros {
  return Math.min(...possible.flatMap(({ again = 0 }) => (again === 0 ? [] : [seconds(again)])));
}
