import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import { firstCharacters } from '../lib/text/excerpt.ts';
import type { Flip, NewFlip } from './flip.ts';

/** `open` until it has been delivered, given up, or found to concern nobody. */
export type DeliveryState = 'open' | 'delivered' | 'given_up' | 'skipped';

/** How far a row of an outbox has come, over all its tries. */
export interface Progress {
  state: DeliveryState;
  attemptCount: number;
  /** When it may be tried, or tried again. Null once it is over. */
  nextAttemptAt: Instant | null;
  /** Until when somebody has it in hand, unless they ask for longer. Null while nobody has. */
  leasedUntilAt: Instant | null;
  /** What the last try ended with; empty after a success. */
  error: string;
  createdAt: Instant;
  finishedAt: Instant | null;
}

/** One message about one flip to one channel: a row of the outbox. */
export interface Delivery extends Progress {
  id: number;
  /** What providers know it by; stable over tries. */
  uuid: string;
  checkId: number;
  channelId: number;
  flipId: number;
  status: 'up' | 'down';
}

export type NewDelivery = Omit<Delivery, 'id'>;

/** A try, as it went. */
export interface Attempt {
  deliveryId: number;
  n: number;
  startedAt: Instant;
  duration: Micros;
  error: string;
}

/**
 * Coming up for the first time, or after a pause, ends no outage; pausing and resuming are no news either. Neither is
 * a check that went down for no reason but an edit, to whoever made it.
 */
export function isTold({ oldStatus, newStatus, reason }: Omit<NewFlip, 'checkId' | 'createdAt'>): boolean {
  return (newStatus === 'down' && reason !== '') || (newStatus === 'up' && oldStatus === 'down');
}

/** The rows of the outbox for a flip: one for each channel that is assigned at that moment. */
export function deliveriesOf(
  flip: Flip,
  channelIds: readonly number[],
  uuid: () => string,
  now: Instant,
): NewDelivery[] {
  if (!isTold(flip)) return [];
  const status = flip.newStatus === 'up' ? 'up' : 'down';
  return deliveriesTo({ checkId: flip.checkId, flipId: flip.id, status }, channelIds, uuid, now);
}

/** Rows of the outbox that tell several channels the same. */
export function deliveriesTo(
  { checkId, flipId, status }: Pick<Delivery, 'checkId' | 'flipId' | 'status'>,
  channelIds: readonly number[],
  uuid: () => string,
  now: Instant,
): NewDelivery[] {
  return channelIds.map((channelId) => ({
    uuid: uuid(),
    checkId,
    flipId,
    status,
    channelId,
    ...untried(now),
  }));
}

/** What is put into an outbox now, to be tried at once. */
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
 * For how long a lease lasts unless it is extended: what a node that died was about to send is up for anybody then.
 * Longer than clocks of nodes differ, and than a node that lives may be held up.
 */
export const LEASE_SPAN: Micros = seconds(15);
/** How often leases are extended whose try is still under way. */
export const LEASE_EXTENDED_EVERY: Micros = seconds(5);

/** A message that could not be delivered for so long is given up. */
const GIVE_UP_AFTER: Micros = seconds(24 * 3600);

const PAUSES: readonly number[] = [10, 60, 300, 900, 3600].map(seconds);
const MAX_ERROR = 200;
/** Tries of a message after which a destination that has moved is tried at once. */
const MAX_MOVES = 3;

/** How a try ended, as far as the outbox cares. An error is for people; at most 200 characters of it are kept. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** After a pause that grows with the tries, and that is at least as long as the provider asked for. */
  | { readonly kind: 'try_again'; readonly error: string; readonly afterSeconds: number | null }
  /** The destination will never take a message again: the channel is switched off. */
  | { readonly kind: 'permanent'; readonly error: string }
  /** This message will never be taken, though the channel itself is sound. */
  | { readonly kind: 'refused'; readonly error: string }
  /** The destination has moved: these settings replace what the channel has under their names, and it is tried again. */
  | {
      readonly kind: 'reconfigure';
      readonly error: string;
      readonly settings: Readonly<Record<string, unknown>>;
    }
  /** Other channels of the project, by their UUIDs, tell it instead. */
  | { readonly kind: 'passed_on'; readonly channels: readonly string[] };

export const DELIVERED: Outcome = { kind: 'delivered' };

export function tryAgain(error: string, afterSeconds: number | null = null): Outcome {
  return { kind: 'try_again', error, afterSeconds };
}

/** A row after a try: over, or due again after a pause that grows. `chance` (0 to 1) spreads the tries. */
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
  // One that moves again and again waits like any other failure.
  if (outcome.kind === 'reconfigure' && row.attemptCount <= MAX_MOVES) {
    return { ...row, error, nextAttemptAt: now };
  }
  const pause = PAUSES[Math.min(row.attemptCount, PAUSES.length) - 1] ?? seconds(10);
  const spread = pause * (0.75 + chance / 2);
  const afterSeconds = outcome.kind === 'try_again' ? outcome.afterSeconds : null;
  const asked = seconds(Math.min(afterSeconds ?? 0, 3600));
  return { ...row, error, nextAttemptAt: now + Math.round(Math.max(spread, asked)) };
}
