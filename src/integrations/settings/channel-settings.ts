import { isDeepStrictEqual } from 'node:util';
import { BUTTON_CHOICES, type ButtonChoice } from '../../domain/alert/button.ts';
import {
  asChannelReport,
  CHANNEL_EVENTS,
  type Channel,
  type ChannelEvent,
  type ChannelReport,
  NOTICE_EVENTS,
  type NoticeEvent,
  type StoredSettings,
  TOLD_EVENTS,
} from '../../domain/alert/channel.ts';
import type { StormRule } from '../../domain/alert/together.ts';
import type { OutsideHours } from '../../domain/policy/recipients.ts';
import { Fault } from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import type { Vault } from '../../lib/vault.ts';
import type { Direction } from '../kind/alert-event.ts';
import { BUTTON_PLACEHOLDERS, type ButtonDisplay } from '../kind/button-display.ts';
import type { Kind } from '../kind/kind.ts';
import {
  maskValues,
  readValues,
  type SettingTable,
  type Source,
  sealValues,
  shownValues,
  unsealValues,
} from '../kind/setting.ts';
import { type ChannelKind, codeOf, kindOf, labelOf } from '../lookup.ts';
import {
  BUTTON_SETTINGS,
  COMMON_SETTINGS,
  HOURS_SETTINGS,
  MANY_SETTINGS,
  REPORT_SETTINGS,
  WORD_SETTINGS,
  withoutDefaults,
} from './common-settings.ts';
import { keepMasked } from './kept-secrets.ts';
import { type ServerSettings, serverSecrets } from './server-settings.ts';

/** Reads settings for a channel of the kind as a user gives them. */
export function readSettings(kind: ChannelKind, source: Source): Source | Fault {
  const code = codeOf(kind);
  const values = checkedSettings(code, source);
  if (values instanceof Fault) return values;
  return code.faultOfNew?.(values) ?? unheardEvent(kind, values) ?? unfitMany(kind, source, values) ?? values;
}

/**
 * The fault of a setting that only the provider can name, if none is stored or another one is given. An unchanged value
 * stays.
 */
export function typedFault(kind: ChannelKind, given: Source, stored: Source): Fault | null {
  const { label, settings } = codeOf(kind);
  for (const name of connectedNames(settings)) {
    const before = stored[name] ?? settings[name]?.default;
    const after = (Object.hasOwn(given, name) ? given[name] : before) ?? settings[name]?.default;
    if (after === undefined || !isDeepStrictEqual(after, before))
      return new Fault(`${name} cannot be given: connect ${label} in the dashboard`);
  }
  return null;
}

/** The settings that only the provider can name. */
export function connectedNames(settings: SettingTable): string[] {
  return Object.entries(settings)
    .filter(([, { connectedOnly = false }]) => connectedOnly)
    .map(([name]) => name);
}

/** The settings of the kind and those of every kind. */
export function settingTable(kind: ChannelKind): SettingTable {
  return tableOf(codeOf(kind));
}

export function settingNames(kind: ChannelKind): readonly string[] {
  return Object.keys(settingTable(kind));
}

export function tableOf(kind: Kind): SettingTable {
  const buttons = buttonDisplayOf(kind) === null ? {} : BUTTON_SETTINGS;
  return { ...ownTableOf(kind), ...COMMON_SETTINGS, ...buttons };
}

/** The settings of the kind without those of every kind. */
export function ownTableOf({ settings, takesOwnWords = false, isStateful = false }: Kind): SettingTable {
  const hours = 'hours' in settings ? {} : HOURS_SETTINGS;
  if (!takesOwnWords) return { ...settings, ...hours };
  return {
    ...settings,
    ...WORD_SETTINGS,
    ...hours,
    ...(isStateful ? {} : { ...MANY_SETTINGS, ...REPORT_SETTINGS }),
  };
}

/** How messages of the kind show buttons. Null if they have none. */
export function buttonDisplayOf({ buttons, takesOwnWords, fillsTemplates }: Kind): ButtonDisplay | null {
  return buttons ?? (takesOwnWords || fillsTemplates ? BUTTON_PLACEHOLDERS : null);
}

/** The same for a kind that may be unknown. */
export function buttonDisplay(kind: string): ButtonDisplay | null {
  const code = kindOf(kind);
  return code && buttonDisplayOf(code);
}

/** The buttons of messages of the kind, with these settings. */
export function buttonsOf(kind: Kind, { buttons = BUTTON_SETTINGS.buttons.default }: Source): ButtonChoice {
  if (buttonDisplayOf(kind) === null) return 'none';
  // A newer program may know further choices.
  return BUTTON_CHOICES.find((choice) => choice === buttons) ?? 'none';
}

