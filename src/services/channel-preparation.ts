import { isDeepStrictEqual } from 'node:util';
import type { ChannelKind, InstanceOffer, PrepareSettings } from '../integrations/registry.ts';
import { settingsOf } from '../integrations/registry.ts';
import { Fault } from '../lib/fields.ts';
import { type Actor, ownChannel, requirePermission } from './actor.ts';
import {
  type CreateChannel,
  type EditChannel,
  type GivenSettings,
  requireKind,
  requireOffered,
  requireSettings,
  wrongSetting,
} from './channels.ts';
import type { Deps } from './deps.ts';

// Both ask a provider, which may take long. So they run before the transaction that saves the channel, not in it.

/** The channel that somebody makes, after what its kind needs once was done. It bears a name if it was given none. */
export async function prepareNewChannel(
  actor: Actor,
  input: CreateChannel,
  offer: InstanceOffer,
  prepare: PrepareSettings,
): Promise<CreateChannel> {
  requirePermission(actor, 'channels.edit');
  const kind = requireKind(input.kind);
  requireOffered(kind, offer);
  const prepared = await preparedSettings(kind, requireSettings(kind, input.settings, {}), prepare);
  if (prepared === null) return input;
  return {
    ...input,
    settings: { ...input.settings, ...prepared.settings },
    name: input.name || prepared.name,
  };
}

/** The same for settings that somebody changes. */
export async function prepareChannelEdit(
  deps: Deps,
  actor: Actor,
  uuid: string,
  input: EditChannel,
  prepare: PrepareSettings,
): Promise<EditChannel> {
  requirePermission(actor, 'channels.edit');
  if (input.settings === undefined) return input;
  const channel = ownChannel(actor, await deps.store.channels.byUuid(uuid));
  const kind = requireKind(channel.kind);
  const stored = settingsOf(channel, deps.vault);
  const before = stored instanceof Fault ? {} : stored;
  const values = requireSettings(kind, input.settings, before);
  const prepared = isDeepStrictEqual(values, before) ? null : await preparedSettings(kind, values, prepare);
  return prepared === null ? input : { ...input, settings: { ...input.settings, ...prepared.settings } };
}

async function preparedSettings(kind: ChannelKind, values: GivenSettings, prepare: PrepareSettings) {
  const prepared = await prepare(kind, values);
  if (prepared instanceof Fault) throw wrongSetting(prepared);
  return prepared;
}
