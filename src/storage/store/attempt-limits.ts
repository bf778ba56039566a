import type { FullAt } from '../../domain/attempt-limit.ts';
import type { Instant } from '../../lib/instant.ts';

/** The attempts that are left for each key. */
export interface AttemptLimitWrites {
  /** The state of the key, locked until the transaction ends. */
  lock(key: string): Promise<FullAt>;
  save(key: string, fullAt: Instant): Promise<void>;
  /** Removes keys that have all their attempts again, at most `most`. Returns their number. */
  prune(now: Instant, most: number): Promise<number>;
}
