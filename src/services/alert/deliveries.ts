import {
  type Channel,
  type LastAttempt,
  type WithheldReason,
  withheldBecause,
} from '../../domain/alert/channel.ts';
import {
  type Attempt,
  afterAttempt,
  askedPause,
  type Delivery,
  type Exchange,
  LEASE_SPAN,
  type Outcome,
  type Progress,
  type Repeat,
  repeatOf,
  withheld,
} from '../../domain/alert/delivery.ts';
import type { OwnedRow } from '../../domain/change.ts';
import type { Check } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { AppError } from '../../domain/errors.ts';
import { type AlertStory, keptText } from '../../domain/history/alert-story.ts';
import type { Project } from '../../domain/people/project.ts';
import type { Ping } from '../../domain/ping/ping.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { chance } from '../../lib/random.ts';
import type { DeliveryRecord, Writes } from '../../storage/store.ts';
import { type AccountTurns, type Leased, leasedLess, leaseInTurn } from '../core/account-turns.ts';
import { type Actor, ownChannel, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { fallBefore } from '../core/falls.ts';
import type { AccountDeps } from '../people/deps.ts';
import { readBody } from '../ping/bodies.ts';
import { recordOnChannel } from './channel-acts.ts';
import { lockUnchanged, reconfigured, switchOffFailed } from './channel-settings.ts';
import { passedOn, passOn } from './passed-on.ts';
import { answersFor } from './provider-answers.ts';

const MAX_LIST = 100;
/** The pause of a delivery whose host is busy with others. */
const TURN_PAUSE = seconds(0.25);

/** Kept small so that pings find free connections to the database. */
const MAX_CONCURRENT_LOADS = 2;

/** A leased delivery with everything that a message may mention. */
export interface AlertMessage {
  readonly delivery: Delivery;
  readonly channel: Channel;
  readonly check: Check;
  readonly project: Project;
  readonly flip: Flip;
  /** The duration of the outage that ended. */
  readonly downFor: Micros | null;
  readonly ping: Ping | null;
  /** Null: it is the first message to the channel about the change. */
  readonly repeat: Repeat | null;
}

type RetryDeps = Pick<Deps, 'store' | 'clock'> & Pick<AccountDeps, 'attempts'>;

/** A retry counts against the limit for test messages: both call a third party. */
async function countRetry({ attempts }: RetryDeps, { ownerId }: Actor): Promise<void> {
  await attempts.take([{ rule: 'testMessagesPerOwner', subject: String(ownerId) }]);
}

/** Makes a message due that waits for its next try. One that is being sent stays as it is. */
export async function hurryDelivery(
  deps: RetryDeps,
  actor: Actor,
  checkId: number,
  uuid: string,
): Promise<void> {
  requirePermission(actor, 'channels.test');
  ownCheck(actor, await deps.store.checks.byId(checkId));
  await countRetry(deps, actor);
  await deps.store.transaction(async (tx) => {
    const hurried = await tx.deliveries.hurry(checkId, uuid, deps.clock.now());
    const channel = hurried && (await tx.channels.byId(hurried.id));
    if (channel === null) throw new AppError('delivery_not_found');
    await tx.channels.endPause(channel);
    await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.hurried', details: {} });
  });
}

/** Messages that one transaction makes due, and the most transactions of one request. */
const HURRIED_AT_ONCE = 500;
const MAX_HURRIES = 20;

/** Makes the messages to the channel due that wait for their next try, ten thousand at the most. Returns their number. */
export async function hurryChannel(deps: RetryDeps, actor: Actor, uuid: string): Promise<number> {
  requirePermission(actor, 'channels.test');
  const channel = ownChannel(actor, await deps.store.channels.byUuid(uuid));
  await countRetry(deps, actor);
  const now = deps.clock.now();
  let hurried = await deps.store.transaction(async (tx) => {
    await tx.channels.endPause(channel);
    await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.hurried', details: {} });
    return tx.deliveries.hurryAll(channel.id, now, HURRIED_AT_ONCE);
  });
  for (let n = 1; n < MAX_HURRIES && hurried === n * HURRIED_AT_ONCE; n++)
    hurried += await deps.store.transaction((tx) => tx.deliveries.hurryAll(channel.id, now, HURRIED_AT_ONCE));
  return hurried;
}

export async function nextDeliveryAt({ store }: Pick<Deps, 'store'>): Promise<Instant | null> {
  return store.deliveries.nextAttemptAt();
}

/**
 * Leases due deliveries. No other node tries them until the lease ends. If this node dies, another one tries them after
 * that.
 */
export async function leaseDeliveries(
  deps: Deps,
  accounts: AccountTurns,
  limit: number,
  busyChannels: readonly number[],
): Promise<Leased<Delivery>> {
  const now = deps.clock.now();
  return leaseInTurn(deps, accounts, { now, limit, outbox: (tx) => tx.deliveries }, async (tx, turns) => {
    const leased = await tx.deliveries.lease({ now, until: now + LEASE_SPAN, turns, busyChannels });
    const short = leasedLess(turns, leased);
    if (short.length > 0) await tx.deliveries.holdBack(now, short);
    return leased;
  });
}

/** Extends the leases of attempts that are still running. */
export async function extendLeases(deps: Deps, deliveries: readonly Delivery[]): Promise<void> {
  const until = deps.clock.now() + LEASE_SPAN;
  await deps.store.transaction((tx) => tx.deliveries.extend(deliveries, until));
}

/** Ends the leases of an earlier process of the only node, so that its deliveries are tried at once. */
export async function releaseAllLeases(deps: Deps): Promise<number> {
  return deps.store.transaction((tx) => tx.deliveries.releaseAll());
}

/**
 * Loads the subjects of the messages, in order. An entry is null when its check, flip or channel is deleted. `giveWay`
 * is awaited before each one, so that other work can run.
 */
export async function loadMessages(
  deps: Deps,
  deliveries: readonly Delivery[],
  giveWay: () => Promise<void>,
): Promise<(AlertMessage | null)[]> {
  const { channels, projects } = deps.store;
  // Many messages usually share a few channels.
  const channel = remembering((id: number) => channels.byId(id));
  const project = remembering((id: number) => projects.byId(id));
  const messages: (AlertMessage | null)[] = [];
  const queue = deliveries.entries();
  const lane = async () => {
    for (const [index, delivery] of queue) {
      await giveWay();
      messages[index] = await loadMessage(deps, delivery, { channel, project });
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_LOADS }, lane));
  return messages;
}

