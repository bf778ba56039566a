import { MAX_KEPT_AGE } from '../domain/change-marks.ts';
import type { BadgeCounts, SignedTag } from '../domain/public/badge.ts';
import { areCountsTrue, type TagCounts } from '../domain/public/kept-counts.ts';
import type { Micros } from '../lib/instant.ts';
import { KeptResults } from '../lib/kept-results.ts';
import { isTagSigned } from './badges.ts';
import type { Deps } from './deps.ts';
import type { Reads } from './reads.ts';

/** The badges whose counts are kept. The one that was asked for longest ago is forgotten. */
export const MAX_KEPT_BADGES = 2_000;

/** Null if there is no such badge. */
type Answer = (TagCounts & { readonly askedAt: Micros }) | null;

/**
 * The counts of badges of tags. They are kept while they are what counting again would give, so that a badge that
 * everybody looks at costs next to nothing, also while pings come.
 */
export class TagBadges {
  readonly #deps: Pick<Deps, 'store' | 'vault' | 'clock'>;
  readonly #reads: Reads;
  readonly #kept = new KeptResults<Answer>({
    maxSize: MAX_KEPT_BADGES,
    isTrue: (answer) => this.#isTrue(answer),
  });

  constructor(deps: Pick<Deps, 'store' | 'vault' | 'clock'>, reads: Reads) {
    this.#deps = deps;
    this.#reads = reads;
  }

  /** Returns null when there is no such badge. Equal counts are the same object while they are kept. */
  async countsOf({ badgeKey, signature, tag }: SignedTag): Promise<BadgeCounts | null> {
    // The signature is checked here, so that requests with invented addresses delay nobody else.
    if (!isTagSigned(this.#deps, { badgeKey, signature, tag })) return null;
    const answer = await this.#kept.get(JSON.stringify([badgeKey, tag]), async () => {
      const askedAt = this.#deps.clock.monotonic();
      const question = { kind: 'tag_badge', tag: { badgeKey, signature, tag } } as const;
      const { head, pieces } = await this.#reads.ask(question);
      await pieces.return?.();
      return head && { ...head, askedAt };
    });
    return answer?.counts ?? null;
  }

  #isTrue(answer: Answer): boolean {
    if (answer === null) return false;
    const { clock, store } = this.#deps;
    if (clock.monotonic() - answer.askedAt >= MAX_KEPT_AGE) return false;
    return areCountsTrue(answer, clock.now(), store.marks.of(answer.projectId));
  }
}
