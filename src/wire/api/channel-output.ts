import type { Channel } from '../../domain/channel.ts';

export interface ChannelJson {
  id: string;
  name: string;
  kind: string;
}

/** Exactly these: settings hold addresses and tokens that are nobody else's business. */
export function channelJson({ uuid, name, kind }: Channel): ChannelJson {
  return { id: uuid, name, kind };
}
