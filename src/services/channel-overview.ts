import { type ChannelHealth, healthOf, isLeftBehind } from '../domain/alert/channel-health.ts';
import type { CounterUsage, MessageLimits, Usage } from '../domain/alert/message-quota.ts';
import { counterOfKind, labelOf } from '../integrations/registry.ts';
import type { AssignableCheck, ChannelCounts, ChannelDelivery, RecentDelivery } from '../storage/store.ts';
import { type Actor, ownChannel, requirePermission } from './actor.ts';
import { type ShownChannel, showChannel } from './channels.ts';
import type { Deps } from './deps.ts';
import { answersFor } from './provider-answers.ts';
import { readUsage } from './undelivered.ts';

/** Deliveries in the strip of a channel. */
export const MAX_STRIP = 20;
/** Deliveries of a channel that are shown one by one. */
export const MAX_CHANNEL_DELIVERIES = 50;

type OverviewDeps = Pick<Deps, 'store' | 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> };

/** A channel with everything by which people judge whether it works. */
export interface ChannelOverview extends ShownChannel {
  readonly label: string;
  readonly health: ChannelHealth;
  /** Whether it has failed for a day while another one delivered. */
  readonly isLeftBehind: boolean;
  /** The number of checks that it is assigned to. */
  readonly checks: number;
  /** What its messages count for, and what was used of it in this month. Null if they cost nothing. */
  readonly quota: CounterUsage | null;
  /** Oldest first. */
  readonly deliveries: readonly RecentDelivery[];
}

export interface ProjectChannels {
  readonly channels: readonly ChannelOverview[];
  /** The number of checks in the project. */
  readonly checks: number;
}

/** All channels of the project with their health. */
export async function overviewChannels(
  deps: OverviewDeps,
  actor: Actor,
  limits: MessageLimits,
): Promise<ProjectChannels> {
  requirePermission(actor, 'channels.view');
  const { store, clock } = deps;
  const { projectId } = actor;
  const channels = await store.channels.ofProject(projectId);
  const counts = await store.channels.assignedCounts(projectId);
  const recent = await store.deliveries.recentOfProject(projectId, MAX_STRIP);
  const usage = await readUsage(deps, actor, limits);
  const byChannel = Map.groupBy(recent, ({ channelId }) => channelId);
  return {
    checks: await store.checks.countOfProject(projectId),
    channels: channels.map((channel) => ({
      ...showChannel(deps, actor, channel),
      label: labelOf(channel.kind),
      health: healthOf(channel),
      isLeftBehind: isLeftBehind(channel, channels, clock.now()),
      checks: counts.get(channel.id) ?? 0,
      quota: quotaOf(channel.kind, usage),
      deliveries: (byChannel.get(channel.id) ?? []).map(answersFor(actor.caller).delivery),
    })),
  };
}

function quotaOf(kind: string, usage: Usage): CounterUsage | null {
  const counter = counterOfKind(kind);
  return counter && usage[counter];
}

/** How many channels there are and how many fail, for the navigation of every page. */
export async function countChannels({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<ChannelCounts> {
  requirePermission(actor, 'channels.view');
  return store.channels.health(actor.projectId);
}

/** The latest deliveries of the channel, newest first. */
export async function listChannelDeliveries(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
  uuid: string,
): Promise<ChannelDelivery[]> {
  requirePermission(actor, 'deliveries.view');
  const { id } = ownChannel(actor, await store.channels.byUuid(uuid));
  return (await store.deliveries.ofChannel(id, MAX_CHANNEL_DELIVERIES)).map(
    answersFor(actor.caller).delivery,
  );
}

/** All checks of the project, and which of them the channel is assigned to. */
export async function listAssignableChecks(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
  uuid: string,
): Promise<AssignableCheck[]> {
  requirePermission(actor, 'channels.edit');
  return store.channels.assignableChecks(ownChannel(actor, await store.channels.byUuid(uuid)));
}