interface Sources {
  channel(id: number): Promise<Channel | null>;
  project(id: number): Promise<Project | null>;
}

async function loadMessage(
  { store }: Deps,
  delivery: Delivery,
  sources: Sources,
): Promise<AlertMessage | null> {
  const [channel, check, flip] = await Promise.all([
    sources.channel(delivery.channelId),
    store.checks.byId(delivery.checkId),
    store.flips.byId(delivery.flipId),
  ]);
  const project = check === null ? null : await sources.project(check.projectId);
  if (channel === null || check === null || flip === null || project === null) return null;
  const repeat = repeatOf(delivery);
  // A further failure is told with its own output, and a repeat with that of the first cause.
  const quotedAt = repeat?.kind === 'further_failure' ? repeat.at : flip.createdAt;
  const [fall, ping] = await Promise.all([
    fallBefore(store, flip, delivery),
    store.pings.lastUntil(check.id, quotedAt),
  ]);
  const downFor = fall === null ? null : flip.createdAt - fall.createdAt;
  return { delivery, channel, check, project, flip, downFor, ping, repeat };
}

export function remembering<T>(find: (id: number) => Promise<T>): (id: number) => Promise<T> {
  const found = new Map<number, Promise<T>>();
  return (id) => found.getOrInsertComputed(id, find);
}

/**
 * Reads the body of the ping that a message quotes. Returns null when it cannot be read: a message is sent without it.
 */
export async function quotedBody(
  deps: Deps,
  { check, ping }: Pick<AlertMessage, 'check' | 'ping'>,
): Promise<Uint8Array | null> {
  if (ping === null || ping.bodySize === 0) return null;
  return readBody(deps, check, ping.n).catch(() => null);
}

/** An attempt that has ended. */
export interface Try<Row = Delivery> {
  /** The row of the outbox. */
  readonly row: Row;
  /** The channel when the message was sent. */
  readonly channel: Channel;
  readonly outcome: Outcome;
  readonly exchange: Exchange;
  readonly startedAt: Instant;
  /** The story of the message. It is kept for the next attempt. Null if it told no story. */
  readonly story: AlertStory | null;
}

/**
 * Records the results of attempts. Skips an attempt whose lease has ended, since another node may have taken it over.
 */
