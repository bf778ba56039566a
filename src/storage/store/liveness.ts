import type { Instant } from '../../lib/instant.ts';

/** A span of time in which no node could receive a ping. */
export interface BlindSpan {
  readonly from: Instant;
  readonly until: Instant;
}

/** A blind span about which not everybody has been told. */
export interface UntoldSpan extends BlindSpan {
  readonly id: number;
  /** Accounts up to this id have been told. */
  readonly toldUpTo: number;
}

export interface LivenessReads {
  /** The oldest blind span about which not everybody has been told. */
  untoldSpan(): Promise<UntoldSpan | null>;
  /** When any node was last known to be watching. Null before the first beat. */
  lastBeatAt(): Promise<Instant | null>;
  /** Blind spans that ended after that time, newest first. */
  blindSpansSince(from: Instant): Promise<BlindSpan[]>;
  /** The number of all blind spans so far, including removed ones. */
  blindSpanCount(): Promise<number>;
}

export interface LivenessWrites extends LivenessReads {
  /** Until the transaction ends, no other node can test whether any node was watching. */
  lock(): Promise<void>;
  /** Removes nodes whose last beat is later than that time. Returns their number. */
  forgetAfter(at: Instant): Promise<number>;
  /** Records that the node is watching. Removes nodes without a beat since `forget`. */
  beat(node: string, at: Instant, forget: Instant): Promise<void>;
  /**
   * Records up to which account people were told; null means everybody. Returns false if `from` is not the stored value
   * any more.
   */
  moveTold(spanId: number, from: number, to: number | null): Promise<boolean>;
  addBlindSpan(span: BlindSpan): Promise<void>;
  /**
   * Removes blind spans that ended before that time and about which everybody was told, at most `most`. Returns their
   * number.
   */
  pruneBlindSpans(before: Instant, most: number): Promise<number>;
}
