import type { TokenBucket } from '../../lib/token-bucket.ts';

/** What is left of each project's requests. */
export interface RateBucketWrites {
  /** The bucket of the project, held until the end of the transaction. Where there is none yet, `fresh` becomes it. */
  lock(projectId: number, fresh: TokenBucket): Promise<TokenBucket>;
  save(projectId: number, bucket: TokenBucket): Promise<void>;
}