export function checkedSettings(kind: Kind, source: Source): Source | Fault {
  const values = readValues(tableOf(kind), kind.complete?.(source) ?? source);
  if (values instanceof Fault) return values;
  return kind.faultOf?.(values) ?? withoutDefaults(values);
}

/** The channel's events: the wanted ones, as far as its other settings allow. */
export function eventsOf(kind: ChannelKind, values: Source): readonly ChannelEvent[] {
  const code = kindOf(kind);
  const read = code === null ? null : checkedSettings(code, values);
  if (code === null || read === null || read instanceof Fault) return [];
  return wantedBy(code, read);
}

/** The events that a stored channel is told of. One that cannot be read is told of all: its owner learns why that fails. */
export function heardEvents({ kind, settings }: Configured, vault: Vault): readonly ChannelEvent[] {
  const code = kindOf(kind);
  const stored = settingsOf({ settings }, vault);
  const values = code === null || stored instanceof Fault ? null : checkedSettings(code, stored);
  return code === null || values === null || values instanceof Fault
    ? CHANNEL_EVENTS
    : wantedBy(code, values);
}

/** The fault of an event that such a channel cannot be told of. */
function unheardEvent(kind: ChannelKind, values: Source): Fault | null {
  const { label } = codeOf(kind);
  const unheard = NOTICE_EVENTS.find((event) => eventsIn(values).includes(event));
  if (unheard === undefined || takesAnyWords({ kind, settings: { open: values, sealed: null } })) return null;
  return new Fault(
    `events cannot have ${unheard}: ${label} tells only of changes of status with these settings`,
  );
}

/** The fault of asking for one message of many, or for a report, where such a channel takes none. */
function unfitMany(kind: ChannelKind, source: Source, values: Source): Fault | null {
  const isAsked = (name: string) =>
    source[name] !== undefined && source[name] !== 0 && source[name] !== 'off';
  const asked = Object.keys({ ...MANY_SETTINGS, ...REPORT_SETTINGS }).find(isAsked);
  if (asked === undefined || takesAnyWords({ kind, settings: { open: values, sealed: null } })) return null;
  return new Fault(
    `${asked} cannot be given: ${codeOf(kind).label} takes no messages about several checks with these settings`,
  );
}

/** How often the channel gets the report of its project. Its secrets say nothing about it. */
export function reportOf(channel: Configured): ChannelReport {
  return takesAnyWords(channel) ? asChannelReport(openSettings(channel).report) : 'off';
}

/** From how many messages on the channel gets one. Its secrets say nothing about it. */
export function stormRuleOf(channel: Configured): StormRule {
  const { together_above: above = 0, together_seconds: span = 30 } = openSettings(channel) as {
    readonly together_above?: number;
    readonly together_seconds?: number;
  };
  return takesAnyWords(channel) ? { above, within: seconds(span) } : { above: 0, within: 0 };
}

/** When the channel is told of outages. */
export interface HoursRule {
  /** The name of a calendar of its project. Null: always. */
  readonly calendar: string | null;
  readonly outsideHours: OutsideHours;
}

/** The hours of a channel. Its secrets say nothing about them. */
export function hoursRuleOf(channel: Configured): HoursRule {
  const code = kindOf(channel.kind);
  const isKnown = code !== null && !('hours' in code.settings);
  const open: Source = isKnown ? openSettings(channel) : {};
  const { hours, outside_hours: outsideHours } = open;
  return {
    calendar: typeof hours === 'string' && hours !== '' ? hours : null,
    outsideHours: outsideHours === 'drop' ? 'drop' : 'hold',
  };
}

/** The UUIDs of those to whom the channel passes its messages on. It may be no group. */
export function groupMembers(channel: Configured): readonly string[] {
  const { channels } = channel.kind === 'group' ? openSettings(channel) : {};
  return Array.isArray(channels) ? channels.filter((uuid) => typeof uuid === 'string') : [];
}

/** Whether the channel may want to hear that a check goes down, or is up again. */
export function hears(channel: Configured, status: Direction): boolean {
  return eventsIn(openSettings(channel)).some((event) =>
    status === 'up' ? event === 'up' : event === 'down_timeout' || event === 'down_fail',
  );
}

/** The events that a channel with these settings is told of. */
export function wantedBy(code: Kind, values: Source): readonly ChannelEvent[] {
  const events = eventsIn(values);
  return events.filter((event) => code.wants(values, directionOf(event)));
}

/**
 * Whether messages to the channel open something at its provider that an up message closes, such as an incident. Secrets
 * decide nothing here, so none is unsealed.
 */
