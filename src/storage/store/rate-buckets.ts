import type { TokenBucket } from '../../lib/token-bucket.ts';

/** The remaining requests of each owner: a project, or an account. */
export interface RateBucketWrites {
  /** The bucket of the owner, locked until the transaction ends. If there is none yet, it is created from `fresh`. */
  lock(ownerId: number, fresh: TokenBucket): Promise<TokenBucket>;
  save(ownerId: number, bucket: TokenBucket): Promise<void>;
}
