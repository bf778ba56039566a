import type { Channel } from '../domain/channel.ts';
import { equalInConstantTime } from '../lib/vault.ts';
import type { Actor } from './actor.ts';
import type { Deps } from './deps.ts';

export async function listChannels(deps: Deps, actor: Actor): Promise<Channel[]> {
  return deps.store.channels.ofProject(actor.projectId);
}

const TOKEN_LENGTH = 32;

/** Lets a recipient, who may have no account, switch the channel off; nobody else can make it up. */
export function unsubscribeToken({ vault }: Pick<Deps, 'vault'>, { uuid }: Pick<Channel, 'uuid'>): string {
  return vault.digest(`unsubscribe ${uuid}`).slice(0, TOKEN_LENGTH);
}

/** The channel that the link belongs to; null when it is not right. */
export async function findByUnsubscribeLink(
  deps: Deps,
  uuid: string,
  token: string,
): Promise<Channel | null> {
  if (!equalInConstantTime(token, unsubscribeToken(deps, { uuid }))) return null;
  return deps.store.channels.byUuid(uuid);
}

export async function unsubscribe(deps: Deps, channel: Channel): Promise<void> {
  await deps.store.transaction((tx) => tx.channels.disable(channel.id));
}
