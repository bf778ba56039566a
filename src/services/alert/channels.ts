import type { ButtonChoice } from '../../domain/alert/button.ts';
import {
  type Channel,
  type ChannelEvent,
  isStillConfirmed,
  MAX_PROJECT_CHANNELS,
  type SwitchedOff,
} from '../../domain/alert/channel.ts';
import { AppError } from '../../domain/errors.ts';
import { logged } from '../../domain/people/audit.ts';
import { isAllowed, mayWriteCommands } from '../../domain/people/permission.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import {
  buttonChoice,
  type ChannelKind,
  describeKind,
  editableSettings,
  eventsOf,
  type InstanceOffer,
  isChannelKind,
  labelOf,
  MASK,
  type Recipient,
  readSettings,
  recipientOf,
  runsCommands,
  settingNames,
  settingsOf,
  storedSettings,
  targetOf,
  typedFault,
  unmaskedSettings,
} from '../../integrations/registry.ts';
import { Fault, text } from '../../lib/fields.ts';
import type { AssignmentChange, Reads, Writes } from '../../storage/store.ts';
import { type Actor, ownChannel, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { isAddressProven } from '../people/address-proof.ts';
import { channelChanges, channelSettings, recordOnChannel } from './channel-acts.ts';
import { wakeForHours, withCalendarName } from './channel-hours.ts';
import { recipientIn } from './channel-links.ts';
import { answersFor } from './provider-answers.ts';

/** The settings of a kind as a caller gives them, not sealed. */
export type GivenSettings = Readonly<Record<string, unknown>>;

/** What requests give beside the settings of a kind. It is kept among them. */
export interface SharedSettings {
  /** The events that it is told about. Absent: as they are; of a new one all. */
  readonly events?: readonly string[] | undefined;
  /** What readers of its messages can do at once. Absent: as it is; of a new one the default. */
  readonly buttons?: string | undefined;
}

const SHARED_NAMES = ['events', 'buttons'] as const satisfies (keyof SharedSettings)[];

/** Deliveries deleted in one transaction. */
const MAX_DELETED_DELIVERIES = 1_000;

const nameField = text({ maxLength: TEXT_LIMITS.channelName });

/** Each channel comes with its last attempt, and why it is off. */
export async function listChannels(deps: Pick<Deps, 'store'>, actor: Actor): Promise<Channel[]> {
  requirePermission(actor, 'channels.view');
  return (await deps.store.channels.ofProject(actor.projectId)).map(answersFor(actor.caller).channel);
}

export interface ShownChannel {
  readonly channel: Channel;
  /**
   * Secret values are masked; their public parts, such as the host of a URL, are shown. Empty for people who may not
   * edit the channel.
   */
  readonly settings: GivenSettings;
  readonly events: readonly ChannelEvent[];
  readonly buttons: ButtonChoice;
  /** The destination in words. Masked for people who may not edit the channel. */
  readonly target: string;
}

export async function getChannel(
  deps: Pick<Deps, 'store' | 'vault'>,
  actor: Actor,
  uuid: string,
): Promise<ShownChannel> {
  requirePermission(actor, 'channels.view');
  return showChannel(deps, actor, ownChannel(actor, await deps.store.channels.byUuid(uuid)));
}

/** The channel as the actor may see it. If it cannot be read, settings and events are empty. */
export function showChannel({ vault }: Pick<Deps, 'vault'>, actor: Actor, stored: Channel): ShownChannel {
  requirePermission(actor, 'channels.view');
  const { kind } = ownChannel(actor, stored);
  const channel = answersFor(actor.caller).channel(stored);
  const values = settingsOf(channel, vault);
  if (values instanceof Fault || !isChannelKind(kind))
    return { channel, settings: {}, events: [], buttons: 'none', target: '' };
  const mayEdit = isAllowed(actor.caller, 'channels.edit');
  const { events: _events, buttons: _buttons, ...settings } = mayEdit ? editableSettings(kind, values) : {};
  const target = targetOf(kind, values);
  return {
    channel,
    settings,
    events: eventsOf(kind, values),
    buttons: buttonChoice(channel, vault),
    target: mayEdit || target === '' ? target : MASK,
  };
}

export interface CreateChannel extends SharedSettings {
  readonly kind: string;
  readonly name: string;
  readonly settings: GivenSettings;
  /** The checks that it is assigned to. Absent: to none. */
  readonly checks?: readonly string[] | 'all' | undefined;
  /** The operator's offer. A kind that is not offered is refused. Absent: every kind is accepted. */
  readonly offer?: InstanceOffer;
  /** Whether the recipient has confirmed the address. Only the program itself may say so. */
  readonly isVerified?: boolean;
  /** Whether the provider has named the settings, and not a person. Only the program itself may say so. */
  readonly isConnected?: boolean;
  /** Only the program itself may choose it. */
  readonly uuid?: string | undefined;
}

export async function createChannel(deps: Deps, actor: Actor, input: CreateChannel): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  return deps.store.transaction((tx) => createChannelIn(deps, tx, actor, input));
}

