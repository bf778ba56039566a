import type { Channel } from '../domain/channel.ts';
import type { Actor } from './actor.ts';
import type { Deps } from './deps.ts';

export async function listChannels(deps: Deps, actor: Actor): Promise<Channel[]> {
  return deps.store.channels.ofProject(actor.projectId);
}
