import type { Instant } from '../../lib/instant.ts';
import type { AssignedChannel } from '../alert/channel.ts';
import type { Calendar } from './calendar.ts';
import { hoursAt } from './gates.ts';
import type { OutageWait } from './outage.ts';
import type { Step } from './policy.ts';
import type { ToldReason } from './reasons.ts';

/**
 * What becomes of an outage that begins outside of a channel's hours: it is told when they begin, if it still lasts, or never.
 */
export const OUTSIDE_HOURS = ['hold', 'drop'] as const;

export type OutsideHours = (typeof OUTSIDE_HOURS)[number];

/** A channel that the outage may be told to: it is assigned, or the policy names it, or it was told. */
export interface Recipient extends AssignedChannel {
  readonly uuid: string;
  readonly isAssigned: boolean;
  /** What it opens elsewhere must be closed: it is not told twice of a beginning, and of the end at once. */
  readonly isStateful: boolean;
  /** Null: always. */
  readonly hours: Calendar | null;
  readonly outsideHours: OutsideHours;
}

/** A channel that has got a message about the outage. */
export interface Told {
  readonly channelId: number;
  /** Whether a step told it first. */
  readonly byStep: boolean;
  /** Whether a message about the outage is still open. */
  readonly isOpen: boolean;
}

/** The hours of a channel: whether they keep a message back and until when, or since when they do not. */
export type Hold =
  | { readonly isHeld: true; readonly at: Instant }
  | { readonly isHeld: false; readonly at: Instant | null };

/** Whether the hours of the channel hold a message now. A channel that is off is told nothing at any time. */
export function heldUntil({ hours, offReason }: Pick<Recipient, 'hours' | 'offReason'>, now: Instant): Hold {
  if (hours === null || offReason !== null) return { isHeld: false, at: null };
  const { isOpen, at } = hoursAt(hours, now);
  return isOpen || at === null ? { isHeld: false, at } : { isHeld: true, at };
}

/** Why a channel is told of the beginning: it is assigned, steps that are due name it, or both. */
export function reasonsToTell(
  { isAssigned, uuid }: Pick<Recipient, 'isAssigned' | 'uuid'>,
  due: readonly Step[],
): ToldReason[] {
  return [
    ...(isAssigned ? (['assigned'] as const) : []),
    ...(due.some(({ tell }) => tell.includes(uuid)) ? (['step'] as const) : []),
  ];
}

/** Whether repeats and further failures are for this channel: it was told before. It may be unassigned, or off, by now. */
export function isRepeatedTo(recipient: Recipient, told: Told | undefined): boolean {
  if (told === undefined || recipient.isStateful) return false;
  return recipient.isAssigned || told.byStep;
}

/**
 * Why a channel is told of the end. Empty: it is not. Who waits for the beginning does not hear of the end, unless a group has told
 * it meanwhile.
 */
export function reasonsToEnd(
  { id, isAssigned }: Recipient,
  told: Told | undefined,
  waits: readonly OutageWait[],
): ToldReason[] {
  const isWaiting = waits.some(({ channelId, status }) => channelId === id && status === 'down');
  if (isWaiting && told === undefined) return [];
  return [
    ...(isAssigned ? (['assigned'] as const) : []),
    ...(told?.byStep === true ? (['step'] as const) : []),
  ];
}