export async function settleDeliveries(deps: Deps, tries: readonly Try[]): Promise<void> {
  const now = deps.clock.now();
  const settled = tries.map(({ row, outcome }) => afterAttempt(row, outcome, now, chance(deps.random)));
  await deps.store.transaction(async (tx) => {
    const groups = await passedOn(tx, tries);
    const ours = idsOf(await tx.deliveries.settle(settled));
    const ended = settled.filter(({ id, state }) => state !== 'open' && ours.has(id));
    await tx.deliveries.releaseNext(ended, now);
    await keepStories(
      tx,
      tries,
      settled.filter(({ id }) => ours.has(id)),
    );
    await keepProviderIds(
      tx,
      tries.filter(({ row }) => ours.has(row.id)),
    );
    const notes = tries.flatMap(({ row, channel, outcome, exchange, startedAt }, index) => {
      if (!ours.has(row.id)) return [];
      const attempt: Attempt = {
        deliveryId: row.id,
        n: row.attemptCount,
        startedAt,
        duration: Math.max(0, now - startedAt),
        error: settled[index]?.error ?? '',
        ...exchange,
      };
      return [{ row, outcome, channel, attempt }];
    });
    await tx.deliveries.addAttempts(notes.map(({ attempt }) => attempt));
    await noteAttempts(deps, tx, notes, now, async (row) => {
      const group = groups.get(row.id);
      if (group !== undefined) await passOn(deps, tx, row, group, now);
    });
  });
}

/** An attempt that counts, for its channel. */
export interface NotedAttempt<Row> extends Pick<Try<Row>, 'row' | 'outcome' | 'channel'> {
  readonly attempt: LastAttempt;
}

/** Notes on the channels how attempts went, and applies the consequences of their outcomes. */
export async function noteAttempts<Row>(
  deps: Deps,
  tx: Writes,
  notes: readonly NotedAttempt<Row>[],
  now: Instant,
  passOn: (row: Row) => Promise<void>,
): Promise<void> {
  const byChannel = Map.groupBy(notes, ({ channel }) => channel.id);
  // Every node locks channels in this order. It prevents deadlocks.
  for (const [, own] of [...byChannel].sort(([one], [other]) => one - other)) {
    const last = own.reduce((a, b) => (b.attempt.startedAt >= a.attempt.startedAt ? b : a));
    await tx.channels.noteAttempt(last.channel, last.attempt);
    const pause = Math.max(...own.map(({ outcome }) => askedPause(outcome)));
    if (pause > 0) await pauseChannel(tx, last.channel, now + pause);
    for (const { row, outcome, channel } of own) {
      if (outcome.kind === 'permanent') await switchOffFailed(deps, tx, channel, outcome.error, now);
      if (outcome.kind === 'reconfigure') await reconfigure(deps, tx, channel, outcome.settings);
      if (outcome.kind === 'passed_on') await passOn(row);
    }
  }
}

/** Nothing is sent to the channel until then, whichever check it is about. */
async function pauseChannel(tx: Writes, channel: OwnedRow, until: Instant): Promise<void> {
  await tx.channels.pause(channel, until);
  await tx.deliveries.postponeTo(channel.id, until);
}

/** A message that is tried again tells the same. So the story of the first attempt is kept until the last one. */
async function keepStories(tx: Writes, tries: readonly Try[], settled: readonly Delivery[]): Promise<void> {
  const stories = new Map(tries.map(({ row, story }) => [row.id, story]));
  const kept = settled.flatMap(({ id, state, attemptCount }) => {
    const story = stories.get(id) ?? null;
    return state === 'open' && attemptCount === 1 && story !== null ? [{ id, story: keptText(story) }] : [];
  });
  const over = settled.filter(({ state, attemptCount }) => state !== 'open' && attemptCount > 1);
  if (kept.length > 0) await tx.deliveries.keepStories(kept);
  if (over.length > 0) await tx.deliveries.forgetStories(over.map(({ id }) => id));
}

/** Longer ones are not kept. The longest known ones, by Matrix, name a room and an event of 255 bytes each. */
const MAX_PROVIDER_ID = 600;

/** Only what tells of an outage is answered later. */
async function keepProviderIds(tx: Writes, tries: readonly Try[]): Promise<void> {
  const kept = tries.flatMap(({ row: { id, status }, outcome }) => {
    const providerId = outcome.kind === 'delivered' ? (outcome.providerId ?? '') : '';
    const isAnswerable = status === 'down' && providerId !== '' && providerId.length <= MAX_PROVIDER_ID;
    return isAnswerable ? [{ id, providerId }] : [];
  });
  if (kept.length > 0) await tx.deliveries.keepProviderIds(kept);
}

