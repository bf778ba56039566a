import type { TokenBucket } from '../../lib/token-bucket.ts';

/** The remaining requests of each project. */
export interface RateBucketWrites {
  /** The bucket of the project, locked until the transaction ends. If there is none yet, it is created from `fresh`. */
  lock(projectId: number, fresh: TokenBucket): Promise<TokenBucket>;
  save(projectId: number, bucket: TokenBucket): Promise<void>;
}
