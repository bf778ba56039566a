import type { NewPing, Ping } from '../../domain/ping.ts';
import type { Instant } from '../../lib/instant.ts';

export interface PingReads {
  /** The check's newest pings, newest first, at most `limit`. */
  latest(checkId: number, limit: number): Promise<Ping[]>;
  /** Those before ping `n` and not older than `from`, in ascending order: what a run may have begun with. */
  before(checkId: number, n: number, from: Instant): Promise<Ping[]>;
  /** The last ping that came at that time or before. */
  lastUntil(checkId: number, at: Instant): Promise<Ping | null>;
  /** When the oldest stored ping came; null when there is none. */
  oldestAt(checkId: number): Promise<Instant | null>;
  /** The body of a ping, long or short, if it is in the database; null when the ping is gone or has none. */
  body(checkId: number, n: number): Promise<Uint8Array | null>;
  /** How long the body is that has moved to object storage; null when it has not. */
  objectSize(checkId: number, n: number): Promise<number | null>;
}

export interface PingWrites extends PingReads {
  insertMany(pings: readonly NewPing[]): Promise<void>;
  /**
   * Removes at most `most` pings up to number `upTo`, oldest first, and says how many. No body of theirs moves any
   * more, and what they have in object storage is queued for removal.
   */
  prune(checkId: number, upTo: number, most: number): Promise<number>;
}
