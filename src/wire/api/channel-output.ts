import type { Channel } from '../../domain/channel.ts';

/** Exactly these: settings hold addresses and tokens that are nobody else's business. */
export function channelJson({ uuid, name, kind }: Channel): { id: string; name: string; kind: string } {
  return { id: uuid, name, kind };
}
