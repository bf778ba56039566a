import type { Channel } from '../../domain/alert/channel.ts';
import type { ChannelMessage } from '../../domain/alert/channel-message.ts';
import { afterAttempt, LEASE_SPAN } from '../../domain/alert/delivery.ts';
import type { Check } from '../../domain/check/check.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { chance } from '../../lib/random.ts';
import { type AccountTurns, type Leased, leaseInTurn } from '../core/account-turns.ts';
import type { Deps } from '../core/deps.ts';
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
  return leaseInTurn(deps, accounts, { now, limit, outbox: (tx) => tx.channelMessages }, (tx, turns) =>
    tx.channelMessages.lease({ now, until: now + LEASE_SPAN, turns, busyChannels }),
  );
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
  { store }: Pick<Deps, 'store'>,
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
    opened.push(channel === null || project === null || isGone ? null : { row, channel, project, check });
  }
  return opened;
}

/** Records the results of attempts, except those whose lease has ended. */
export async function settleMessages(deps: Deps, tries: readonly Try<ChannelMessage>[]): Promise<void> {
  const now = deps.clock.now();
  const settled = tries.map(({ row, outcome }) => afterAttempt(row, outcome, now, chance(deps.random)));
  await deps.store.transaction(async (tx) => {
    const ours = new Set(await tx.channelMessages.settle(settled));
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
  await deps.store.transaction((tx) => tx.channelMessages.settle(skipped.map((one) => endOf(one, now))));
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
