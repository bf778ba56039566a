import { type Instant, seconds } from '../../lib/instant.ts';
import type { Channel } from './channel.ts';

/** `waiting`: the channel has not sent anything yet, not even a test. */
export type ChannelHealth = 'delivering' | 'waiting' | 'failing' | 'unconfirmed' | 'disabled';

/** A channel that has failed for so long, while others worked, has a fault of its own. */
export const LEFT_BEHIND_AFTER = seconds(86_400);

/** Troubles of a channel that are reported to the owner of the project: it is off now, or it has failed for long. */
export type ChannelTrouble = 'off' | 'failing';

type Judged = Pick<Channel, 'off' | 'verified' | 'failingSince' | 'lastAttempt'>;

export function healthOf({ off, verified, failingSince, lastAttempt }: Judged): ChannelHealth {
  if (off !== null) return 'disabled';
  if (!verified) return 'unconfirmed';
  if (failingSince !== null) return 'failing';
  return lastAttempt === null ? 'waiting' : 'delivering';
}

/** Whether the channel has failed for a day, during which another one of the project has delivered. */
export function isLeftBehind(
  channel: Judged,
  others: readonly Pick<Channel, 'lastAttempt'>[],
  now: Instant,
): boolean {
  const { failingSince } = channel;
  if (healthOf(channel) !== 'failing' || failingSince === null) return false;
  if (now - failingSince < LEFT_BEHIND_AFTER) return false;
  return others.some(
    ({ lastAttempt }) =>
      lastAttempt !== null && lastAttempt.error === '' && lastAttempt.startedAt > failingSince,
  );
}
