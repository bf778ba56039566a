import type { Channel } from '../domain/alert/channel.ts';
import { labelOf } from '../integrations/registry.ts';
import type { BoardChannelJson } from '../wire/dashboard/check-board-output.ts';

/** The channel as lists of checks and their editor show it. */
export function shownChannel({ uuid, kind, name, off }: Channel): BoardChannelJson {
  return { uuid, kind, label: labelOf(kind), name, isOff: off !== null };
}