export function isStateful({ kind, settings }: Configured): boolean {
  const code = kindOf(kind);
  if (code === null) return false;
  const open: Source =
    typeof settings.open === 'object' && settings.open !== null ? { ...settings.open } : {};
  return code.isStateful === true || (code.endsTest?.(open) ?? null) !== null;
}

/** Whether the settings of such a channel can make it stateful. */
export function isStatefulBySettings(kind: string): boolean {
  return kindOf(kind)?.endsTest !== undefined && !isStateful({ kind, settings: { open: {}, sealed: null } });
}

/**
 * Whether the channel takes messages in any words, about no change of status or about several checks. Those would open
 * something at a stateful one that nothing closes.
 */
export function takesAnyWords(channel: Configured): boolean {
  return kindOf(channel.kind)?.takesOwnWords === true && !isStateful(channel);
}

/** Why the channel cannot be told of each success. Null if it can. */
export function whyNotToldOfSuccess(channel: Configured & Named): string | null {
  if (takesAnyWords(channel)) return null;
  const name = channel.name || channel.uuid;
  return `${name} cannot be told of each success: ${labelOf(channel.kind)} tells only of changes of status`;
}

interface Named {
  readonly name: string;
  readonly uuid: string;
}

/** Whether the channel may want to be told of that. Its secrets say nothing about it, so none is unsealed. */
export function mayWant(channel: Configured, event: NoticeEvent): boolean {
  return eventsIn(openSettings(channel)).includes(event) && takesAnyWords(channel);
}

function eventsIn(values: Source): readonly ChannelEvent[] {
  // The field of the setting lets nothing else pass.
  const { events = TOLD_EVENTS } = values as { readonly events?: readonly ChannelEvent[] };
  return events;
}

/** Settings that are no object have nothing in them. */
function openSettings({ settings: { open } }: Pick<Configured, 'settings'>): Source {
  return typeof open === 'object' && open !== null ? { ...open } : {};
}

/** What is not an alarm is told as loudly as the end of one. */
function directionOf(event: ChannelEvent): Direction {
  return event === 'down_timeout' || event === 'down_fail' ? 'down' : 'up';
}

/** The buttons of a stored channel's messages. None if its settings cannot be read. */
export function buttonChoice(channel: Configured, vault: Vault): ButtonChoice {
  const code = kindOf(channel.kind);
  const values = settingsOf(channel, vault);
  return code === null || values instanceof Fault ? 'none' : buttonsOf(code, values);
}

/** The settings that were given, with stored secrets in the place of masks. */
export function unmaskedSettings(kind: ChannelKind, given: Source, stored: Source): Source | Fault {
  return keepMasked(settingTable(kind), given, stored);
}

/** Secrets are masked; their public parts, such as the host of a URL, are shown. */
export function editableSettings(kind: ChannelKind, values: Source): Source {
  return shownValues(settingTable(kind), values);
}

/** The destination in words. Empty if it cannot be read. */
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
  const texts = [...differingTexts(values, shown), ...differingTexts(serverSecrets(server), null)];
  const pieces = texts.flatMap((text) => text.replace(/^https?:\/\/[^/?#]*/i, '').split(/[\s/?&=#@:]+/));
  const seen = JSON.stringify(shown);
  return [...new Set([...texts, ...texts.flatMap(encodedForms), ...pieces])]
    .filter((text) => text.length >= MIN_SECRET && !seen.includes(text))
    .sort((a, b) => b.length - a.length);
}

/** Shorter texts are words that occur anywhere. */
const MIN_SECRET = 8;

/** A provider may repeat an address or a JSON text. */
function encodedForms(text: string): string[] {
  return [encodeURIComponent(text.toWellFormed()), JSON.stringify(text).slice(1, -1)];
}

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

/** The stored settings of a channel, with secrets in plain text. */
export function settingsOf({ settings }: Pick<Channel, 'settings'>, vault: Vault): Source | Fault {
  return unsealValues(settings, vault);
}

/** The settings as the audit log keeps them: secrets are masked as a whole. */
export function maskedSettings(kind: ChannelKind, values: Source): Source {
  return maskValues(settingTable(kind), values);
}

/** The recipient who has to confirm that messages are wanted, and the way. */
export interface Recipient {
  readonly by: 'link' | 'code';
  readonly address: string;
}

/** Null if nobody has to. */
export function recipientOf(kind: ChannelKind, values: Source): Recipient | null {
  const { confirmation } = codeOf(kind);
  return confirmation === undefined ? null : { by: confirmation.by, address: confirmation.recipient(values) };
}
