import {
  CHANNEL_EVENTS,
  type ChannelEvent,
  TOLD_EVENTS,
  type ToldEvent,
} from '../../domain/alert/channel.ts';
import { type CounterName, counterOf } from '../../domain/alert/message-quota.ts';
import type { JsonSchema } from '../../lib/fields.ts';
import type { Connection } from '../connect/connection.ts';
import type { ButtonDisplay } from '../kind/button-display.ts';
import { CATEGORIES, type Category, type Kind, type Requirement } from '../kind/kind.ts';
import { type SettingTable, type Source, settingsSchema } from '../kind/setting.ts';
import { CHANNEL_KINDS, type ChannelKind, codeOf, isChannelKind, kindOf } from '../lookup.ts';
import {
  buttonDisplayOf,
  connectedNames,
  ownTableOf,
  type Recipient,
  takesAnyWords,
} from './channel-settings.ts';
import type { ServerSettings } from './server-settings.ts';

/** The operator's offer to channels. */
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
  /** The steps of a person, as Markdown. */
  readonly setup: readonly string[];
  /** The schema of its own settings, without those of every kind. */
  readonly schema: JsonSchema;
  readonly settings: SettingTable;
  readonly example: Source;
  /** All settings of the operator that are missing: `A, B or C`. Null if the instance offers the kind. */
  readonly missing: string | null;
  /** The way in which the recipient confirms that messages are wanted. Null if nobody has to. */
  readonly confirmedBy: Recipient['by'] | null;
  /** Whether a person can set it up at the provider, instead of typing its settings. */
  readonly canConnect: boolean;
  /** Settings that nobody can type, since only the provider can name them. */
  readonly connectedOnly: readonly string[];
  /** Instructions to let this service into the destination. Null if nobody has to. */
  readonly invitation: string | null;
  /** The counter for its messages, since they cost the operator money. Null if they do not. */
  readonly counter: CounterName | null;
  /** The events that a form for a new one suggests. */
  readonly suggestedEvents: readonly ToldEvent[];
  /** All events that one can be told of. */
  readonly events: readonly ChannelEvent[];
  /** How its messages show buttons. Null if they have none. */
  readonly buttons: ButtonDisplay | null;
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
  const code = codeOf(kind);
  const { label, category, summary, description, setup, example } = code;
  const settings = ownTableOf(code);
  return {
    ...{ kind, label, category, summary, description, setup, settings, example },
    schema: settingsSchema(settings),
    missing: missingForPeople(code, instance),
    confirmedBy: code.confirmation?.by ?? null,
    canConnect: connectionOf(kind, instance) !== null,
    connectedOnly: connectedNames(settings),
    invitation: code.invitation?.(instance.server) ?? null,
    counter: counterOfKind(kind),
    suggestedEvents: code.suggestedEvents ?? TOLD_EVENTS,
    events: takesAnyWords({ kind, settings: { open: {}, sealed: null } }) ? CHANNEL_EVENTS : TOLD_EVENTS,
    buttons: buttonDisplayOf(code),
  };
}

/** The counter for messages of the kind. Null if they cost the operator nothing, or the kind is not known. */
export function counterOfKind(kind: string): CounterName | null {
  const quota = kindOf(kind)?.quota;
  return quota === undefined ? null : counterOf(quota);
}

/** The connection of the kind at the provider. Null if the instance does not offer that. */
export function connectionOf(kind: ChannelKind, instance: InstanceOffer): Connection | null {
  const code = codeOf(kind);
  const { connection = null } = code;
  if (connection === null || missingSettings(code, instance) !== null) return null;
  return missingOf(connection.requires, instance).length === 0 ? connection : null;
}

/** The kind whose connection comes back to `/integrations/<path>/`. */
export function kindOfConnection(path: string): ChannelKind | null {
  return CHANNEL_KINDS.filter(isChannelKind).find((kind) => codeOf(kind).connection?.path === path) ?? null;
}

/**
 * Kinds that the operator has switched on, but for which another setting is missing. Kinds that are on by default do
 * not count.
 */
export function incompleteKinds(
  instance: InstanceOffer,
): readonly { readonly kind: ChannelKind; readonly missing: string }[] {
  const server: Readonly<Record<string, unknown>> = instance.server;
  return CHANNEL_KINDS.filter(isChannelKind).flatMap((kind) => {
    const { requires = [], server: table } = codeOf(kind);
    const isOn = requires.flat().some((name) => server[name] === true && table[name]?.default === 'False');
    const missing = missingSettings(codeOf(kind), instance);
    return isOn && missing !== null ? [{ kind, missing }] : [];
  });
}

/** Kinds for which the operator has set something up, and all that they need. */
export function configuredKinds(instance: InstanceOffer): readonly ChannelKind[] {
  const server: Readonly<Record<string, unknown>> = instance.server;
  return CHANNEL_KINDS.filter(isChannelKind).filter((kind) => {
    const { requires = [], server: table } = codeOf(kind);
    const isSetUp = requires
      .flat()
      .some((name) => server[name] !== null && server[name] !== false && table[name]?.default !== 'True');
    return isSetUp && missingSettings(codeOf(kind), instance) === null;
  });
}

/** If nobody can type the settings, people also need the requirements of the connection. A file does not. */
function missingForPeople(code: Kind, instance: InstanceOffer): string | null {
  const isTyped = connectedNames(code.settings).length === 0;
  const connection = isTyped ? [] : missingOf(code.connection?.requires ?? [], instance);
  return [...new Set([...missingNames(code, instance), ...connection])].join(', ') || null;
}

function missingSettings(code: Kind, instance: InstanceOffer): string | null {
  return missingNames(code, instance).join(', ') || null;
}

function missingNames({ sendsMail = false, requires = [] }: Kind, instance: InstanceOffer): string[] {
  const mail = sendsMail && !instance.hasMail ? ['EMAIL_HOST'] : [];
  return [...mail, ...missingOf(requires, instance)];
}

/** If one of several settings is enough, all are named. */
function missingOf(requirements: readonly Requirement[], { server }: InstanceOffer): string[] {
  const values: Readonly<Record<string, unknown>> = server;
  const isMissing = (name: string) => values[name] === null || values[name] === false;
  return requirements
    .map((one) => [one].flat())
    .filter((names) => names.every(isMissing))
    .map((names) => names.join(' or '));
}
