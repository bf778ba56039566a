import {
  filled,
  fullBucket,
  type TokenBucket,
  type TokenRule,
  tokensIn,
  without,
} from '../lib/token-bucket.ts';
import type { Deps } from './deps.ts';

/** The most tokens that a node takes at once for requests to come. Each node may have as many in hand. */
export const MAX_PORTION = 64;

/** A node takes this part of what is there. Portions shrink with it, so that the last tokens reach whoever asks. */
const PORTION_PART = 8;

export interface Draw {
  /** Tokens that are now the caller's: none, or at least as many as were needed. */
  readonly granted: number;
  /** The bucket after it. */
  readonly bucket: TokenBucket;
}

/** Takes tokens out of the bucket that all nodes share for the project, some in advance, so that they are seldom asked for. */
export async function drawTokens(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  projectId: number,
  rule: TokenRule,
  needed: number,
): Promise<Draw> {
  return store.transaction(async (tx) => {
    const now = clock.now();
    const stored = await tx.rateBuckets.lock(projectId, fullBucket(rule, now));
    const bucket = filled(stored, rule, now);
    const available = tokensIn(bucket);
    const portion = Math.max(needed, Math.min(MAX_PORTION, Math.floor(available / PORTION_PART)));
    const granted = available < needed ? 0 : portion;
    const rest = without(bucket, granted);
    await tx.rateBuckets.save(projectId, rest);
    return { granted, bucket: rest };
  });
}
