import type { Channel } from '../../domain/alert/channel.ts';
import { type ChannelMessage, newChannelMessage } from '../../domain/alert/channel-message.ts';
import { afterAttempt, LEASE_SPAN } from '../../domain/alert/delivery.ts';
import { TOGETHER_PAUSE } from '../../domain/alert/together.ts';
import type { Check } from '../../domain/check/check.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { chance } from '../../lib/random.ts';
import type { CollectedRow, Writes } from '../../storage/store.ts';
import type { ToldReport } from '../../wire/notice/report-notice.ts';
import { type AccountTurns, type Leased, leaseInTurn } from '../core/account-turns.ts';
import type { Deps } from '../core/deps.ts';
import { ofAccount, valueRead } from '../core/reads.ts';
import { reportTold } from './channel-reports.ts';
import {
  endOf,
  noteAttempts,
  type Postponed,
  postponeIn,
  remembering,
  type Skipped,
  type Try,
} from './deliveries.ts';

/** Messages that have ended are kept for this long. */
const MESSAGES_KEPT = seconds(30 * 86_400);
/** Messages that one transaction removes. */
const MAX_AT_ONCE = 1_000;

/** A leased message with everything that it may mention. */
export interface OpenedMessage {
  readonly row: ChannelMessage;
  readonly channel: Channel;
  readonly project: Project;
  /** Null: it is about no single check. */
  readonly check: Check | null;
  /** Of a message about several checks: what it tells. */
  readonly many: Many | null;
  /** Of a report: what it tells. */
  readonly report: ToldReport | null;
}

/** The changes that a message tells, in order. */
export interface Many {
  readonly rows: readonly CollectedRow[];
  /** How many checks have the tag, and are down. Null: the message is about no tag. */
  readonly tag: { readonly total: number; readonly down: number } | null;
}

export async function nextMessageAt({ store }: Pick<Deps, 'store'>): Promise<Instant | null> {
  return store.channelMessages.nextAttemptAt();
}

/** Leases due messages. No other node tries them until the lease ends. */
export async function leaseMessages(
  deps: Deps,
  accounts: AccountTurns,
  limit: number,
  busyChannels: readonly number[],
): Promise<Leased<ChannelMessage>> {
  const now = deps.clock.now();
  return leaseInTurn(
    deps,
    accounts,
    { now, limit, outbox: (tx) => tx.channelMessages },
    async (tx, turns) => {
      const leased = await tx.channelMessages.lease({ now, until: now + LEASE_SPAN, turns, busyChannels });
      const waiting: ChannelMessage[] = [];
      for (const message of leased) if (await waitsForOthers(deps, tx, message, now)) waiting.push(message);
      await tx.channelMessages.release(waiting, now + BLOCKED_PAUSE);
      return leased.filter((message) => !waiting.includes(message));
    },
  );
}

/** A message about many whose rows wait for earlier ones is looked at again after this time. */
const BLOCKED_PAUSE = seconds(10);

/**
 * Whether a message about many has to wait, since earlier messages about all of its checks are open. If only some are, those
 * become rows of a message that comes later. From its first try on a message keeps its rows.
 */
async function waitsForOthers(
  { random }: Pick<Deps, 'random'>,
  tx: Writes,
  { id, subject, attemptCount, channelId, accountId }: ChannelMessage,
  now: Instant,
): Promise<boolean> {
  if (subject.kind !== 'together' || attemptCount > 1) return false;
  const blocked = await tx.deliveries.blockedIn(id);
  if (blocked.length === 0) return false;
  if (blocked.length === (await tx.deliveries.openCountIn(id))) return true;
  const dueAt = now + TOGETHER_PAUSE;
  const later = newChannelMessage(
    { id: channelId, accountId, offReason: null },
    null,
    { kind: 'together', parameters: { ...subject.parameters, dueAt } },
    random.uuid(),
    now,
  );
  await tx.deliveries.moveTo(await tx.channelMessages.insert({ ...later, nextAttemptAt: dueAt }), blocked);
  return false;
}

/** Extends the leases of attempts that are still running. */
export async function extendMessageLeases(deps: Deps, messages: readonly ChannelMessage[]): Promise<void> {
  const until = deps.clock.now() + LEASE_SPAN;
  await deps.store.transaction((tx) => tx.channelMessages.extend(messages, until));
}

/** Ends the leases of an earlier process of the only node, so that its messages are tried at once. */
export async function releaseMessageLeases(deps: Deps): Promise<number> {
  return deps.store.transaction((tx) => tx.channelMessages.releaseAll());
}

/** Loads the subjects of the messages, in order. An entry is null when its check or channel is gone. */
export async function openMessages(
  { store, reads }: Pick<Deps, 'store' | 'reads'>,
  rows: readonly ChannelMessage[],
  giveWay: () => Promise<void>,
): Promise<(OpenedMessage | null)[]> {
  const channelOf = remembering((id: number) => store.channels.byId(id));
  const projectOf = remembering((id: number) => store.projects.byId(id));
  const opened: (OpenedMessage | null)[] = [];
  for (const row of rows) {
    await giveWay();
    const channel = await channelOf(row.channelId);
    const project = channel && (await projectOf(channel.projectId));
    const check = row.checkId === null ? null : await store.checks.byId(row.checkId);
    // A check that has moved to another project is none of the channel's business.
    const isGone = row.checkId !== null && check?.projectId !== project?.id;
    const many = project === null ? null : await manyOf({ reads }, row, project);
    const report = project === null ? null : await reportIn({ reads }, row, project);
    const isEmpty =
      (many !== null && many.rows.length === 0) || (row.subject.kind === 'report' && report === null);
    const isLost = channel === null || project === null || isGone || isEmpty;
    opened.push(isLost ? null : { row, channel, project, check, many, report });
  }
  return opened;
}

