import type { Instant } from '../../lib/instant.ts';

/** A time in which no node could have seen a ping. */
export interface BlindSpan {
  readonly from: Instant;
  readonly until: Instant;
}

/** One that not everybody was told of. */
export interface UntoldSpan extends BlindSpan {
  readonly id: number;
  /** Accounts up to this id were. */
  readonly toldUpTo: number;
}

export interface LivenessReads {
  /** The oldest time of blindness that not everybody was told of. */
  untoldSpan(): Promise<UntoldSpan | null>;
  /** When any node was last known to be watching; null before the first. */
  lastBeatAt(): Promise<Instant | null>;
  /** Times of blindness that were not over by then, newest first. */
  blindSpansSince(from: Instant): Promise<BlindSpan[]>;
  /** How many there ever were, those that are removed included. */
  blindSpanCount(): Promise<number>;
}

export interface LivenessWrites extends LivenessReads {
  /** Until the transaction ends no other node finds out whether anybody was watching. */
  lock(): Promise<void>;
  /** Forgets nodes that claim to have been watching after that time; says how many. */
  forgetAfter(at: Instant): Promise<number>;
  /** The node is watching; nodes not heard of since `forget` are forgotten. */
  beat(node: string, at: Instant, forget: Instant): Promise<void>;
  /** Moves how far people were told of it, null for everybody; false if it is not as given any more. */
  moveTold(spanId: number, from: number, to: number | null): Promise<boolean>;
  addBlindSpan(span: BlindSpan): Promise<void>;
  /** Removes those that ended before that time and everybody was told of, at most `most`, and says how many. */
  pruneBlindSpans(before: Instant, most: number): Promise<number>;
}
