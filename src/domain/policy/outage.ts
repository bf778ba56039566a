import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Flip, FlipReason } from '../check/flip.ts';
import type { Policy } from './policy.ts';
import type { GateName } from './reasons.ts';

/**
 * `waiting`: not told yet. `told`: the gates have opened once. `recovering`: the check is up, and its policy wants more good
 * runs before the end is told. `over`: it has ended; a channel may still wait to hear it.
 */
export const OUTAGE_STATES = ['waiting', 'told', 'recovering', 'over'] as const;

export type OutageState = (typeof OUTAGE_STATES)[number];

/** The time from a flip to down with a reason until the check is up for good, paused or gone. */
export interface Outage {
  readonly checkId: number;
  /** The flip that opened it. All messages about its beginning belong to that flip. */
  readonly flipId: number;
  /** The reason of that flip. */
  readonly reason: FlipReason;
  readonly state: OutageState;
  readonly beganAt: Instant;
  /** When the gates opened first. Steps and repeats count from here. */
  readonly toldAt: Instant | null;
  readonly acknowledgedAt: Instant | null;
  readonly acknowledgedBy: string | null;
  /** Null: the acknowledgement lasts until the check is up. */
  readonly acknowledgedUntilAt: Instant | null;
  /** When the check came up, while more good runs are wanted. The length of the outage counts to here. */
  readonly recoveringAt: Instant | null;
  /** Good runs in a row since then. */
  readonly goodCount: number;
  readonly endedAt: Instant | null;
  /** The flip that ended it or, while it recovers, the flip to up. The message of the end belongs to that flip. */
  readonly endFlipId: number | null;
  /** The first gate that was shut when the plan was asked last. Null if none was. */
  readonly heldBy: GateName | null;
  /** The steps of the policy whose time had come. */
  readonly stepCount: number;
  /** The last ordinal that a repeat or a further failure was given. */
  readonly tellCount: number;
  /** Repeats so far. */
  readonly againCount: number;
  /** When the last repeat was due, or came if it was held. Null before the first. */
  readonly againAt: Instant | null;
  /** When to ask the plan again. Null: when something happens. */
  readonly wakeAt: Instant | null;
}

/** A channel that would have been told and was not, or not yet. Who waits for a beginning does not hear of the end. */
export interface OutageWait {
  readonly channelId: number;
  readonly status: 'up' | 'down';
  readonly reason: 'channel_hours';
}

/** The outage that a flip to down opens. */
export function outageOf(flip: Pick<Flip, 'id' | 'checkId' | 'reason' | 'createdAt'>): Outage {
  return {
    checkId: flip.checkId,
    flipId: flip.id,
    reason: flip.reason,
    state: 'waiting',
    beganAt: flip.createdAt,
    toldAt: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    acknowledgedUntilAt: null,
    recoveringAt: null,
    goodCount: 0,
    endedAt: null,
    endFlipId: null,
    heldBy: null,
    stepCount: 0,
    tellCount: 0,
    againCount: 0,
    againAt: null,
    wakeAt: null,
  };
}

/** The longest time for which a check can be snoozed. */
export const MAX_SNOOZE: Micros = seconds(30 * 86_400);

/** Whether somebody has taken the outage and the acknowledgement still lasts. */
export function isAcknowledged(
  { acknowledgedAt, acknowledgedUntilAt }: Pick<Outage, 'acknowledgedAt' | 'acknowledgedUntilAt'>,
  now: Instant,
): boolean {
  return acknowledgedAt !== null && (acknowledgedUntilAt === null || now < acknowledgedUntilAt);
}

/** Who has an outage, and since when. */
export interface Acknowledgement {
  readonly at: Instant;
  readonly by: string;
}

/** Undefined: nobody has it. */
export function acknowledgementOf(outage: Outage, now: Instant): Acknowledgement | undefined {
  const { acknowledgedAt: at, acknowledgedBy: by } = outage;
  return at !== null && isAcknowledged(outage, now) ? { at, by: by ?? '' } : undefined;
}

/** The outage after somebody has taken it. The first who does so stays, until the acknowledgement has run out. */
export function acknowledge(
  outage: Outage,
  by: string,
  { ackLasts }: Pick<Policy, 'ackLasts'>,
  now: Instant,
): Outage {
  if (isAcknowledged(outage, now)) return outage;
  return {
    ...outage,
    acknowledgedAt: now,
    acknowledgedBy: by,
    acknowledgedUntilAt: ackLasts === 0 ? null : now + ackLasts,
  };
}

/** The outage after an acknowledgement was taken back. */
export function unacknowledge(outage: Outage): Outage {
  return { ...outage, acknowledgedAt: null, acknowledgedBy: null, acknowledgedUntilAt: null };
}