async function manyOf(
  { reads }: Pick<Deps, 'reads'>,
  { id, subject }: ChannelMessage,
  project: Project,
): Promise<Many | null> {
  if (subject.kind !== 'together') return null;
  const of = subject.parameters;
  const tag = of.group === 'tag' ? of.tag : null;
  const asked = { ownerId: project.ownerId, projectId: project.id, messageId: id, tag };
  return (await reads.ask(manyTold, asked)).head;
}

async function reportIn(
  { reads }: Pick<Deps, 'reads'>,
  { subject }: ChannelMessage,
  { id: projectId, ownerId }: Project,
): Promise<ToldReport | null> {
  if (subject.kind !== 'report') return null;
  return (await reads.ask(reportTold, { ...subject.parameters, projectId, ownerId })).head;
}

interface AskedMany {
  readonly ownerId: number | null;
  readonly projectId: number;
  readonly messageId: number;
  readonly tag: string | null;
}

/** There may be thousands of rows. */
export const manyTold = valueRead(
  ofAccount,
  async ({ store }: Pick<Deps, 'store'>, { projectId, messageId, tag }: AskedMany): Promise<Many> => ({
    rows: await store.deliveries.collectedIn(messageId),
    tag: tag === null ? null : await store.checks.countTagged(projectId, tag),
  }),
);

/** Records the results of attempts, except those whose lease has ended. */
export async function settleMessages(deps: Deps, tries: readonly Try<ChannelMessage>[]): Promise<void> {
  const now = deps.clock.now();
  const settled = tries.map(({ row, outcome }) => afterAttempt(row, outcome, now, chance(deps.random)));
  await deps.store.transaction(async (tx) => {
    const ours = new Set(await tx.channelMessages.settle(settled));
    await settleRows(
      tx,
      settled.filter(({ id }) => ours.has(id)),
      now,
    );
    const noted = tries.flatMap(({ row, channel, outcome, exchange, startedAt }, index) => {
      const attempt = {
        startedAt,
        duration: Math.max(0, now - startedAt),
        error: settled[index]?.error ?? '',
      };
      return ours.has(row.id) ? [{ row, channel, outcome, exchange, attempt }] : [];
    });
    await tx.channelMessages.keepExchanges(noted.map(({ row: { id }, exchange }) => ({ id, ...exchange })));
    // Groups take no such messages, so nothing is passed on.
    await noteAttempts(deps, tx, noted, now, async () => undefined);
  });
}

export async function skipMessages(deps: Deps, skipped: readonly Skipped<ChannelMessage>[]): Promise<void> {
  const now = deps.clock.now();
  await deps.store.transaction(async (tx) => {
    const ended = skipped.map((one) => endOf(one, now));
    const ours = new Set(await tx.channelMessages.settle(ended));
    // The channel takes no message about many any more, or wants none of its rows: each of them is looked at by itself.
    for (const { row, because } of skipped)
      if (row.subject.kind === 'together' && because === null && ours.has(row.id))
        await tx.deliveries.tellSingly(row.id, now);
    await settleRows(
      tx,
      ended.filter(({ id }) => ours.has(id)),
      now,
    );
  });
}

/** Rows of a message about many that its channel does not want end as single ones do. The message does not tell them. */
export async function leaveOut(
  deps: Pick<Deps, 'store' | 'clock'>,
  { id }: ChannelMessage,
  rows: readonly CollectedRow[],
): Promise<void> {
  const now = deps.clock.now();
  const ids = rows.map((row) => row.id);
  await deps.store.transaction(async (tx) =>
    tx.deliveries.releaseNext(await tx.deliveries.leaveOut(id, ids, now), now),
  );
}

/** What a message about many tells ends with it, all alike. Messages that waited for that are due. */
async function settleRows(tx: Writes, messages: readonly ChannelMessage[], now: Instant): Promise<void> {
  for (const message of messages) {
    if (message.subject.kind !== 'together') continue;
    await tx.deliveries.releaseNext(await tx.deliveries.settleTogether(message.id, message), now);
  }
}

export async function postponeMessages(
  deps: Deps,
  postponed: readonly Postponed<ChannelMessage>[],
): Promise<void> {
  await postponeIn(deps, postponed, (tx, rows, at) => tx.channelMessages.release(rows, at));
}

/** Deletes a bounded number of messages that ended long ago. Returns whether there may be more. */
export async function pruneMessages(deps: Pick<Deps, 'store' | 'clock'>): Promise<boolean> {
  const before = deps.clock.now() - MESSAGES_KEPT;
  const removed = await deps.store.transaction((tx) => tx.channelMessages.prune(before, MAX_AT_ONCE));
  return removed === MAX_AT_ONCE;
}