/** Does the same in the caller's transaction. */
export async function createChannelIn(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  { kind, name, settings, checks, offer, isVerified = false, isConnected, uuid, ...shared }: CreateChannel,
): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  const known = requireKind(kind);
  requireAuthor(actor, known);
  if (offer !== undefined) requireOffered(known, offer);
  const isProven = isConnected ?? isOperators(actor);
  const given = requireSettings(known, withShared(settings, shared), {}, isProven);
  const values = await withCalendarName(tx, actor.projectId, known, given);
  const others = await tx.channels.ofProject(actor.projectId);
  // Requests at the same moment may exceed the limit by a few, which does no harm.
  if (others.length >= MAX_PROJECT_CHANNELS) throw new AppError('channel_limit_reached');
  requireMembers(known, values, others);
  const verified = await isConfirmed(tx, actor, recipientOf(known, values), false, isVerified);
  const channel = await tx.channels.insert({
    uuid: uuid ?? deps.random.uuid(),
    projectId: actor.projectId,
    kind: known,
    name: requireName(name),
    settings: storedSettings(known, values, deps.vault),
    verified,
    off: null,
    createdAt: deps.clock.now(),
  });
  const assigned = checks === undefined ? null : await assign(tx, actor, channel, checks);
  const details = {
    after: { ...channelSettings(deps, channel), ...(assigned !== null && { checks: assigned.added.length }) },
  };
  await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.created', details });
  return channel;
}

/** Assigns the channel to these checks, and to no others. */
export async function assignChecks(
  deps: Deps,
  actor: Actor,
  uuid: string,
  checks: readonly string[] | 'all',
): Promise<AssignmentChange> {
  requirePermission(actor, 'channels.edit');
  return deps.store.transaction(async (tx) => {
    const channel = ownChannel(actor, await tx.channels.byUuid(uuid));
    return assignRecorded(deps, tx, actor, channel, checks);
  });
}

async function assignRecorded(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  channel: Channel,
  checks: readonly string[] | 'all',
): Promise<AssignmentChange> {
  const change = await assign(tx, actor, channel, checks);
  const [added, removed] = [change.added.length, change.removed.length];
  const details = added + removed === 0 ? null : { added, removed };
  await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.assigned', details });
  return change;
}

/** An assignment changes the checks, too. */
async function assign(
  tx: Writes,
  actor: Actor,
  channel: Channel,
  checks: readonly string[] | 'all',
): Promise<AssignmentChange> {
  requirePermission(actor, 'checks.edit');
  const change = await tx.channels.assign(channel, checks);
  if (change === null)
    throw new AppError('invalid_field', 'checks names a check that is not in the project', {
      field: 'checks',
    });
  return change;
}

/** Settings that somebody tries before saving them. */
export interface ChannelDraft extends SharedSettings {
  /** The channel that is being edited. Absent: a new one. */
  readonly uuid?: string | undefined;
  /** The kind of a new channel. */
  readonly kind?: string | undefined;
  readonly settings: GivenSettings;
}

