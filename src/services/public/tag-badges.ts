import { MAX_KEPT_AGE } from '../../domain/change-marks.ts';
import type { BadgeCounts, SignedTag } from '../../domain/public/badge.ts';
import { areCountsTrue, type TagCounts } from '../../domain/public/kept-counts.ts';
import { type Micros, seconds } from '../../lib/instant.ts';
import { KeptResults } from '../../lib/kept-results.ts';
import type { Deps } from '../core/deps.ts';
import { ofAccount, type Reads, valueRead } from '../core/reads.ts';
import { isTagSigned, type StatusDeps, tagBadge } from './badges.ts';

/** The badges whose counts are kept. The account with the most loses its least recently used one. */
export const MAX_KEPT_BADGES = 2_000;

/** Badge keys whose owners are known without a question. */
const MAX_KNOWN_OWNERS = 2_000;
/** The owner of a project is looked up again after this time: projects are handed over. */
const MAX_OWNER_AGE: Micros = seconds(60);

interface Answer {
  /** Null if there is no such badge. */
  readonly counts: TagCounts | null;
  readonly ownerId: number;
  readonly askedAt: Micros;
}

interface KnownOwner {
  /** Null if there is no such project. */
  readonly ownerId: number | null;
  readonly askedAt: Micros;
}

export const tagCounts = valueRead(
  ofAccount,
  (deps: StatusDeps, { signed }: { readonly signed: SignedTag; readonly ownerId: number }) =>
    tagBadge(deps, signed),
);

/**
 * The counts of badges of tags. They are kept until a recount could differ, so that a badge that everybody looks at costs
 * next to nothing, also while pings come.
 */
export class TagBadges {
  readonly #deps: Pick<Deps, 'store' | 'vault' | 'clock'>;
  readonly #reads: Reads;
  readonly #kept = new KeptResults<Answer>({
    maxSize: MAX_KEPT_BADGES,
    ownerOf: ({ ownerId }) => ownerId,
    isTrue: (answer) => this.#isTrue(answer),
  });

  readonly #owners = new KeptResults<KnownOwner>({
    maxSize: MAX_KNOWN_OWNERS,
    ownerOf: ({ ownerId }) => ownerId,
    isTrue: ({ ownerId, askedAt }) => ownerId !== null && this.#age(askedAt) < MAX_OWNER_AGE,
  });

  constructor(deps: Pick<Deps, 'store' | 'vault' | 'clock'>, reads: Reads) {
    this.#deps = deps;
    this.#reads = reads;
  }

  /** Returns null when there is no such badge. Equal counts are the same object while they are kept. */
  async countsOf({ badgeKey, signature, tag }: SignedTag): Promise<BadgeCounts | null> {
    // The signature is checked here, so that requests with invented addresses delay nobody else.
    if (!(await isTagSigned(this.#deps, { badgeKey, signature, tag }))) return null;
    const ownerId = await this.#ownerOf(badgeKey);
    if (ownerId === null) return null;
    const { counts } = await this.#kept.get(JSON.stringify([badgeKey, tag]), async () => {
      const askedAt = this.#deps.clock.monotonic();
      const signed = { badgeKey, signature, tag };
      const { head, pieces } = await this.#reads.ask(tagCounts, { signed, ownerId });
      await pieces.return?.();
      return { counts: head, ownerId, askedAt };
    });
    return counts?.counts ?? null;
  }

  /** Looking at a badge takes from the share of the account that owns the project. */
  async #ownerOf(badgeKey: string): Promise<number | null> {
    const { ownerId } = await this.#owners.get(badgeKey, async () => {
      const askedAt = this.#deps.clock.monotonic();
      const project = await this.#deps.store.projects.byBadgeKey(badgeKey);
      return { ownerId: project?.ownerId ?? null, askedAt };
    });
    return ownerId;
  }

  #isTrue({ counts, askedAt }: Answer): boolean {
    if (counts === null || this.#age(askedAt) >= MAX_KEPT_AGE) return false;
    const { clock, store } = this.#deps;
    return areCountsTrue(counts, clock.now(), store.marks.of(counts.projectId));
  }

  #age(since: Micros): Micros {
    return this.#deps.clock.monotonic() - since;
  }
}