function idsOf(rows: readonly OwnedRow[]): Set<number> {
  return new Set(rows.map(({ id }) => id));
}

async function reconfigure(
  deps: Deps,
  tx: Writes,
  sentTo: Channel,
  changed: Readonly<Record<string, unknown>>,
): Promise<void> {
  const channel = await lockUnchanged(tx, sentTo);
  const settings = channel && reconfigured(deps, channel, changed);
  if (channel !== null && settings !== null) await tx.channels.setSettings(channel, settings);
}

/** Why the message must not be sent. Null if nothing forbids it. */
export function obstacleOf({
  project,
  channel,
}: Pick<AlertMessage, 'project' | 'channel'>): WithheldReason | null {
  return project.deletesAt === null ? (channel.off?.reason ?? null) : 'project_deleted';
}

/** A message that is not sent. */
export interface Skipped<Row = Delivery> {
  readonly row: Row;
  /** Null when the channel does not want the message, or when its check, flip or channel is deleted. */
  readonly because: WithheldReason | null;
}

/** The row after it was withheld. */
export function endOf<Row extends Progress>({ row, because }: Skipped<Row>, now: Instant): Row {
  return withheld(row, because === null ? '' : withheldBecause(because), now);
}

export async function skipDeliveries(deps: Deps, skipped: readonly Skipped[]): Promise<void> {
  const now = deps.clock.now();
  const ended = skipped.map((one) => endOf(one, now));
  await deps.store.transaction(async (tx) => {
    const ours = idsOf(await tx.deliveries.settle(ended));
    // A delivery that follows a lost one may be under way already.
    await tx.deliveries.releaseNext(
      ended.filter(({ id }) => ours.has(id)),
      now,
    );
  });
}

/** A message whose lease ends without an attempt, and when it is due again. */
export interface Postponed<Row = Delivery> {
  readonly row: Row;
  /** Null means soon: only the host is busy. */
  readonly after: Micros | null;
  /** The channel, if all messages to it wait as long. */
  readonly pausedChannel: Channel | null;
}

export async function postponeDeliveries(deps: Deps, postponed: readonly Postponed[]): Promise<void> {
  await postponeIn(deps, postponed, (tx, rows, at) => tx.deliveries.release(rows, at));
}

/** Gives leases back in one transaction. */
export async function postponeIn<Row>(
  deps: Pick<Deps, 'store' | 'clock'>,
  postponed: readonly Postponed<Row>[],
  release: (tx: Writes, rows: readonly Row[], at: Instant) => Promise<void>,
): Promise<void> {
  const now = deps.clock.now();
  const groups = Map.groupBy(postponed, ({ after }) => now + (after ?? TURN_PAUSE));
  await deps.store.transaction(async (tx) => {
    for (const [at, group] of groups) {
      await release(
        tx,
        group.map(({ row }) => row),
        at,
      );
      const paused = new Map(group.map(({ pausedChannel }) => [pausedChannel?.id, pausedChannel]));
      // Every node locks channels in this order. It prevents deadlocks.
      const channels = [...paused.values()].filter((channel) => channel !== null);
      for (const channel of channels.toSorted((one, other) => one.id - other.id)) {
        await pauseChannel(tx, channel, at);
      }
    }
  });
}

/**
 * Tries a delivery again now that was given up or waits for its next attempt. One that is older than a day is tried once.
 */
export async function retryDelivery(
  deps: RetryDeps,
  actor: Actor,
  channelUuid: string,
  deliveryUuid: string,
): Promise<void> {
  requirePermission(actor, 'channels.test');
  await countRetry(deps, actor);
  await deps.store.transaction(async (tx) => {
    const channel = ownChannel(actor, await tx.channels.byUuid(channelUuid));
    if (channel.off !== null || !channel.verified) throw new AppError('channel_off');
    const isFound = await tx.deliveries.reopen(channel.id, deliveryUuid, deps.clock.now());
    if (!isFound) throw new AppError('delivery_not_found');
    await tx.channels.endPause(channel);
    const details = { delivery: deliveryUuid };
    await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.delivery_retried', details });
  });
}

/** The deliveries about the check, newest first. */
export async function listDeliveries(
  deps: Pick<Deps, 'store'>,
  actor: Actor,
  check: Check,
): Promise<DeliveryRecord[]> {
  requirePermission(actor, 'deliveries.view');
  ownCheck(actor, check);
  return (await deps.store.deliveries.ofCheck(check.id, MAX_LIST)).map(answersFor(actor.caller).delivery);
}
