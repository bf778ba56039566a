import { type Channel, offText, type SwitchedOff } from '../../domain/alert/channel.ts';
import { type ChannelTrouble, healthOf, LEFT_BEHIND_AFTER } from '../../domain/alert/channel-health.ts';
import { newMail } from '../../domain/alert/mail.ts';
import { TOLERATED_AHEAD } from '../../domain/check/status.ts';
import type { MailPreferences } from '../../domain/people/account.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Writes } from '../../storage/store.ts';
import type { ChannelTroubleNotice } from '../../wire/mail/channel-trouble-mail.ts';
import type { Deps } from '../core/deps.ts';
import { ofProgram, valueRead } from '../core/reads.ts';
import { calledName } from './channel-names.ts';

const JOB = 'failing_channels';
const EVERY = seconds(3600);
/** A date later than this comes from a clock that was wrong. Other nodes' clocks may be a little ahead. */
const MAX_WAIT = EVERY + TOLERATED_AHEAD;
/** One node leases the job for this long. If it dies, another node takes over after that. */
const LEASE_SPAN = seconds(300);
const MAX_AT_ONCE = 100;

/** Switches the channel off because it does not work, and tells the owner of its project. One that is off stays as it is. */
export async function switchOffAndTell(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  channel: Channel,
  off: SwitchedOff & { readonly at: Instant },
): Promise<void> {
  if (channel.off !== null) return;
  await tx.channels.switchOff(channel, off);
  await tellOwner(deps, tx, channel, 'off', off.at);
}

export const failingChannels = valueRead(
  ofProgram,
  (
    { store }: Pick<Deps, 'store'>,
    { failingUntil, limit }: { readonly failingUntil: Instant; readonly limit: number },
  ) => store.channels.leftBehind(failingUntil, limit),
);

/**
 * Runs once an hour on one node. Queues a notice to the owner about each channel that has failed for a day while another
 * one delivered. Returns whether there may be more.
 */
export async function queueFailingNotices(
  deps: Pick<Deps, 'store' | 'reads' | 'clock' | 'random'>,
): Promise<boolean> {
  const now = deps.clock.now();
  const dueAt = await deps.store.jobs.dueAt(JOB);
  if (dueAt !== null && dueAt > now && dueAt <= now + MAX_WAIT) return false;
  const isOurs = await deps.store.transaction((tx) =>
    tx.jobs.claim(JOB, now, now + LEASE_SPAN, now + MAX_WAIT),
  );
  if (!isOurs) return false;
  // Outside of the transaction, because very many may fail at once.
  const question = { failingUntil: now - LEFT_BEHIND_AFTER, limit: MAX_AT_ONCE };
  const { head: found } = await deps.reads.ask(failingChannels, question);
  const hasMore = found.length === MAX_AT_ONCE;
  await deps.store.transaction(async (tx) => {
    // Every node locks channels in this order. It prevents deadlocks.
    for (const channel of found.toSorted((one, other) => one.id - other.id)) {
      if (await tx.channels.noteFailingTold(channel, now)) await tellOwner(deps, tx, channel, 'failing', now);
    }
    await tx.jobs.postpone(JOB, hasMore ? now : now + EVERY);
  });
  return hasMore;
}

async function tellOwner(
  { random }: Pick<Deps, 'random'>,
  tx: Writes,
  { uuid, projectId }: Channel,
  trouble: ChannelTrouble,
  now: Instant,
): Promise<void> {
  const project = await tx.projects.byId(projectId);
  if (project === null || project.deletesAt !== null) return;
  const subject = { kind: 'channel_trouble', parameters: { channel: uuid, trouble } } as const;
  await tx.mails.insertMany([newMail(project.ownerId, subject, random.uuid(), now)]);
}

export interface ChannelTroubleData extends Pick<ChannelTroubleNotice, 'trouble' | 'channel' | 'project'> {
  readonly kind: 'channel_trouble';
}

/** Null if the channel works again or is deleted, or is no longer the account's. */
export async function readChannelTrouble(
  { store, vault }: Pick<Deps, 'store' | 'vault'>,
  { accountId }: MailPreferences,
  { channel: uuid, trouble }: { readonly channel: string; readonly trouble: ChannelTrouble },
): Promise<ChannelTroubleData | null> {
  const channel = await store.channels.byUuid(uuid);
  const project = channel && (await store.projects.byId(channel.projectId));
  if (channel === null || project?.ownerId !== accountId) return null;
  const { off, failingSince, lastAttempt } = channel;
  if (trouble === 'off' ? off === null : healthOf(channel) !== 'failing') return null;
  return {
    kind: 'channel_trouble',
    trouble,
    channel: {
      uuid,
      name: calledName(channel, vault),
      error: (off === null ? lastAttempt?.error : off.error) ?? '',
      since: off === null ? failingSince : off.at,
      reason: off === null ? '' : offText(off.reason),
    },
    project: { name: project.name, uuid: project.uuid },
  };
}
