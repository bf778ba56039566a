/** The integrations of a project, their health and their deliveries. */
import { type Channel, offText } from '../domain/alert/channel.ts';
import { healthOf, isLeftBehind } from '../domain/alert/channel-health.ts';
import type { Delivery } from '../domain/alert/delivery.ts';
import { isAllowed } from '../domain/people/permission.ts';
import { counterOfKind, labelOf } from '../integrations/registry.ts';
import { toIsoMicros } from '../lib/instant.ts';
import { getChannel, showChannel } from '../services/alert/channels.ts';
import { answersFor } from '../services/alert/provider-answers.ts';
import { readUsage } from '../services/alert/undelivered.ts';
import { ownChannel } from '../services/core/actor.ts';
import { uuidField } from '../wire/dashboard/input.ts';
import { MAX_CHANNEL_DELIVERIES, MAX_STRIP } from './limits.ts';
import { projectView } from './view.ts';

/** The state of the channel, where it is listed and where it is edited. */
function stateOf(channel: Channel) {
  const { uuid, name, kind, off, failingSince } = channel;
  return {
    ...{ id: uuid, name, kind, health: healthOf(channel), failingSince: toIsoMicros(failingSince) },
    off: off && {
      ...{ reason: off.reason, text: offText(off.reason), error: off.error, since: toIsoMicros(off.at) },
    },
  };
}

/** All channels of the project, with everything by which people judge whether they work. */
export const channelOverview = projectView({
  permission: 'channels.view',
  read: async (deps, { actor }) => {
    const { store, clock, messageLimits } = deps;
    const { projectId, caller } = actor;
    const channels = await store.channels.ofProject(projectId);
    const counts = await store.channels.assignedCounts(projectId);
    const recent = await store.deliveries.recentOfProject(projectId, MAX_STRIP);
    const usage = await readUsage(deps, actor, messageLimits);
    const byChannel = Map.groupBy(recent, ({ channelId }) => channelId);
    return {
      checks: await store.checks.countOfProject(projectId),
      channels: channels.map((stored) => {
        const { channel, events, buttons, target } = showChannel(deps, actor, stored);
        const deliveries = (byChannel.get(channel.id) ?? []).map(answersFor(caller).delivery);
        const last = deliveries.at(-1);
        const counter = counterOfKind(channel.kind);
        return {
          ...stateOf(channel),
          /** The name of the kind. */
          label: labelOf(channel.kind),
          target,
          events,
          buttons,
          /** The number of checks that it is assigned to. */
          checks: counts.get(channel.id) ?? 0,
          /** The use of such integrations in this month and its limit. Null if there is no limit. */
          quota: counter && usage[counter],
          /** Whether it has failed for a day while another one delivered. */
          isLeftBehind: isLeftBehind(stored, channels, clock.now()),
          /** The latest deliveries, oldest first. */
          strip: deliveries.map(markOf),
          last: last === undefined ? null : lastDelivery(last),
          /** Deliveries among the latest that wait for their next attempt. */
          waiting: deliveries.filter(({ state }) => state === 'open').length,
          lastError: channel.lastAttempt?.error ?? '',
        };
      }),
    };
  },
});

/** The outcome of a delivery: at once, after some attempts, not at all, not yet, or it was not sent. */
function markOf({ state, attemptCount }: Pick<Delivery, 'state' | 'attemptCount'>) {
  if (state === 'open') return 'waiting';
  return state === 'delivered' && attemptCount > 1 ? 'retried' : state;
}

function lastDelivery(
  delivery: Pick<Delivery, 'state' | 'createdAt' | 'finishedAt' | 'nextAttemptAt'> & {
    readonly checkName: string;
  },
) {
  const { checkName, state, createdAt, finishedAt, nextAttemptAt } = delivery;
  return {
    ...{ check: checkName, state, at: toIsoMicros(finishedAt ?? createdAt) },
    nextAttempt: toIsoMicros(nextAttemptAt),
  };
}

/** The number of channels and of failing ones, for the navigation of every page. */
export const channelCounts = projectView({
  permission: 'channels.view',
  read: async ({ store }, { actor }) => {
    const { total, failing } = await store.channels.health(actor.projectId);
    return { total, failing };
  },
});

/** A channel with its settings, for a form. */
export const channelDetails = projectView({
  permission: 'channels.view',
  input: { channel: uuidField },
  read: async (deps, { actor, input }) => {
    const { channel, settings, events, buttons, target } = await getChannel(deps, actor, input.channel);
    return {
      ...stateOf(channel),
      target,
      events,
      buttons,
      /** Secret parts are masked. Empty for people who may not edit the channel. */
      settings,
    };
  },
});

/** The latest deliveries of a channel with all their attempts, newest first. */
export const channelDeliveries = projectView({
  permission: 'deliveries.view',
  input: { channel: uuidField },
  read: async ({ store }, { actor, input }) => {
    const { id } = ownChannel(actor, await store.channels.byUuid(input.channel));
    const found = await store.deliveries.ofChannel(id, MAX_CHANNEL_DELIVERIES);
    const seesAddresses = isAllowed(actor.caller, 'checks.view_addresses');
    return found.map(answersFor(actor.caller).delivery).map((delivery) => {
      const { uuid, checkUuid, checkName, status, reason, state, error } = delivery;
      return {
        ...{ id: uuid, status, reason, state, error },
        // The UUID of a check that is deleted is null.
        check: { name: checkName, ...(seesAddresses && checkUuid !== null && { uuid: checkUuid }) },
        created: toIsoMicros(delivery.createdAt),
        nextAttempt: toIsoMicros(delivery.nextAttemptAt),
        attempts: delivery.attempts.map(({ n, startedAt, duration, request, answer, error: why }) => ({
          ...{ n, at: toIsoMicros(startedAt), seconds: duration / 1_000_000, request, answer, error: why },
        })),
      };
    });
  },
});

/** All checks of the project, with the assignments of a channel. */
export const channelChecks = projectView({
  permission: 'channels.edit',
  input: { channel: uuidField },
  read: async ({ store }, { actor, input }) => {
    const channel = ownChannel(actor, await store.channels.byUuid(input.channel));
    const checks = await store.channels.assignableChecks(channel);
    return checks.map(({ uuid, name, tags, isAssigned }) => ({ uuid, name, tags, isAssigned }));
  },
});
