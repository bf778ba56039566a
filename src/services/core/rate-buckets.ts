import {
  filled,
  fullBucket,
  type TokenBucket,
  type TokenRule,
  tokensIn,
  without,
} from '../../lib/token-bucket.ts';
import type { Deps } from './deps.ts';

/** The most tokens that a node takes in advance. Each node may hold as many. */
export const MAX_PORTION = 64;

/**
 * A node takes one part in this many of the remaining tokens, or as many as it needs. Portions become smaller as the
 * bucket empties, so that no node holds tokens that another one needs.
 */
const PORTION_PART = 8;

/** The owner of a bucket of requests. */
export interface BucketOwner {
  /** An account has a bucket for its sessions and one for its tokens. */
  readonly kind: 'project' | 'account' | 'tokens';
  readonly id: number;
}

export interface Draw {
  /** Tokens that the caller has received: 0, or at least as many as it needed. */
  readonly granted: number;
  /** The bucket after the draw. */
  readonly bucket: TokenBucket;
}

/**
 * Takes tokens out of the bucket that all nodes share for the project or the account. Some are taken in advance, so that
 * the database is asked seldom.
 */
export async function drawTokens(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { kind, id }: BucketOwner,
  rule: TokenRule,
  needed: number,
): Promise<Draw> {
  return store.transaction(async (tx) => {
    const now = clock.now();
    const buckets = { project: tx.rateBuckets, account: tx.accountRateBuckets, tokens: tx.tokenRateBuckets }[
      kind
    ];
    const stored = await buckets.lock(id, fullBucket(rule, now));
    const bucket = filled(stored, rule, now);
    const available = tokensIn(bucket);
    const portion = Math.max(needed, Math.min(MAX_PORTION, Math.floor(available / PORTION_PART)));
    const granted = available < needed ? 0 : portion;
    const rest = without(bucket, granted);
    await buckets.save(id, rest);
    return { granted, bucket: rest };
  });
}
