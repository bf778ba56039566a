import type { Attempt, Delivery, NewDelivery } from '../../domain/alert/delivery.ts';
import type { OwnedRow } from '../../domain/change.ts';
import type { FlipReason } from '../../domain/check/flip.ts';
import type { EarlierMessage } from '../../domain/history/alert-story.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Turn, TurnTaking } from './turns.ts';

export interface DeliveryLease {
  readonly now: Instant;
  readonly until: Instant;
  readonly turns: readonly Turn[];
  readonly busyChannels: readonly number[];
}

/** What a node does not lease now, although it is due. */
export interface HeldBack {
  /** Channels whose destination is busy. */
  readonly channels: readonly number[];
  /** Accounts that have their share of the messages under way. */
  readonly accounts: readonly number[];
}

/** A delivery as its owner sees it. */
export interface DeliveryRecord extends Delivery {
  readonly channelUuid: string;
  readonly channelKind: string;
  readonly channelName: string;
  readonly attempts: readonly Attempt[];
}

/** A delivery with its check and its attempts, as a channel shows it. */
export interface ChannelDelivery extends Delivery {
  /** Null if the check waits in the bin. */
  readonly checkUuid: string | null;
  readonly checkName: string;
  readonly reason: FlipReason;
  readonly attempts: readonly Attempt[];
}

/** How a recent delivery went. */
export interface RecentDelivery
  extends Pick<
    Delivery,
    'channelId' | 'state' | 'status' | 'attemptCount' | 'error' | 'createdAt' | 'finishedAt' | 'nextAttemptAt'
  > {
  readonly checkName: string;
}

/** Names a delivery by its id, or by the UUID in its messages. */
export type DeliveryRef = { readonly id: number } | { readonly uuid: string };

export interface DeliveryReads {
  /**
   * The check's deliveries with their channels and attempts, newest first, at most `limit`. Skipped ones are included
   * only if they have a reason: the others do not concern their channel.
   */
  ofCheck(checkId: number, limit: number): Promise<DeliveryRecord[]>;
  /** The deliveries of these flips, as above, oldest first. */
  ofFlips(flipIds: readonly number[]): Promise<DeliveryRecord[]>;
  /** What the first attempt of a delivery told, if another one follows. */
  keptStory(id: number): Promise<string | null>;
  /** The message that told the channel of the flip. Null if it was not delivered. */
  delivered(flipId: number, channelId: number): Promise<EarlierMessage | null>;
  /** The channel's deliveries in the same way, newest first, at most `limit`. */
  ofChannel(channelId: number, limit: number): Promise<ChannelDelivery[]>;
  /** The latest deliveries of each channel of the project, at most `limit` each, oldest first. */
  recentOfProject(projectId: number, limit: number): Promise<RecentDelivery[]>;
  /** When the next open delivery may be attempted, or its lease ends. Null if none is open. */
  nextAttemptAt(): Promise<Instant | null>;
  /** Of the deliveries that could be leased at that time, the oldest due time. What is held back does not count. */
  oldestDueAt(now: Instant, held: HeldBack): Promise<Instant | null>;
  /** The number of open deliveries, due or not. */
  openCount(): Promise<number>;
  /** How far the outbox has progressed, for operators. */
  progress(): Promise<{ lastId: number | null; openFlips: number }>;
}

export interface DeliveryWrites extends DeliveryReads, TurnTaking {
  /** Inserts deliveries. A pair of flip and channel that already has a delivery is skipped. */
  insertMany(deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Leases due deliveries until `until`, of each account as many as its turn allows. Each lease counts as an attempt. A
   * delivery is not leased while an earlier one of the same check and channel is open, or if its channel is in
   * `busyChannels`.
   */
  lease(lease: DeliveryLease): Promise<Delivery[]>;
  /** Extends leases that are still held. */
  extend(deliveries: readonly Delivery[], until: Instant): Promise<void>;
  /** Gives leases back without an attempt. The deliveries are due again at `at`. */
  release(deliveries: readonly Delivery[], at: Instant): Promise<void>;
  /** Gives all leases back without an attempt, whichever node holds them. Returns their number. */
  releaseAll(): Promise<number>;
  /** Saves how attempts ended. Returns the deliveries whose lease was still held, with their projects. */
  settle(deliveries: readonly Delivery[]): Promise<OwnedRow[]>;
  /** Afterwards no open delivery waits beyond `at`, for whatever reason. */
  bringForward(at: Instant): Promise<void>;
  /**
   * Postpones due deliveries of these accounts that have to wait for an earlier one, until that one is due. So nobody
   * looks at them in vain.
   */
  holdBack(now: Instant, accountIds: readonly number[]): Promise<void>;
  /** Postpones the waiting deliveries to the channel, so that none is due before `until`. */
  postponeTo(channelId: number, until: Instant): Promise<void>;
  /** Called when these have ended: the deliveries that waited for them are due now. */
  letFollow(deliveries: readonly Delivery[], now: Instant): Promise<void>;
  /** Keeps what these deliveries told, unless something is kept already. */
  keepStories(stories: readonly { readonly id: number; readonly story: string }[]): Promise<void>;
  forgetStories(ids: readonly number[]): Promise<void>;
  /** Keeps how providers call the messages of these deliveries, as long as the deliveries are kept. */
  keepProviderIds(messages: readonly { readonly id: number; readonly providerId: string }[]): Promise<void>;
  /**
   * Makes the channel's delivery due at `at`, also if it was given up. Returns false if it is neither given up nor open and
   * unattended.
   */
  reopen(channelId: number, uuid: string, at: Instant): Promise<boolean>;
  /** Adds attempts. Their deliveries must exist. */
  addAttempts(attempts: readonly Attempt[]): Promise<void>;
  /**
   * Makes an open delivery of the check due now, unless a node has it in hand. Returns its channel; null if there is no
   * such delivery, or it is over.
   */
  hurry(checkId: number, uuid: string, now: Instant): Promise<OwnedRow | null>;
  /** Removes finished deliveries created before that time, at most `most`. Returns their number. */
  prune(checkId: number, before: Instant, most: number): Promise<number>;
  /**
   * Records a late error of a delivery that ended or was created since `since`, and returns its channel. For other
   * deliveries it does nothing and returns null.
   */
  amend(delivery: DeliveryRef, since: Instant, error: string): Promise<OwnedRow | null>;
  /** Removes deliveries to the channel, at most `most`. Returns their number. */
  deleteOfChannel(channelId: number, most: number): Promise<number>;
  /** Ends the open deliveries about the check without a further try, for this reason. */
  withholdOfCheck(checkId: number, reason: string, now: Instant): Promise<void>;
  /** Removes deliveries about a check that is to be deleted, at most `most`. Returns their number. */
  deleteOfCheck(checkId: number, most: number): Promise<number>;
}
