import { isDeepStrictEqual } from 'node:util';
import type { InstanceOffer, PrepareSettings } from '../../integrations/registry.ts';
import { settingsOf } from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import { type Actor, ownChannel, requirePermission } from '../core/actor.ts';
import type { AccountDeps } from '../people/deps.ts';
import {
  type CreateChannel,
  type EditChannel,
  requireKind,
  requireOffered,
  requireSettings,
  wrongSetting,
} from './channels.ts';

// Both ask a provider, which may take long. So they run before the transaction that saves the channel, not in it.

/** The channel that somebody makes, after the preparation of its kind. It bears a name if it was given none. */
export async function prepareNewChannel(
  deps: AccountDeps,
  actor: Actor,
  input: CreateChannel,
  offer: InstanceOffer,
  prepare: PrepareSettings,
): Promise<CreateChannel> {
  requirePermission(actor, 'channels.edit');
  const kind = requireKind(input.kind);
  requireOffered(kind, offer);
  const preparation = prepare(kind, requireSettings(kind, input.settings, {}));
  const prepared = await runPreparation(deps, actor, preparation);
  if (prepared === null) return input;
  return {
    ...input,
    settings: { ...input.settings, ...prepared.settings },
    name: input.name || prepared.name,
  };
}

/** Prepares the settings of an edit. */
export async function prepareChannelEdit(
  deps: AccountDeps,
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
  const preparation = isDeepStrictEqual(values, before) ? null : prepare(kind, values);
  const prepared = await runPreparation(deps, actor, preparation);
  return prepared === null ? input : { ...input, settings: { ...input.settings, ...prepared.settings } };
}

/** An editor of channels must not make this service ask others without end. */
async function runPreparation(
  { store, attempts }: AccountDeps,
  { projectId }: Actor,
  preparation: ReturnType<PrepareSettings>,
) {
  const project = preparation && (await store.projects.byId(projectId));
  if (preparation === null || project === null) return null;
  await attempts.take([{ rule: 'preparationsPerOwner', subject: String(project.ownerId) }]);
  const prepared = await preparation();
  if (prepared instanceof Fault) throw wrongSetting(prepared);
  return prepared;
}
