import type { Channel, StoredSettings } from '../domain/channel.ts';
import { DELIVERED, type Outcome, tryAgain } from '../domain/delivery.ts';
import type { EnvSettingTable, EnvValues } from '../lib/env-setting.ts';
import { Fault } from '../lib/fields.ts';
import { firstCharacters } from '../lib/text/excerpt.ts';
import { oneLine } from '../lib/text/one-line.ts';
import type { Vault } from '../lib/vault.ts';
import type { AlertEvent, Direction } from './alert-event.ts';
import { email } from './email/email.ts';
import { group } from './group/group.ts';
import type { Kind, Ports, RateLimit, RequestKind } from './kind.ts';
import { pushover } from './pushover/pushover.ts';
import {
  hasSecretInClear,
  maskValues,
  readValues,
  type SettingTable,
  type Source,
  sealValues,
  unsealValues,
} from './setting.ts';
import { slack } from './slack/slack.ts';
import { telegram } from './telegram/telegram.ts';
import { webhook } from './webhook/webhook.ts';

/** The code for every kind of channel, by the name that the API and the database know it by. */
const KINDS = { email, group, po: pushover, slack, telegram, webhook };

export type ChannelKind = keyof typeof KINDS;

export const CHANNEL_KINDS: readonly string[] = Object.keys(KINDS);

// Which settings these are only the kind knows: to everybody else they are texts of its own.
const kinds: Readonly<Record<string, Kind>> = KINDS;

/** All that operators can say about kinds, in the environment. */
export const SERVER_SETTINGS = {
  ...pushover.server,
  ...slack.server,
  ...telegram.server,
  ...webhook.server,
} satisfies EnvSettingTable;

export type ServerSettings = EnvValues<typeof SERVER_SETTINGS>;

/** Characters of an error that are kept. */
const MAX_ERROR = 200;

export function kindOf(kind: string): Kind | null {
  return Object.hasOwn(kinds, kind) ? (kinds[kind] ?? null) : null;
}

export function isChannelKind(kind: string): kind is ChannelKind {
  return kindOf(kind) !== null;
}

/** Settings for a channel of the kind, as somebody gives them. */
export function readSettings(kind: ChannelKind, source: Source): Source | Fault {
  const code = kinds[kind];
  if (code === undefined) throw new Error(`unreachable: ${kind} is in the list`);
  const values = checkedSettings(code, source);
  return values instanceof Fault ? values : (code.faultOfNew?.(values) ?? values);
}

export function settingTable(kind: ChannelKind): SettingTable {
  return KINDS[kind].settings;
}

/** A channel as far as its settings are concerned. */
export type Configured = Pick<Channel, 'kind' | 'settings'>;

/** Settings that `readSettings` has read, as they are stored. */
export function storedSettings(kind: ChannelKind, values: Source, vault: Vault): StoredSettings {
  return sealValues(settingTable(kind), values, vault);
}

/** The stored settings of a channel, in their present form; secrets are in the clear. */
export function settingsOf({ kind, settings }: Configured, vault: Vault): Source | Fault {
  const values = unsealValues(settings, vault);
  return values instanceof Fault ? values : (kindOf(kind)?.upgrade?.(values) ?? values);
}

/** The same for people to see. What a program that knows more kinds has sealed is not shown. */
export function shownSettings(channel: Configured, vault: Vault): Source {
  const code = kindOf(channel.kind);
  const values = code === null ? {} : settingsOf(channel, vault);
  return code === null || values instanceof Fault ? {} : maskValues(code.settings, values);
}

/** Whoever has to confirm that messages are wanted; null where nobody has to. */
export function recipientOf(kind: ChannelKind, values: Source): string | null {
  return kinds[kind]?.recipient?.(values) ?? null;
}

/** The settings with the secrets sealed that stand in the clear; null where there are none, or it cannot be known. */
export function sealedSettings(channel: Configured, vault: Vault): StoredSettings | null {
  const code = kindOf(channel.kind);
  if (code === null) return null;
  const inClear = unsealValues({ ...channel.settings, sealed: null }, vault);
  if (inClear instanceof Fault || !hasSecretInClear(code.settings, code.upgrade?.(inClear) ?? inClear))
    return null;
  const values = settingsOf(channel, vault);
  return values instanceof Fault ? null : sealValues(code.settings, values, vault);
}

/** A stored channel, ready to tell. */
export interface OpenChannel {
  readonly needsBody: boolean;
  readonly limit: RateLimit | null;
  wants(to: Direction): boolean;
  /** What its messages share with others that go the same way: its host, or else its kind. */
  destination(to: Direction): string;
  /** False where its secrets were sealed under a secret key that is not known here. */
  readonly isReadable: boolean;
  /** Never throws: whatever goes wrong in one channel is its own failure, and no reason to skip the others. */
  send(event: AlertEvent, ports: Ports): Promise<Outcome>;
}

/**
 * The channel with the code of its kind. One that cannot be understood wants every message: each try fails then, and its
 * owner learns why. These failures are retried: during an upgrade another node may already understand the settings.
 */
export function openChannel(channel: Configured, server: ServerSettings, vault: Vault): OpenChannel {
  const { kind } = channel;
  const code = kindOf(kind);
  if (code === null) return brokenChannel(kind, `Channels of the kind "${kind}" are not supported`);
  const stored = settingsOf(channel, vault);
  const values = stored instanceof Fault ? stored : checkedSettings(code, stored);
  if (values instanceof Fault) {
    return brokenChannel(kind, `Invalid settings: ${values.reason}`, !(stored instanceof Fault));
  }
  return {
    isReadable: true,
    needsBody: code.needsBody,
    limit: code.limit?.(values) ?? null,
    wants: (to) => code.wants(values, to),
    destination: (to) => `${kind} ${code.destination(values, to)}`,
    send: (event, ports) => safely(() => deliver(code, event, values, ports, server)),
  };
}

function brokenChannel(kind: string, error: string, isReadable = true): OpenChannel {
  return {
    isReadable,
    needsBody: false,
    limit: null,
    wants: () => true,
    destination: () => kind,
    send: async () => shortened(tryAgain(error)),
  };
}

function checkedSettings(kind: Kind, source: Source): Source | Fault {
  const values = readValues(kind.settings, source);
  return values instanceof Fault ? values : (kind.faultOf?.(values) ?? values);
}

async function deliver(
  kind: Kind,
  event: AlertEvent,
  settings: Source,
  ports: Ports,
  server: ServerSettings,
): Promise<Outcome> {
  if ('deliver' in kind) return kind.deliver(event, settings, ports, server);
  const calls = kind.render(event, settings, server);
  return 'kind' in calls ? calls : makeCalls(kind, calls, ports);
}

/** One after the other; the first that fails and counts decides. */
async function makeCalls(
  kind: RequestKind<SettingTable, EnvSettingTable>,
  calls: Extract<ReturnType<typeof kind.render>, readonly unknown[]>,
  ports: Ports,
): Promise<Outcome> {
  for (const { isOptional = false, ...request } of calls) {
    const reply = await ports.http(request);
    const outcome = 'error' in reply ? tryAgain(reply.error) : kind.classify(reply);
    if (outcome.kind !== 'delivered' && !isOptional) return outcome;
  }
  return DELIVERED;
}

async function safely(send: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return shortened(await send());
  } catch (error) {
    return shortened(tryAgain(`Sending failed: ${error instanceof Error ? error.message : 'unknown error'}`));
  }
}

function shortened(outcome: Outcome): Outcome {
  if (!('error' in outcome)) return outcome;
  return { ...outcome, error: firstCharacters(oneLine(outcome.error), MAX_ERROR) };
}
