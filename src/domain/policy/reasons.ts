import { type ToldEvent, toldEvent } from '../alert/channel.ts';
import type { FlipReason } from '../check/flip.ts';

/** What can keep an outage from being told, in the order in which it is asked. The first that is shut names the reason. */
export const GATES = ['quiet', 'snoozed', 'acknowledged', 'parent', 'bad_runs', 'wait', 'hours'] as const;

export type GateName = (typeof GATES)[number];

/** Why a channel is told. */
export const TOLD_REASONS = ['assigned', 'step', 'again', 'further_failure', 'together', 'instead'] as const;

export type ToldReason = (typeof TOLD_REASONS)[number];

/** What a message about the beginning of an outage is. One about the end is a first one. */
export const MESSAGE_EVENTS = ['first', 'step', 'again', 'further_failure'] as const;

export type MessageEvent = (typeof MESSAGE_EVENTS)[number];

/** What a message is that was queued for these reasons. */
export function eventOfMessage(because: readonly ToldReason[]): MessageEvent {
  const more = (['again', 'further_failure'] as const).find((event) => because.includes(event));
  return more ?? (because.includes('step') && !because.includes('assigned') ? 'step' : 'first');
}

/** The reasons as a delivery keeps them. A newer program may know further ones. */
export function reasonsOf(why: string): ToldReason[] {
  const words = why.split(' ');
  return TOLD_REASONS.filter((reason) => words.includes(reason));
}

/** The event that a channel may want or not. A further failure is one, whatever has opened the outage. */
export function wantedEvent(
  { status, why }: { status: 'up' | 'down'; why: string },
  reason: FlipReason,
): ToldEvent {
  return toldEvent(status, eventOfMessage(reasonsOf(why)) === 'further_failure' ? 'fail' : reason);
}

/** Why a channel is not told, or not yet. */
export const WITHHELD_REASONS = [
  'not_assigned',
  'event_not_wanted',
  'off',
  'unverified',
  'channel_hours',
  'already_told',
  'message_open',
  'again_limit',
  ...GATES,
] as const;

export type WithheldBecause = (typeof WITHHELD_REASONS)[number];
