import {
  type MessageSubject,
  newChannelMessage,
  type ToldAnswer,
  type ToldRun,
} from '../../domain/alert/channel-message.ts';
import { listed } from '../../domain/check/check-links.ts';
import { happenedAt, type NewPing } from '../../domain/ping/ping.ts';
import { mayWant, takesAnyWords } from '../../integrations/registry.ts';
import type { Instant } from '../../lib/instant.ts';
import type { PlannedChannel, Writes } from '../../storage/store.ts';
import type { Deps } from './deps.ts';

type QueueDeps = Pick<Deps, 'random'>;

/** The run that the ping ended, as messages tell of it. */
export function toldRun(ping: NewPing): ToldRun {
  const at = happenedAt(ping);
  return {
    at,
    took: ping.runStartedAt === null ? null : Math.max(0, at - ping.runStartedAt),
    exitStatus: ping.exitStatus,
    flags: ping.runFlags ?? 0,
    numbers: ping.runNumbers === null ? {} : JSON.parse(ping.runNumbers),
  };
}

/** Tells the channels of checks that want to know it of runs with a remark. In the transaction of their pings. */
export async function queueWarned(
  deps: QueueDeps,
  tx: Writes,
  warned: readonly NewPing[],
  now: Instant,
): Promise<void> {
  if (warned.length === 0) return;
  const listening = await tx.channels.lockPlanned([...new Set(warned.map(({ checkId }) => checkId))]);
  const messages = warned.flatMap((ping) =>
    messagesTo(
      deps,
      (listening.get(ping.checkId) ?? []).filter((channel) => mayWant(channel, 'warned')),
      ping.checkId,
      { kind: 'warned', parameters: toldRun(ping) },
      now,
    ),
  );
  await tx.channelMessages.insertMany(messages);
}

/** A success, and what is to be known of its check. */
export interface Done {
  readonly ping: NewPing;
  /** Channels that want to know of each, as the check has them. */
  readonly doneChannels: string;
  /** Whether channels may be told of a remark, which says the same and more. */
  readonly isWarned: boolean;
}

/** Tells channels that want to know it of each success. In the transaction of the pings. The last success of a check counts. */
export async function queueDone(
  deps: QueueDeps,
  tx: Writes,
  done: readonly Done[],
  now: Instant,
): Promise<void> {
  if (done.length === 0) return;
  const last = new Map(done.map((one) => [one.ping.checkId, one]));
  const assigned = await tx.channels.lockPlanned([...last.keys()]);
  const messages = [...last.values()].flatMap(({ ping, doneChannels, isWarned }) => {
    const wanting = (assigned.get(ping.checkId) ?? []).filter(
      (channel) =>
        listed(doneChannels).includes(channel.uuid) &&
        takesAnyWords(channel) &&
        !(isWarned && mayWant(channel, 'warned')),
    );
    return messagesTo(deps, wanting, ping.checkId, { kind: 'done', parameters: toldRun(ping) }, now);
  });
  await tx.channelMessages.takePlaces(messages);
}

/**
 * Tells channels, if they want to know it, who has taken outages on. `told` has the checks of whose outages each was told, by
 * the id of the channel. Of several checks it gets one message. In the transaction of the answer, which holds the checks.
 */
export async function queueAnswered(
  deps: QueueDeps,
  tx: Writes,
  told: ReadonlyMap<number, ReadonlySet<number>>,
  answer: Pick<ToldAnswer, 'at' | 'by'>,
  now: Instant,
): Promise<void> {
  const channels = await tx.channels.lockListeners([...told.keys()]);
  const wanting = channels.filter((channel) => mayWant(channel, 'answered'));
  const messages = wanting.flatMap((channel) => {
    const [first, ...others] = told.get(channel.id) ?? [];
    if (first === undefined) return [];
    const also = others.length === 0 ? {} : { also: others.length };
    return messagesTo(deps, [channel], first, { kind: 'answered', parameters: { ...answer, ...also } }, now);
  });
  await tx.channelMessages.insertMany(messages);
}

function messagesTo(
  { random }: QueueDeps,
  channels: readonly PlannedChannel[],
  checkId: number,
  subject: MessageSubject,
  now: Instant,
) {
  return channels.map((channel) => newChannelMessage(channel, checkId, subject, random.uuid(), now));
}
