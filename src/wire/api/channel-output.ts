import type { Channel, OffReason } from '../../domain/channel.ts';
import { type Instant, toIsoMicros } from '../../lib/instant.ts';

/** A channel where it is only mentioned. */
export interface ChannelRefJson {
  id: string;
  name: string;
  kind: string;
}

export interface ChannelJson extends ChannelRefJson {
  verified: boolean;
  disabled: boolean;
  disabled_reason: OffReason | null;
  disabled_error: string;
  disabled_since: string | null;
  last_attempt: string | null;
  last_error: string;
}

/** Exactly these: settings hold addresses and tokens that are nobody else's business. */
export function channelJson({ uuid, name, kind, verified, off, lastAttempt }: Channel): ChannelJson {
  return {
    id: uuid,
    name,
    kind,
    verified,
    disabled: off !== null,
    disabled_reason: off?.reason ?? null,
    disabled_error: off?.error ?? '',
    disabled_since: isoOrNull(off?.at),
    last_attempt: isoOrNull(lastAttempt?.startedAt),
    last_error: lastAttempt?.error ?? '',
  };
}

function isoOrNull(at: Instant | null | undefined): string | null {
  return at === null || at === undefined ? null : toIsoMicros(at);
}
