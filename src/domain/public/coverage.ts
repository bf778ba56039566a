import type { CheckSummary, Status } from '../check/check.ts';
import { splitTags } from '../check/tags.ts';
import { ALL_CHECKS, type BadgeCounts } from './badge.ts';

/** Names of checks in trouble that are kept for each tag. */
const MAX_NAMES = 3;

/** The state of some checks together, and the names of the checks that cause it. */
export interface Coverage extends BadgeCounts {
  readonly tag: string;
  readonly up: number;
  /** The first few names of the checks that are down, or else of the checks that are late. */
  readonly culprits: readonly string[];
}

interface Collected {
  total: number;
  up: number;
  grace: number;
  down: number;
  readonly downNames: string[];
  readonly lateNames: string[];
}

/** Collects the statuses of checks by tag. The whole project is the tag `*`. */
export class CoverageCollector {
  readonly #tags = new Map<string, Collected>();

  constructor() {
    this.#of(ALL_CHECKS);
  }

  add(check: Pick<CheckSummary, 'name' | 'tags'>, status: Status): void {
    // A check may also carry a tag named `*`.
    for (const tag of new Set([ALL_CHECKS, ...splitTags(check.tags)])) {
      const counts = this.#of(tag);
      counts.total++;
      if (status === 'up') counts.up++;
      if (status === 'down') note(counts, 'down', counts.downNames, check.name);
      if (status === 'grace') note(counts, 'grace', counts.lateNames, check.name);
    }
  }

  /** The project, and its tags with the worst first, then by name. */
  get result(): { readonly project: Coverage; readonly tags: readonly Coverage[] } {
    const all = Array.from(this.#tags, ([tag, counts]) => coverageOf(tag, counts));
    const [project, ...tags] = all;
    return { project: project ?? coverageOf(ALL_CHECKS, EMPTY), tags: tags.toSorted(worstFirst) };
  }

  #of(tag: string): Collected {
    return this.#tags.getOrInsertComputed(tag, () => ({ ...EMPTY, downNames: [], lateNames: [] }));
  }
}

const EMPTY: Collected = { total: 0, up: 0, grace: 0, down: 0, downNames: [], lateNames: [] };

function note(counts: Collected, status: 'down' | 'grace', names: string[], name: string): void {
  counts[status]++;
  if (names.length < MAX_NAMES) names.push(name);
}

function coverageOf(tag: string, { downNames, lateNames, ...counts }: Collected): Coverage {
  return { tag, ...counts, culprits: counts.down > 0 ? downNames : lateNames };
}

const names = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

function worstFirst(one: Coverage, other: Coverage): number {
  const rank = ({ down, grace }: Coverage) => (down > 0 ? 0 : grace > 0 ? 1 : 2);
  return rank(one) - rank(other) || names.compare(one.tag, other.tag);
}

/** A check among which somebody chooses. */
export interface ChoosableCheck extends Pick<CheckSummary, 'name' | 'slug' | 'uniqueKey' | 'badgeKey'> {
  readonly status: Status;
}
