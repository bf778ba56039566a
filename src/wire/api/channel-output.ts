import type { Channel } from '../../domain/channel.ts';

export interface ChannelJson {
  id: string;
  name: string;
  kind: string;
}

/** Shows these fields only: settings contain addresses and secrets. */
export function channelJson({ uuid, name, kind }: Channel): ChannelJson {
  return { id: uuid, name, kind };
}
