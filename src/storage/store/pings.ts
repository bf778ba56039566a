import type { Activity } from '../../domain/history/pulse.ts';
import type { NewPing, Ping, Signal } from '../../domain/ping/ping.ts';
import type { Instant, Micros } from '../../lib/instant.ts';

/** A check's pings with numbers between the two, which are not among them. */
export interface PingSpan {
  readonly above: number;
  readonly below: number;
}

/** Which bytes of long bodies are read, and how many at the most. */
export interface BodyPart {
  readonly end: 'first' | 'last';
  readonly most: number;
}

/** A body in object storage. */
export interface BodyObject {
  readonly size: number;
  /** The UUID in its key. The check may have another one by now. */
  readonly checkUuid: string;
}

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
  byNumber(checkId: number, n: number): Promise<Ping | null>;
  /** The newest or the oldest pings of the span, at most `limit`, in ascending order. */
  inSpan(checkId: number, span: PingSpan, which: 'newest' | 'oldest', limit: number): Promise<Ping[]>;
  /** How many pings of each signal the span has. */
  countBySignal(checkId: number, span: PingSpan): Promise<Map<Signal, number>>;
  /** The bodies of these pings, or parts of them, by number. Those in object storage are left out. */
  bodies(checkId: number, numbers: readonly number[], part: BodyPart): Promise<Map<number, Uint8Array>>;
  /**
   * How often these checks pinged in each span of time, since `from`. Of each check the newest `most` pings count. A span
   * is named by its number: its begin divided by its length.
   */
  activity(checkIds: readonly number[], from: Instant, most: number, span: Micros): Promise<Activity[]>;
  /** When the oldest stored ping was received. Null if there is none. */
  oldestAt(checkId: number): Promise<Instant | null>;
  /** The body of a ping if it is in the database, short or long. Null if the ping is gone or has none. */
  body(checkId: number, n: number): Promise<Uint8Array | null>;
  /** A body that has moved to object storage. Null if it has not moved. */
  objectOf(checkId: number, n: number): Promise<BodyObject | null>;
}

export interface PingWrites extends PingReads {
  insertMany(pings: readonly NewPing[]): Promise<void>;
  /**
   * Removes at most `most` pings up to number `upTo`, oldest first. Returns their number. Their bodies are not moved
   * any more, and their objects are queued for removal.
   */
  prune(checkId: number, upTo: number, most: number): Promise<number>;
}
