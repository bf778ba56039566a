import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { Flip, NewFlip } from '../check/flip.ts';
import { type AssignedChannel, withheldBecause } from './channel.ts';

/** `open` until it has been delivered, given up, or withheld: the channel is off, or does not want it. */
export type DeliveryState = 'open' | 'delivered' | 'given_up' | 'skipped';

/** The progress of a row of an outbox over all its attempts. */
export interface Progress {
  state: DeliveryState;
  attemptCount: number;
  /** When the next attempt is due. Null once it is finished. */
  nextAttemptAt: Instant | null;
  /** Until when a node holds it. The node may extend that. Null if no node holds it. */
  leasedUntilAt: Instant | null;
  /** The error of the last attempt. Empty after a success. */
  error: string;
  createdAt: Instant;
  finishedAt: Instant | null;
}

/** One message about one flip to one channel: a row of the outbox. */
export interface Delivery extends Progress {
  id: number;
  /** Identifies the message to providers, equal in all attempts. */
  uuid: string;
  checkId: number;
  channelId: number;
  flipId: number;
  /** The owner of the project when the message was queued: accounts take turns. Zero if unknown. */
  accountId: number;
  status: 'up' | 'down';
  /** Of a repeat, its number. Zero for the first message about the flip to the channel. */
  ordinal: number;
  /** Why the channel is told: words of the plan, apart by spaces. Empty: nothing was planned. */
  why: string;
  /** The message that tells of it together with others. Null: it is told by itself. */
  messageId: number | null;
}

export type NewDelivery = Omit<Delivery, 'id'>;

/** A message about an outage that the channel was told of before. */
export interface Repeat {
  readonly kind: 'again' | 'further_failure';
  /** When it was due: of a further failure, when that came. */
  readonly at: Instant;
}

/** As what a message was queued, and when. */
export type Queued = Pick<Delivery, 'ordinal' | 'why' | 'createdAt'>;

/** Null: the message is the first one to the channel about the change. */
export function repeatOf({ ordinal, why, createdAt }: Queued): Repeat | null {
  if (ordinal === 0) return null;
  return { kind: why.split(' ').includes('further_failure') ? 'further_failure' : 'again', at: createdAt };
}

/** Messages of one plan are queued at once. A group passes its own on to its members a little later. */
const TOLD_TOGETHER: Micros = seconds(60);

/** Whether two messages about a flip are told together. Otherwise one of them is a step or a repeat, or had to wait for its hours. */
export function isToldWith(one: Queued, other: Queued): boolean {
  const [repeat, otherRepeat] = [repeatOf(one), repeatOf(other)];
  if (repeat !== null || otherRepeat !== null) return repeat?.at === otherRepeat?.at;
  // Without a plan all are told together, however late a group is.
  if (one.why === '' && other.why === '') return true;
  return Math.abs(one.createdAt - other.createdAt) < TOLD_TOGETHER;
}

/** The request of an attempt and its answer, for people. Neither contains a secret, and both may be empty. */
export interface Exchange {
  readonly request: string;
  readonly answer: string;
}

export const NO_EXCHANGE: Exchange = { request: '', answer: '' };

/** One attempt and its result. */
export interface Attempt extends Exchange {
  deliveryId: number;
  n: number;
  startedAt: Instant;
  duration: Micros;
  error: string;
}

/**
 * Whether channels are told of the flip. They are told when a check goes down for a reason, and when it comes up after being
 * down. Coming up for the first time or after a pause ends no outage. If an edit took the check down, the editor sees it.
 */
export function isTold({ oldStatus, newStatus, reason }: Omit<NewFlip, 'checkId' | 'createdAt'>): boolean {
  return (newStatus === 'down' && reason !== '') || (newStatus === 'up' && oldStatus === 'down');
}

/** The outbox rows for a flip: one for each channel that is assigned at that moment. */
export function deliveriesOf(
  flip: Flip,
  channels: readonly AssignedChannel[],
  uuid: () => string,
  now: Instant,
): NewDelivery[] {
  if (!isTold(flip)) return [];
  const status = flip.newStatus === 'up' ? 'up' : 'down';
  return deliveriesTo({ checkId: flip.checkId, flipId: flip.id, status, ...UNPLANNED }, channels, uuid, now);
}

/** The first message, without a plan. */
const UNPLANNED = { ordinal: 0, why: '' };