/** The channel as it would be saved. A new one has no id. */
export async function draftChannel(
  deps: Deps,
  actor: Actor,
  { uuid, kind = '', settings, ...shared }: ChannelDraft,
  offer: InstanceOffer,
): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  const { store, vault } = deps;
  const edited = uuid === undefined ? null : ownChannel(actor, await store.channels.byUuid(uuid));
  const known = requireKind(edited?.kind ?? kind);
  requireAuthor(actor, known);
  if (edited === null) requireOffered(known, offer);
  const stored = edited === null ? {} : settingsOf(edited, vault);
  const before = stored instanceof Fault ? {} : stored;
  const given = requireSettings(known, withShared(settings, shared), before);
  const values = await withCalendarName(store, actor.projectId, known, given);
  const recipient = recipientOf(known, values);
  const wasConfirmed =
    edited !== null && isStillConfirmed(edited) && isSame(recipient, recipientOf(known, before));
  return {
    ...(edited ?? newDraft(deps, actor, known)),
    settings: storedSettings(known, values, vault),
    verified: await isConfirmed(store, actor, recipient, wasConfirmed),
    off: null,
  };
}

function newDraft({ random, clock }: Deps, { projectId }: Actor, kind: ChannelKind): Channel {
  return {
    ...{ id: 0, uuid: random.uuid(), projectId, kind, name: '', verified: false },
    settings: { open: {}, sealed: null },
    ...{ off: null, lastAttempt: null, failingSince: null, pausedUntilAt: null, createdAt: clock.now() },
  };
}

export interface EditChannel extends SharedSettings {
  /** Absent keeps the name. */
  readonly name?: string | undefined;
  /** Settings that are absent keep their values, and so do secrets whose mask is sent back. */
  readonly settings?: GivenSettings | undefined;
  /** Absent keeps the value, unless the recipient changes. Only the program itself may set it. */
  readonly isVerified?: boolean;
}

export interface EditAndAssign extends EditChannel {
  /** The checks that it is assigned to, and no others. Absent keeps them. */
  readonly checks?: readonly string[] | 'all' | undefined;
}

/** Saves the given fields, all or nothing. New settings switch the channel on. */
export async function editChannel(
  deps: Deps,
  actor: Actor,
  uuid: string,
  { checks, ...edit }: EditAndAssign,
): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  return deps.store.transaction(async (tx) => {
    // Checks are locked before channels, as pings do it.
    if (checks !== undefined)
      await assignRecorded(deps, tx, actor, ownChannel(actor, await tx.channels.byUuid(uuid)), checks);
    return editChannelIn(deps, tx, actor, uuid, edit);
  });
}

/** Does the same in the caller's transaction. */
export async function editChannelIn(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  uuid: string,
  { name, settings, isVerified, ...shared }: EditChannel,
): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  if (settings !== undefined) {
    const found = ownChannel(actor, await tx.channels.byUuid(uuid));
    await wakeForHours(tx, found, settings, deps.clock.now());
  }
  const channel = await lockOwnChannel(tx, actor, uuid);
  const kind = requireKind(channel.kind);
  if (settings !== undefined) requireAuthor(actor, kind);
  const stored = settingsOf(channel, deps.vault);
  // When the stored settings cannot be unsealed, the caller has to give all of them.
  const before = stored instanceof Fault ? {} : stored;
  const given = requireSettings(kind, withShared(settings ?? {}, shared), before, isOperators(actor));
  const values = await withCalendarName(tx, actor.projectId, kind, given);
  if (settings?.channels !== undefined)
    requireMembers(kind, values, await tx.channels.ofProject(actor.projectId));
  const recipient = recipientOf(kind, values);
  const wasConfirmed = isStillConfirmed(channel) && isSame(recipient, recipientOf(kind, before));
  const edited: Channel = {
    ...channel,
    name: name === undefined ? channel.name : requireName(name),
    settings: storedSettings(kind, values, deps.vault),
    verified: await isConfirmed(tx, actor, recipient, wasConfirmed, isVerified),
    off: settings === undefined ? channel.off : null,
  };
  await tx.channels.update(edited);
  const details = channelChanges(deps, channel, edited);
  await recordOnChannel(deps, tx, actor.by, edited, { action: 'channel.edited', details });
  return edited;
}

