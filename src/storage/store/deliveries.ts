import type { OwnedRow } from '../../domain/change.ts';
import type { Attempt, Delivery, NewDelivery } from '../../domain/delivery.ts';
import type { Instant } from '../../lib/instant.ts';

export interface DeliveryLease {
  readonly now: Instant;
  readonly until: Instant;
  readonly limit: number;
  readonly busyChannels: readonly number[];
}

/** A delivery as its owner may see it. */
export interface DeliveryRecord extends Delivery {
  readonly channelUuid: string;
  readonly channelKind: string;
  readonly channelName: string;
  readonly attempts: readonly Attempt[];
}

/** A delivery by its number, or by the UUID that its messages carry. */
export type DeliveryRef = { readonly id: number } | { readonly uuid: string };

export interface DeliveryReads {
  /**
   * The check's deliveries with their channels and tries, newest first, at most `limit`. Of skipped ones only those that
   * say why: the others are of no concern to their channel.
   */
  ofCheck(checkId: number, limit: number): Promise<DeliveryRecord[]>;
  /** When the next open delivery may be tried, or its lease runs out; null when none is open. */
  nextAttemptAt(): Promise<Instant | null>;
  /** When the oldest of those became due that could be leased at that time, apart from `busyChannels`. */
  oldestDueAt(now: Instant, busyChannels: readonly number[]): Promise<Instant | null>;
  /** How many are open, due or not. */
  openCount(): Promise<number>;
  /** How far the outbox has come, for operators. */
  progress(): Promise<{ lastId: number | null; openFlips: number }>;
}

export interface DeliveryWrites extends DeliveryReads {
  /** Of a flip and a channel that has been told of it already, or will be, nothing is inserted. */
  insertMany(deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Leases deliveries that are due until `until`, at most `limit`; each lease counts as a try. None is leased while an
   * earlier one of the same check and channel is open, nor for `busyChannels`.
   */
  lease(lease: DeliveryLease): Promise<Delivery[]>;
  /** Puts off the end of leases that are still held. */
  extend(deliveries: readonly Delivery[], until: Instant): Promise<void>;
  /** Gives leases back untried, due again at `at`. */
  release(deliveries: readonly Delivery[], at: Instant): Promise<void>;
  /** Gives all leases back untried, whoever holds them; says how many there were. */
  releaseAll(): Promise<number>;
  /** Saves how tries ended; returns those whose lease was not lost to somebody else meanwhile, with their projects. */
  settle(deliveries: readonly Delivery[]): Promise<OwnedRow[]>;
  /** No open one waits longer than until `at`, whatever it waits for. */
  bringForward(at: Instant): Promise<void>;
  /** Puts off what is due but has to wait for an earlier one, until that one's turn: nobody looks at it in vain. */
  holdBack(now: Instant): Promise<void>;
  /** These have ended: what waited for them is due. */
  letFollow(deliveries: readonly Delivery[], now: Instant): Promise<void>;
  /** Their deliveries must be there. */
  addAttempts(attempts: readonly Attempt[]): Promise<void>;
  /** Removes finished deliveries made before that time, at most `most`, and says how many. */
  prune(checkId: number, before: Instant, most: number): Promise<number>;
  /**
   * Records what came back about a delivery that ended, or was made, since `since`, and returns its channel; null, and
   * nothing done, for others.
   */
  amend(delivery: DeliveryRef, since: Instant, error: string): Promise<OwnedRow | null>;
  /** Removes deliveries to the channel, at most `most`, and says how many. */
  deleteOfChannel(channelId: number, most: number): Promise<number>;
}