/** Rows of the outbox with one message to several channels. Channels that are off get nothing; their rows say so. */
export function deliveriesTo(
  {
    checkId,
    flipId,
    status,
    ordinal,
    why,
  }: Pick<Delivery, 'checkId' | 'flipId' | 'status' | 'ordinal' | 'why'>,
  channels: readonly AssignedChannel[],
  uuid: () => string,
  now: Instant,
): NewDelivery[] {
  return channels.map(({ id, accountId, offReason }) => ({
    uuid: uuid(),
    checkId,
    flipId,
    accountId,
    status,
    ordinal,
    why,
    messageId: null,
    channelId: id,
    ...(offReason === null ? untried(now) : withheld(untried(now), withheldBecause(offReason), now)),
  }));
}

/** A row that is over without a further try. An empty reason: the channel does not want it. */
export function withheld<Row extends Progress>(row: Row, reason: string, now: Instant): Row {
  return {
    ...row,
    state: 'skipped',
    error: reason,
    nextAttemptAt: null,
    leasedUntilAt: null,
    finishedAt: now,
  };
}

/** A new row of an outbox, to be tried at once. */
export function untried(now: Instant): Progress {
  return {
    state: 'open',
    attemptCount: 0,
    nextAttemptAt: now,
    leasedUntilAt: null,
    error: '',
    createdAt: now,
    finishedAt: null,
  };
}

/**
 * After this time another node takes over from a node that died, unless the lease was extended. It must be longer than
 * the clocks of nodes differ, and longer than a living node may be blocked.
 */
export const LEASE_SPAN: Micros = seconds(15);
export const LEASE_EXTENDED_EVERY: Micros = seconds(5);

/** A message that is still not delivered after this time is given up. */
const GIVE_UP_AFTER: Micros = seconds(24 * 3600);

const PAUSES: readonly number[] = [10, 60, 300, 900, 3600].map(seconds);
const MAX_ERROR = 200;
/** Up to this attempt, a moved destination is tried again at once. */
const MAX_MOVES = 3;

/** The result of an attempt. An error is for people; at most 200 characters of it are kept. */
export type Outcome =
  /** `providerId` is how the provider calls the message, for a later one that answers it. */
  | { readonly kind: 'delivered'; readonly providerId?: string }
  /** Try again after a pause. It grows with each attempt, and is at least as long as the provider asked for. */
  | { readonly kind: 'try_again'; readonly error: string; readonly afterSeconds: number | null }
  /** The destination will never take a message again: the channel is switched off. */
  | { readonly kind: 'permanent'; readonly error: string }
  /** This message will never be accepted. The channel itself works. */
  | { readonly kind: 'refused'; readonly error: string }
  /** The destination has moved. These settings replace the channel's settings of the same names, and it is tried again. */
  | {
      readonly kind: 'reconfigure';
      readonly error: string;
      readonly settings: Readonly<Record<string, unknown>>;
    }
  /** Other channels of the project, given by UUID, send it instead. */
  | { readonly kind: 'passed_on'; readonly channels: readonly string[] };

export const DELIVERED: Outcome = { kind: 'delivered' };

export function tryAgain(error: string, afterSeconds: number | null = null): Outcome {
  return { kind: 'try_again', error, afterSeconds };
}

/** The row after an attempt: finished, or due again after a growing pause. `chance` (0 to 1) spreads the attempts. */
export function afterAttempt<Row extends Progress>(
  tried: Row,
  outcome: Outcome,
  now: Instant,
  chance: number,
): Row {
  const row: Row = { ...tried, leasedUntilAt: null };
  if (outcome.kind === 'delivered' || outcome.kind === 'passed_on') {
    return { ...row, state: 'delivered', error: '', nextAttemptAt: null, finishedAt: now };
  }
  const error = firstCharacters(outcome.error, MAX_ERROR);
  const isForGood = outcome.kind === 'permanent' || outcome.kind === 'refused';
  if (isForGood || now - row.createdAt >= GIVE_UP_AFTER) {
    return { ...row, state: 'given_up', error, nextAttemptAt: null, finishedAt: now };
  }
  // After several moves it waits like any other failure.
  if (outcome.kind === 'reconfigure' && row.attemptCount <= MAX_MOVES) {
    return { ...row, error, nextAttemptAt: now };
  }
  const pause = PAUSES[Math.min(row.attemptCount, PAUSES.length) - 1] ?? seconds(10);
  const spread = pause * (0.75 + chance / 2);
  return { ...row, error, nextAttemptAt: now + Math.round(Math.max(spread, askedPause(outcome))) };
}

/** The longest pause that a provider may ask for. */
const MAX_ASKED_PAUSE: Micros = seconds(3600);

/** For how long the provider wants no further message. */
export function askedPause(outcome: Outcome): Micros {
  const asked = outcome.kind === 'try_again' ? (outcome.afterSeconds ?? 0) : 0;
  return Math.min(seconds(asked), MAX_ASKED_PAUSE);
}
