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
import type { Kind, OutboundMail, Ports, RateLimit, RequestKind } from './kind.ts';
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

export type { AlertEvent, OutboundMail };

/** The code for every kind of channel, by its name in the API and in the database. */
const KINDS = { email, group, po: pushover, slack, telegram, webhook };

export type ChannelKind = keyof typeof KINDS;

export const CHANNEL_KINDS: readonly string[] = Object.keys(KINDS);

// Only the kind knows the types of its settings. Other code treats them as unknown.
const kinds: Readonly<Record<string, Kind>> = KINDS;

/** All settings of operators for kinds, in the environment. */
export const SERVER_SETTINGS = {
  ...pushover.server,
  ...slack.server,
  ...telegram.server,
  ...webhook.server,
} satisfies EnvSettingTable;

export type ServerSettings = EnvValues<typeof SERVER_SETTINGS>;

/** The number of characters of an error that are kept. */
const MAX_ERROR = 200;

export function kindOf(kind: string): Kind | null {
  return Object.hasOwn(kinds, kind) ? (kinds[kind] ?? null) : null;
}

export function isChannelKind(kind: string): kind is ChannelKind {
  return kindOf(kind) !== null;
}

/** Reads settings for a channel of the kind as a user gives them. */
export function readSettings(kind: ChannelKind, source: Source): Source | Fault {
  const code = kinds[kind];
  if (code === undefined) throw new Error(`unreachable: ${kind} is in the list`);
  const values = checkedSettings(code, source);
  return values instanceof Fault ? values : (code.faultOfNew?.(values) ?? values);
}

export function settingTable(kind: ChannelKind): SettingTable {
  return KINDS[kind].settings;
}

/** The part of a channel that its settings need. */
export type Configured = Pick<Channel, 'kind' | 'settings'>;

/** Converts settings from `readSettings` to their stored form. */
export function storedSettings(kind: ChannelKind, values: Source, vault: Vault): StoredSettings {
  return sealValues(settingTable(kind), values, vault);
}

/** The stored settings of a channel in their current form, with secrets in plain text. */
export function settingsOf({ kind, settings }: Configured, vault: Vault): Source | Fault {
  const values = unsealValues(settings, vault);
  return values instanceof Fault ? values : (kindOf(kind)?.upgrade?.(values) ?? values);
}

/**
 * The settings in the form that people see. Sealed settings of a kind that this program does not know are not shown.
 */
export function shownSettings(channel: Configured, vault: Vault): Source {
  const code = kindOf(channel.kind);
  const values = code === null ? {} : settingsOf(channel, vault);
  return code === null || values instanceof Fault ? {} : maskValues(code.settings, values);
}

/** The given settings in the form that people see. */
export function maskedSettings(kind: ChannelKind, values: Source): Source {
  return maskValues(settingTable(kind), values);
}

/** The person who has to confirm that messages are wanted. Null if nobody has to. */
export function recipientOf(kind: ChannelKind, values: Source): string | null {
  return kinds[kind]?.recipient?.(values) ?? null;
}

/** Seals secrets that are stored in plain text. Null if there are none, or the settings cannot be read. */
export function sealedSettings(channel: Configured, vault: Vault): StoredSettings | null {
  const code = kindOf(channel.kind);
  if (code === null) return null;
  const inClear = unsealValues({ ...channel.settings, sealed: null }, vault);
  if (inClear instanceof Fault || !hasSecretInClear(code.settings, code.upgrade?.(inClear) ?? inClear))
    return null;
  const values = settingsOf(channel, vault);
  return values instanceof Fault ? null : sealValues(code.settings, values, vault);
}

/** A stored channel, ready to send. */
export interface OpenChannel {
  readonly needsBody: boolean;
  readonly needsStory: boolean;
  readonly limit: RateLimit | null;
  wants(to: Direction): boolean;
  /** The name of what its messages share with others on the same way: its host, or else its kind. */
  destination(to: Direction): string;
  /** False if its secrets were sealed under an unknown secret key. */
  readonly isReadable: boolean;
  /** Never throws: a failure in one channel must not keep others from sending. */
  send(event: AlertEvent, ports: Ports): Promise<Outcome>;
}

/**
 * Combines the channel with the code of its kind. A channel whose settings cannot be read wants every message: each
 * attempt then fails, and its owner learns why. These failures are retried: during an upgrade another node may already
 * understand the settings.
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
    needsStory: code.needsStory ?? false,
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
    needsStory: false,
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

/** Makes the requests one after the other. The first required one that fails decides the outcome. */
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
