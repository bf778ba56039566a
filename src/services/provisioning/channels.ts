import { isDeepStrictEqual } from 'node:util';
import { type Channel, MAX_PROJECT_CHANNELS } from '../../domain/alert/channel.ts';
import { AppError } from '../../domain/errors.ts';
import { settingsOf } from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import type { Writes } from '../../storage/store.ts';
import { channelChanges } from '../alert/channel-acts.ts';
import { createChannelIn, deleteChannel, editChannelIn } from '../alert/channels.ts';
import type { Actor } from '../core/actor.ts';
import { actorIn, type ProvisionDeps } from './acts.ts';
import {
  channelIdentity,
  chosen,
  type DeclaredChannel,
  type FieldChange,
  ProvisionError,
} from './declaration.ts';
import type { EntryKind } from './entries.ts';

export const CHANNELS: EntryKind<DeclaredChannel, Channel> = {
  kind: 'channel',
  what: 'integration',
  nameOf: channelIdentity,
  labelOf: ({ kind, name }, { uuid }) => `${kind}/${name || uuid}`,
  stored: ({ store }, { id }) => store.channels.ofProject(id),
  find: (stored, declared, formerId) =>
    declared.uuid === undefined
      ? chosen(
          stored.filter(({ kind, name }) => kind === declared.kind && name === declared.name),
          formerId,
        )
      : stored.find(({ uuid }) => uuid === declared.uuid),
  subject: ({ uuid, name, kind }) => ({ kind: 'channel', id: uuid, name: name || kind }),
  async apply(deps, owner, given, found) {
    const actor = actorIn(deps, owner);
    const declared = isGroup(given) ? withMembers(given, await CHANNELS.stored(deps, owner)) : given;
    return deps.store.transaction(async (tx) => {
      if (found === undefined) return { entry: await addChannel(deps, tx, actor, declared), fields: [] };
      if (found.kind !== declared.kind)
        throw new ProvisionError(declared.line, `the integration ${found.uuid} is of the kind ${found.kind}`);
      return { entry: found, fields: await saveSettings(deps, tx, actor, found, declared) };
    });
  },
  async remove(deps, owner, id) {
    const channel = (await CHANNELS.stored(deps, owner)).find((one) => one.id === id);
    if (channel !== undefined) await deleteChannel(deps, actorIn(deps, owner), channel.uuid);
  },
};

const isGroup = ({ kind }: DeclaredChannel): boolean => kind === 'group';

/** A group may name channels anywhere in the file. */
export function groupsLast(channels: readonly DeclaredChannel[]): readonly DeclaredChannel[] {
  return [...channels.filter((channel) => !isGroup(channel)), ...channels.filter(isGroup)];
}

/** A file gives the members of a group by name. Their UUIDs are stored. */
function withMembers(group: DeclaredChannel, channels: readonly Channel[]): DeclaredChannel {
  // The field table of the kind has checked the type.
  const { channels: members } = group.settings as { readonly channels: readonly string[] };
  const uuids = members.map((member) => {
    const [found, ...others] = channels.filter(
      ({ uuid, name, kind }) => kind !== 'group' && (uuid === member || name === member),
    );
    if (found === undefined) throw new ProvisionError(group.line, `there is no integration "${member}"`);
    if (others.length > 0) throw new ProvisionError(group.line, `there are several integrations "${member}"`);
    return found.uuid;
  });
  return { ...group, settings: { ...group.settings, channels: uuids } };
}

/** Refuses a UUID that a channel of another project has. */
async function addChannel(
  deps: ProvisionDeps,
  tx: Writes,
  actor: Actor,
  { line, kind, name, settings, verified, uuid }: DeclaredChannel,
): Promise<Channel> {
  if (uuid !== undefined && (await tx.channels.byUuid(uuid)) !== null)
    throw new ProvisionError(line, `the UUID ${uuid} belongs to an integration of another project`);
  try {
    return await createChannelIn(deps, tx, actor, { kind, name, settings, isVerified: verified, uuid });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'channel_limit_reached') throw error;
    throw new ProvisionError(line, `the project has ${MAX_PROJECT_CHANNELS} integrations already`);
  }
}

/** Saves the declared settings if they differ, which also switches the channel on. Returns the fields that differed. */
async function saveSettings(
  deps: ProvisionDeps,
  tx: Writes,
  actor: Actor,
  channel: Channel,
  { name, settings, verified }: DeclaredChannel,
): Promise<FieldChange[]> {
  const stored = settingsOf(channel, deps.vault);
  const isSame = isDeepStrictEqual(stored, settings);
  // What the file no longer names is as usual again.
  const names = stored instanceof Fault ? [] : Object.keys(stored);
  const whole = { ...Object.fromEntries(names.map((setting) => [setting, null])), ...settings };
  const isRenamed = channel.name !== name;
  if (isSame && !isRenamed && channel.verified === verified) return [];
  const edited = await editChannelIn(deps, tx, actor, channel.uuid, {
    ...(isRenamed && { name }),
    ...(isSame && channel.verified === verified ? {} : { settings: whole, isVerified: verified }),
  });
  const changes = channelChanges(deps, channel, edited);
  return [
    ...(isRenamed ? [{ name: 'name', was: channel.name, became: name }] : []),
    ...(isSame ? [] : [{ name: 'settings', was: changes?.before.settings, became: changes?.after.settings }]),
    ...(channel.verified === verified ? [] : [{ name: 'verified', was: channel.verified, became: verified }]),
  ];
}
