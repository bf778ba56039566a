import type { Instant } from '../../lib/instant.ts';

/** The attempts that are left for each key. */
export interface AttemptLimitWrites {
  /** When the key has all its attempts again, locked until the transaction ends. 0 for a key that is not known. */
  lock(key: string): Promise<Instant>;
  save(key: string, fullAt: Instant): Promise<void>;
  /** Removes keys that have all their attempts again, at most `most`. Returns their number. */
  prune(now: Instant, most: number): Promise<number>;
}
