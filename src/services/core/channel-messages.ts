import {
  type MessageSubject,
  newChannelMessage,
  type ToldAnswer,
  type ToldRun,
} from '../../domain/alert/channel-message.ts';
import { happenedAt, type NewPing } from '../../domain/ping/ping.ts';
import { mayWant } from '../../integrations/registry.ts';
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

/**
 * Tells these channels, if they want to know it, who has taken the outage of the check on. They are the ones that were told
 * of the outage. In the transaction of the answer, which holds the check.
 */
export async function queueAnswered(
  deps: QueueDeps,
  tx: Writes,
  { checkId, channelIds }: { readonly checkId: number; readonly channelIds: readonly number[] },
  answer: ToldAnswer,
  now: Instant,
): Promise<void> {
  const told = await tx.channels.lockListeners(channelIds);
  const wanting = told.filter((channel) => mayWant(channel, 'answered'));
  const subject: MessageSubject = { kind: 'answered', parameters: answer };
  await tx.channelMessages.insertMany(messagesTo(deps, wanting, checkId, subject, now));
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
