import type { Channel } from '../domain/channel.ts';
import { type Actor, requirePermission } from './actor.ts';
import type { Deps } from './deps.ts';

export async function listChannels(deps: Deps, actor: Actor): Promise<Channel[]> {
  requirePermission(actor, 'channels.view');
  return deps.store.channels.ofProject(actor.projectId);
}

const UNSUBSCRIBE = 'unsubscribe';
const TOKEN_LENGTH = 32;

/** Lets a recipient, who may have no account, switch the channel off; nobody else can make it up. */
export function unsubscribeToken({ vault }: Pick<Deps, 'vault'>, { uuid }: Pick<Channel, 'uuid'>): string {
  return vault.sign(UNSUBSCRIBE, uuid, TOKEN_LENGTH);
}

/** The channel that the link belongs to; null when it is not right. */
export async function findByUnsubscribeLink(
  deps: Deps,
  uuid: string,
  token: string,
): Promise<Channel | null> {
  if (!deps.vault.isSigned(token, UNSUBSCRIBE, uuid, TOKEN_LENGTH)) return null;
  return deps.store.channels.byUuid(uuid);
}

export async function unsubscribe(deps: Deps, channel: Channel): Promise<void> {
  await deps.store.transaction((tx) => tx.channels.disable(channel));
}