export async function renameChannel(deps: Deps, actor: Actor, uuid: string, name: string): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  return deps.store.transaction(async (tx) => {
    const channel = await lockOwnChannel(tx, actor, uuid);
    const renamed = { ...channel, name: requireName(name) };
    await tx.channels.update(renamed);
    const details = channelChanges(deps, channel, renamed);
    await recordOnChannel(deps, tx, actor.by, renamed, { action: 'channel.renamed', details });
    return renamed;
  });
}

/**
 * Nothing is sent to the channel until somebody switches it on or edits it. A channel that is already off keeps its
 * reason.
 */
export async function switchChannelOff(deps: Deps, actor: Actor, uuid: string): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  return deps.store.transaction(async (tx) => {
    const channel = await lockOwnChannel(tx, actor, uuid);
    const off: SwitchedOff = channel.off ?? { reason: 'switched_off', error: '', at: deps.clock.now() };
    await tx.channels.switchOff(channel, off);
    const details = channelChanges(deps, channel, { ...channel, off });
    await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.switched_off', details });
    return { ...channel, off };
  });
}

/**
 * Deliveries that were skipped while it was off are not sent later. A recipient who had unsubscribed has to confirm the
 * address again.
 */
export async function switchChannelOn(deps: Deps, actor: Actor, uuid: string): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  return deps.store.transaction(async (tx) => {
    const channel = await lockOwnChannel(tx, actor, uuid);
    const recipient = recipientIn(deps, channel);
    const verified = await isConfirmed(tx, actor, recipient, isStillConfirmed(channel));
    const on: Channel = { ...channel, verified, off: null };
    await tx.channels.update(on);
    const details = channelChanges(deps, channel, on);
    await recordOnChannel(deps, tx, actor.by, on, { action: 'channel.switched_on', details });
    return on;
  });
}

/**
 * Deletes the channel, its deliveries, and its place in checks and groups. It switches the channel off first. Then it
 * deletes deliveries in several transactions, so that no transaction takes long. An interrupted deletion can be
 * repeated.
 */
export async function deleteChannel(deps: Deps, actor: Actor, uuid: string): Promise<void> {
  requirePermission(actor, 'channels.edit');
  const channel = await switchChannelOff(deps, actor, uuid);
  let deleted: number;
  do {
    deleted = await deps.store.transaction((tx) =>
      tx.deliveries.deleteOfChannel(channel.id, MAX_DELETED_DELIVERIES),
    );
  } while (deleted === MAX_DELETED_DELIVERIES);
  await deps.store.transaction(async (tx) => {
    // Somebody else may have deleted it meanwhile, and recorded that.
    if ((await tx.channels.lock(channel.id)) === null) return;
    await tx.channels.delete(channel);
    const groups = await leaveGroups(deps, tx, actor.projectId, uuid);
    const details = { before: channelSettings(deps, channel), ...logged({ groups }) };
    await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.deleted', details });
  });
}

/** Returns the UUIDs of the groups that have lost the channel. */
async function leaveGroups(deps: Deps, tx: Writes, projectId: number, uuid: string): Promise<string[]> {
  const left: string[] = [];
  const groups = (await tx.channels.ofProject(projectId)).filter(({ kind }) => kind === 'group');
  for (const { id } of groups) {
    const group = await tx.channels.lock(id);
    if (group === null) continue;
    const values = settingsOf(group, deps.vault);
    if (values instanceof Fault || !membersIn(values).includes(uuid)) continue;
    const rest = { ...values, channels: membersIn(values).filter((member) => member !== uuid) };
    await tx.channels.setSettings(group, storedSettings('group', rest, deps.vault));
    left.push(group.uuid);
  }
  return left;
}

async function lockOwnChannel(tx: Writes, actor: Actor, uuid: string): Promise<Channel> {
  const found = ownChannel(actor, await tx.channels.byUuid(uuid));
  return ownChannel(actor, await tx.channels.lock(found.id));
}

function isSame(one: Recipient | null, other: Recipient | null): boolean {
  return one?.address === other?.address;
}

/**
 * Whether the recipient counts as confirmed. The program itself may say so, and an account confirms its own mail address
 * by giving it, if it is known to be its own. Otherwise the earlier state stays.
 */
