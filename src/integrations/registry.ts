import { isDeepStrictEqual } from 'node:util';
import { type Channel, type StoredSettings, TOLD_EVENTS, type ToldEvent } from '../domain/channel.ts';
import { DELIVERED, type Outcome, tryAgain } from '../domain/delivery.ts';
import type { EnvSettingTable, EnvValues } from '../lib/env-setting.ts';
import { Fault, type Field, type JsonSchema, someOf } from '../lib/fields.ts';
import { firstCharacters } from '../lib/text/excerpt.ts';
import { oneLine } from '../lib/text/one-line.ts';
import type { Vault } from '../lib/vault.ts';
import type { AlertEvent, Direction } from './alert-event.ts';
import { email } from './email/email.ts';
import { type NoteExchange, notingPorts } from './exchange.ts';
import { group } from './group/group.ts';
import {
  CATEGORIES,
  type Category,
  type Kind,
  type OutboundMail,
  type Ports,
  type RateLimit,
  type RequestKind,
} from './kind.ts';
import { NOTHING_TO_SEND, type Preview, previewOf } from './preview.ts';
import { pushover } from './pushover/pushover.ts';
import {
  hasSecretInClear,
  keepMasked,
  MASK,
  maskValues,
  readValues,
  type Setting,
  type SettingTable,
  type Source,
  sealValues,
  settingsSchema,
  shownValues,
  unsealValues,
} from './setting.ts';
import { slack } from './slack/slack.ts';
import { telegram } from './telegram/telegram.ts';
import { webhook } from './webhook/webhook.ts';

export type { AlertEvent, NoteExchange, OutboundMail, Preview };
export { MASK };

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

/** The settings of the kind and those of every kind. */
export function settingTable(kind: ChannelKind): SettingTable {
  return tableOf(KINDS[kind]);
}

/** All names under which a channel of the kind can be given a setting, also former ones. */
export function settingNames(kind: ChannelKind): readonly string[] {
  return [...Object.keys(settingTable(kind)), ...(kinds[kind]?.formerNames ?? [])];
}

function tableOf(kind: Kind): SettingTable {
  return { ...kind.settings, ...COMMON_SETTINGS };
}

/** Settings of every kind. */
const COMMON_SETTINGS = {
  events: {
    label: 'Tells on',
    field: eventsField(),
    control: 'text',
    default: TOLD_EVENTS,
  } satisfies Setting<readonly ToldEvent[]>,
};

function eventsField(): Field<readonly ToldEvent[]> {
  const { read, schema } = someOf(TOLD_EVENTS, 'What it is told of.');
  return {
    schema: { ...schema, minItems: 1, uniqueItems: true },
    read(value, name) {
      const events = read(value, name);
      if (events instanceof Fault) return events;
      if (events.length === 0) return new Fault(`${name} is empty`);
      return TOLD_EVENTS.filter((event) => events.includes(event));
    },
  };
}

/** The events that the channel is told of: those that it wants, as far as its other settings allow. */
export function eventsOf(kind: ChannelKind, values: Source): readonly ToldEvent[] {
  const code = kindOf(kind);
  const read = code === null ? null : checkedSettings(code, values);
  if (code === null || read === null || read instanceof Fault) return [];
  return wantedBy(code, read);
}

function wantedBy(code: Kind, values: Source): readonly ToldEvent[] {
  const { events = TOLD_EVENTS } = values as { readonly events?: readonly ToldEvent[] };
  return events.filter((event) => code.wants(values, directionOf(event)));
}

function directionOf(event: ToldEvent): Direction {
  return event === 'up' ? 'up' : 'down';
}

/** What the operator offers to channels. */
export interface InstanceOffer {
  readonly server: ServerSettings;
  /** Whether there is a mail server. */
  readonly hasMail: boolean;
}

/** A kind as data, from which forms and documentation are made. */
export interface KindDescription {
  readonly kind: ChannelKind;
  readonly label: string;
  readonly category: Category;
  readonly summary: string;
  readonly description: string;
  /** Of its own settings, without those of every kind. */
  readonly schema: JsonSchema;
  readonly settings: SettingTable;
  readonly example: Source;
  /** The setting of the operator that is missing. Null if the instance offers the kind. */
  readonly missing: string | null;
  /** Whether a person has to confirm that messages are wanted. */
  readonly needsConfirmation: boolean;
}

/** All kinds, by category. */
export function describeKinds(instance: InstanceOffer): KindDescription[] {
  return CATEGORIES.flatMap((category) =>
    CHANNEL_KINDS.filter(isChannelKind)
      .map((kind) => describeKind(kind, instance))
      .filter((one) => one.category === category),
  );
}

export function describeKind(kind: ChannelKind, instance: InstanceOffer): KindDescription {
  const code: Kind = KINDS[kind];
  const { label, category, summary, description, settings, example } = code;
  return {
    ...{ kind, label, category, summary, description, settings, example },
    schema: settingsSchema(settings),
    missing: missingSetting(code, instance),
    needsConfirmation: code.recipient !== undefined,
  };
}

