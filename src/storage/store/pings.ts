import type { NewPing, Ping } from '../../domain/ping.ts';
import type { Instant } from '../../lib/instant.ts';

export interface PingReads {
  /** The check's newest pings, newest first, at most `limit`. */
  latest(checkId: number, limit: number): Promise<Ping[]>;
  /**
   * Pings before ping `n` and not older than `from`, in ascending order. One of them may have started the run of ping
   * `n`.
   */
  before(checkId: number, n: number, from: Instant): Promise<Ping[]>;
  /** The last ping that was received at or before that time. */
  lastUntil(checkId: number, at: Instant): Promise<Ping | null>;
  /** When the oldest stored ping was received. Null if there is none. */
  oldestAt(checkId: number): Promise<Instant | null>;
  /** The body of a ping if it is in the database, short or long. Null if the ping is gone or has none. */
  body(checkId: number, n: number): Promise<Uint8Array | null>;
  /** The size of a body that has moved to object storage. Null if it has not moved. */
  objectSize(checkId: number, n: number): Promise<number | null>;
}

export interface PingWrites extends PingReads {
  insertMany(pings: readonly NewPing[]): Promise<void>;
  /**
   * Removes at most `most` pings up to number `upTo`, oldest first. Returns their number. Their bodies are not moved
   * any more, and their objects are queued for removal.
   */
  prune(checkId: number, upTo: number, most: number): Promise<number>;
}
