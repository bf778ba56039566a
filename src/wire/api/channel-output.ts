import type { ButtonChoice } from '../../domain/alert/button.ts';
import type { Channel, ChannelEvent } from '../../domain/alert/channel.ts';
import { healthOf } from '../../domain/alert/channel-health.ts';
import { toIsoMicros } from '../../lib/instant.ts';

/** A channel where it is only mentioned, and in lists. */
export type ChannelRefJson = ReturnType<typeof channelRefJson>;

/** Exactly these: strict clients refuse a list that tells more. */
export function channelRefJson({ uuid, name, kind }: Pick<Channel, 'uuid' | 'name' | 'kind'>) {
  return { id: uuid, name, kind };
}

export type ChannelJson = ReturnType<typeof channelJson>;

export type ChannelStateJson = Omit<ChannelJson, keyof ChannelRefJson>;

/** A channel in a list, which tells how channels are only if it is asked to. */
export type ListedChannelJson = ChannelRefJson & Partial<ChannelStateJson>;

/** Exactly these: settings hold addresses and tokens that are nobody else's business. */
export function channelJson(channel: Channel) {
  const { verified, off, lastAttempt } = channel;
  return {
    ...channelRefJson(channel),
    verified,
    disabled: off !== null,
    disabled_reason: off?.reason ?? null,
    disabled_error: off?.error ?? '',
    disabled_since: toIsoMicros(off?.at),
    last_attempt: toIsoMicros(lastAttempt?.startedAt),
    last_error: lastAttempt?.error ?? '',
  };
}

/** A channel with its settings, for its editors. */
export type ChannelDetailsJson = ReturnType<typeof channelDetailsJson>;

export interface ShownChannelData {
  readonly channel: Channel;
  /** Secrets are masked. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly events: readonly ChannelEvent[];
  readonly buttons: ButtonChoice;
}

export function channelDetailsJson({ channel, settings, events, buttons }: ShownChannelData) {
  return {
    ...channelJson(channel),
    health: healthOf(channel),
    failing_since: toIsoMicros(channel.failingSince),
    events: [...events],
    settings: { ...settings },
    buttons,
  };
}

export interface KindData {
  readonly kind: string;
  readonly label: string;
  readonly category: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, { readonly secret?: boolean }>>;
  readonly example: Readonly<Record<string, unknown>>;
  readonly missing: string | null;
  readonly confirmedBy: 'link' | 'code' | null;
  readonly connectedOnly: readonly string[];
}

export type KindJson = ReturnType<typeof kindJson>;

export function kindJson(data: KindData) {
  const { kind, label, category, description, missing, confirmedBy, schema, settings, example } = data;
  return {
    ...{ kind, label, category, description, offered: missing === null, missing },
    needs_confirmation: confirmedBy !== null,
    confirmed_by: confirmedBy,
    settings: { ...schema },
    secrets: secretNames(settings),
    connected_only: [...data.connectedOnly],
    example: { ...example },
  };
}

export function secretNames(settings: KindData['settings']): string[] {
  return Object.entries(settings)
    .filter(([, { secret = false }]) => secret)
    .map(([name]) => name);
}

/** The messages that would be sent. */
export type PreviewJson = ReturnType<typeof previewJson>;

export interface PreviewData {
  readonly requests: readonly Readonly<{
    method: string;
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
  }>[];
  readonly mails: readonly Readonly<{ to: string; subject: string; text: string }>[];
  readonly channels: readonly string[];
  readonly error: string;
}

export function previewJson({ requests, mails, channels, error }: PreviewData) {
  return {
    requests: requests.map(({ method, url, headers, body }) => ({
      ...{ method, url, headers: { ...headers }, body },
    })),
    mails: mails.map(({ to, subject, text }) => ({ to, subject, text })),
    channels: [...channels],
    error,
  };
}