function missingSetting({ sendsMail = false, requires = [] }: Kind, instance: InstanceOffer): string | null {
  if (sendsMail && !instance.hasMail) return 'EMAIL_HOST';
  const server: Readonly<Record<string, unknown>> = instance.server;
  return requires.find((name) => server[name] === null || server[name] === false) ?? null;
}

/** The settings that were given, with stored secrets in the place of masks. */
export function unmaskedSettings(kind: ChannelKind, given: Source, stored: Source): Source | Fault {
  return keepMasked(settingTable(kind), given, stored);
}

/** What people who may edit the channel see: of secrets only what is none. */
export function editableSettings(kind: ChannelKind, values: Source): Source {
  return shownValues(settingTable(kind), values);
}

/** The name of the kind that people see. */
export function labelOf(kind: string): string {
  return kindOf(kind)?.label ?? kind;
}

/** What people call the destination. Empty if it cannot be read. */
export function targetOf(kind: string, values: Source): string {
  const code = kindOf(kind);
  const read = code === null ? null : checkedSettings(code, values);
  return code === null || read === null || read instanceof Fault ? '' : code.target(read);
}

/**
 * Texts in which an answer of the provider would give a secret away: the secret parts of settings, and the pieces of
 * addresses and of headers.
 */
export function secretTexts(kind: string, values: Source, server: ServerSettings): readonly string[] {
  const code = kindOf(kind);
  const shown = code === null ? values : shownValues(tableOf(code), values);
  const ofServer = SECRET_SERVER_SETTINGS.map((name) => (server as Source)[name]);
  const texts = [...differingTexts(values, shown), ...differingTexts(ofServer, null)];
  const pieces = texts.flatMap((text) => text.replace(/^https?:\/\/[^/?#]*/i, '').split(/[\s/?&=#@:]+/));
  return [...new Set([...texts, ...pieces])]
    .filter((text) => text.length >= MIN_SECRET)
    .sort((a, b) => b.length - a.length);
}

/** Shorter texts are words that occur anywhere. */
const MIN_SECRET = 8;

/** The texts in the value that people do not see. */
function differingTexts(value: unknown, shown: unknown): string[] {
  if (typeof value === 'string') return value === shown ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  const seen: Source = typeof shown === 'object' && shown !== null ? { ...shown } : {};
  return Object.entries(value).flatMap(([name, part]) => differingTexts(part, seen[name]));
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

/** The settings as the audit log keeps them: secrets are masked as a whole. */
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
  wants(event: ToldEvent): boolean;
  /** The name of what its messages share with others on the same way: its host, or else its kind. */
  destination(to: Direction): string;
  /** False if its secrets were sealed under an unknown secret key. */
  readonly isReadable: boolean;
  /**
   * Never throws: a failure in one channel must not keep others from sending. `note` is called after each request with
   * what was sent and answered.
   */
  send(event: AlertEvent, ports: Ports, note?: NoteExchange): Promise<Outcome>;
  /** The requests and mails that would be sent. Secrets are masked before anything is made of them. */
  preview(event: AlertEvent, ports: Pick<Ports, 'writeMail'>): Promise<Preview>;
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
    wants: (event) => wantedBy(code, values).includes(event),
    destination: (to) => `${kind} ${code.destination(values, to)}`,
    send: (event, ports, note = () => {}) => {
      const noting = notingPorts(ports, () => secretTexts(kind, values, server), note);
      return safely(() => deliver(code, event, values, noting, server));
    },
    preview: (event, ports) =>
      previewOf(event, ports, (collecting) =>
        safely(() =>
          deliver(code, event, shownValues(tableOf(code), values), collecting, maskedServer(server)),
        ),
      ),
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
    preview: async () => ({ ...NOTHING_TO_SEND, error }),
  };
}

/** The operator's settings with their secrets masked. */
function maskedServer(server: ServerSettings): ServerSettings {
  const isSecret = (name: string) => SECRET_SERVER_SETTINGS.includes(name);
  const masked = Object.entries(server).map(([name, value]) => [
    name,
    isSecret(name) && value !== null ? MASK : value,
  ]);
  // Secrets are texts, and stay texts.
  return Object.fromEntries(masked) as ServerSettings;
}

const SECRET_SERVER_SETTINGS: readonly string[] = Object.entries(SERVER_SETTINGS)
  .filter(([, setting]) => 'secret' in setting && setting.secret)
  .map(([name]) => name);

function checkedSettings(kind: Kind, source: Source): Source | Fault {
  const values = readValues(tableOf(kind), kind.upgrade?.(source) ?? source);
  if (values instanceof Fault) return values;
  return kind.faultOf?.(values) ?? withoutDefaultEvents(values);
}

/** A channel that is told of everything does not say so: older ones do not, either. */
function withoutDefaultEvents(values: Source): Source {
  const { events, ...others } = values;
  return isDeepStrictEqual(events, TOLD_EVENTS) ? others : values;
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