async function isConfirmed(
  reads: Pick<Reads, 'accounts' | 'instance'>,
  { caller }: Actor,
  recipient: Recipient | null,
  wasConfirmed: boolean,
  given: boolean = wasConfirmed,
): Promise<boolean> {
  if (recipient === null) return true;
  if (caller.kind === 'system') return given;
  if (wasConfirmed || caller.kind === 'api_key' || recipient.by === 'code') return wasConfirmed;
  const account = await reads.accounts.byEmail(recipient.address.toLowerCase());
  return account?.id === caller.accountId && (await isAddressProven(reads, account));
}

/** Refuses a key or a token that would write a command for this machine. */
function requireAuthor({ caller }: Actor, kind: ChannelKind): void {
  if (!runsCommands(kind) || mayWriteCommands(caller)) return;
  throw new AppError('commands_by_people_only');
}

export function requireKind(kind: string): ChannelKind {
  if (!isChannelKind(kind))
    throw new AppError('invalid_field', 'kind has unexpected value', { field: 'kind' });
  return kind;
}

export function requireOffered(kind: ChannelKind, offer: InstanceOffer): void {
  const { missing } = describeKind(kind, offer);
  if (missing !== null)
    throw new AppError('kind_not_offered', `this service does not offer ${kind}: ${missing}`);
}

function withShared(settings: GivenSettings, shared: SharedSettings): GivenSettings {
  const given = SHARED_NAMES.filter((name) => shared[name] !== undefined);
  return { ...settings, ...Object.fromEntries(given.map((name) => [name, shared[name]])) };
}

function requireName(name: string): string {
  const read = nameField.read(name, 'name');
  if (read instanceof Fault) throw new AppError('invalid_field', read.reason, { field: 'name' });
  return read;
}

/** The file of the operator may name values that otherwise only a provider can name. */
function isOperators({ caller }: Actor): boolean {
  return caller.kind === 'system';
}

/** The settings of the channel after the given ones replaced the stored ones. `isProven`: no person has typed them. */
export function requireSettings(
  kind: ChannelKind,
  given: GivenSettings,
  stored: GivenSettings,
  isProven = false,
): GivenSettings {
  const unknown = Object.keys(given).find((name) => !settingNames(kind).includes(name));
  if (unknown !== undefined) {
    const isShared = SHARED_NAMES.some((name) => name === unknown);
    const reason = isShared ? `cannot be set: ${labelOf(kind)} has none` : 'is not known';
    throw wrongSetting(new Fault(`${unknown} ${reason}`));
  }
  const typed = isProven ? null : typedFault(kind, given, stored);
  if (typed !== null) throw wrongSetting(typed);
  const unmasked = unmaskedSettings(kind, given, stored);
  if (unmasked instanceof Fault) throw wrongSetting(unmasked);
  const values = readSettings(kind, { ...stored, ...unmasked });
  if (values instanceof Fault) throw wrongSetting(values);
  return values;
}

/** A fault begins with the name of its setting, after which parts of it may be named. */
export function wrongSetting({ reason }: Fault): AppError {
  const [path = ''] = /^[\w.-]*/.exec(reason) ?? [];
  const shared = SHARED_NAMES.find((name) => name === path.split('.')[0]);
  const field = shared ?? `settings.${path}`;
  return new AppError('invalid_field', reason, { field });
}

/** Each member of a group must be a channel of the project, and must not be a group. */
function requireMembers(kind: ChannelKind, values: GivenSettings, channels: readonly Channel[]): void {
  if (kind !== 'group') return;
  const known = new Set(channels.filter((channel) => channel.kind !== 'group').map(({ uuid }) => uuid));
  const unknown = membersIn(values).find((member) => !known.has(member));
  if (unknown !== undefined)
    throw new AppError('invalid_field', `there is no integration "${unknown}"`, {
      field: 'settings.channels',
    });
}

/** The UUIDs in the settings of a group. */
function membersIn({ channels }: GivenSettings): readonly string[] {
  return Array.isArray(channels) ? channels : [];
}
