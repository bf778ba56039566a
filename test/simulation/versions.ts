import type { Instant } from '../../src/lib/instant.ts';

/** A state: at the earliest since somebody began to bring it about, surely since that was seen. */
export interface Seen {
  readonly since: Instant;
  readonly seenAt: Instant;
}

/** Somebody is changing the state. */
export interface Change {
  since: Instant;
  /** Whether nobody else was changing it meanwhile. */
  isAlone: boolean;
}

/** The states of one thing that several people change, each of whom looks at it afterwards. */
export class Versions<V extends Seen> {
  readonly all: V[] = [];
  readonly #open = new Set<Change>();

  begin(now: Instant): Change {
    // Whoever looks while others are at work may see what they have done.
    const since = Math.min(now, ...[...this.#open].map((other) => other.since));
    const change = { since, isAlone: this.#open.size === 0 };
    for (const other of this.#open) other.isAlone = false;
    this.#open.add(change);
    return change;
  }

  /** The state that was seen afterwards. Null: it was not to be seen. */
  end(change: Change, version: V | null): void {
    this.#open.delete(change);
    if (version !== null) this.all.push(version);
  }

  get latest(): V | undefined {
    return this.all.at(-1);
  }

  /** When the oldest of the changes that are under way began. Null: there is none. */
  get changingSince(): Instant | null {
    return this.#open.size === 0 ? null : Math.min(...[...this.#open].map(({ since }) => since));
  }

  /** Those that may have been there in the span. */
  in(from: Instant, until: Instant): V[] {
    return this.all.filter(({ since }, index) => {
      const next = this.all[index + 1]?.seenAt ?? Number.POSITIVE_INFINITY;
      return since <= until && next >= from;
    });
  }
}
