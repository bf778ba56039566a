import type { Channel } from '../domain/channel.ts';
import type { Check } from '../domain/check.ts';
import { type Attempt, afterAttempt, CLAIM_SPAN, type Delivery, type Outcome } from '../domain/delivery.ts';
import type { Flip } from '../domain/flip.ts';
import type { Ping } from '../domain/ping.ts';
import type { Project } from '../domain/project.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import type { DeliveryRecord } from '../storage/store.ts';
import { readBody } from './bodies.ts';
import type { Deps } from './deps.ts';

const LONGEST_LIST = 100;
/** How long a delivery waits for its turn when its host is busy with others. */
const TURN_PAUSE = seconds(0.25);

/** A claimed delivery with all that a message may say. */
export interface Letter {
  readonly delivery: Delivery;
  readonly channel: Channel;
  readonly check: Check;
  readonly project: Project;
  readonly flip: Flip;
  /** How long the check had been down, when it came up. */
  readonly downFor: Micros | null;
  readonly ping: Ping | null;
}

export async function nextDeliveryAt({ store }: Pick<Deps, 'store'>): Promise<Instant | null> {
  return store.deliveries.nextAttemptAt();
}

/** Claims what is due: nobody else tries it until the claim runs out, and whoever dies loses nothing. */
export async function claimDeliveries(
  deps: Deps,
  limit: number,
  busyChannels: readonly number[],
): Promise<Delivery[]> {
  const now = deps.clock.now();
  return deps.store.transaction((tx) =>
    tx.deliveries.claim({ now, until: now + CLAIM_SPAN, limit, busyChannels }),
  );
}

/** What the message is about; null when the check, its flip or the channel are gone. */
export async function openLetter(deps: Deps, delivery: Delivery): Promise<Letter | null> {
  const { store } = deps;
  if (delivery.checkId === null || delivery.flipId === null) return null;
  const [channel, check, flip] = await Promise.all([
    store.channels.byId(delivery.channelId),
    store.checks.byId(delivery.checkId),
    store.flips.byId(delivery.flipId),
  ]);
  const project = check === null ? null : await store.projects.byId(check.projectId);
  if (channel === null || check === null || flip === null || project === null) return null;
  const [before, ping] = await Promise.all([
    store.flips.before(flip),
    store.pings.lastUntil(check.id, flip.createdAt),
  ]);
  const wasDown = flip.newStatus === 'up' && before?.newStatus === 'down';
  const downFor = wasDown ? flip.createdAt - before.createdAt : null;
  return { delivery, channel, check, project, flip, downFor, ping };
}

/** The body of the ping that a message quotes; null where it cannot be had. A message never fails for it. */
export async function quotedBody(deps: Deps, { check, ping }: Letter): Promise<Uint8Array | null> {
  if (ping === null || ping.bodySize === 0) return null;
  return readBody(deps, check, ping.n).catch(() => null);
}

/** Records how a try went, unless the claim ran out meanwhile and somebody else has taken over. */
export async function settleDelivery(
  deps: Deps,
  delivery: Delivery,
  outcome: Outcome,
  startedAt: Instant,
): Promise<void> {
  const now = deps.clock.now();
  const settled = afterAttempt(delivery, outcome, now, chance(deps));
  const attempt: Attempt = {
    deliveryId: delivery.id,
    n: delivery.attemptCount,
    startedAt,
    duration: Math.max(0, now - startedAt),
    error: settled.error,
  };
  await deps.store.transaction(async (tx) => {
    await tx.deliveries.addAttempt(attempt);
    if (!(await tx.deliveries.settle(settled))) return;
    await tx.channels.noteAttempt(delivery.channelId, attempt, !outcome.ok && outcome.isPermanent);
  });
}

/** The channel has nothing to do for this change: it is off, or the change concerns it not. */
export async function skipDelivery(deps: Deps, delivery: Delivery): Promise<void> {
  const skipped: Delivery = {
    ...delivery,
    state: 'skipped',
    nextAttemptAt: null,
    finishedAt: deps.clock.now(),
  };
  await deps.store.transaction((tx) => tx.deliveries.settle(skipped));
}

/** Gives a claim back: its host is busy with others just now. */
export async function postponeDelivery(deps: Deps, delivery: Delivery): Promise<void> {
  const at = deps.clock.now() + TURN_PAUSE;
  await deps.store.transaction((tx) => tx.deliveries.release(delivery, at));
}

/** What was told about the check, newest first. */
export async function listDeliveries(deps: Deps, check: Check): Promise<DeliveryRecord[]> {
  return deps.store.deliveries.ofCheck(check.id, LONGEST_LIST);
}

/** A number from 0 to 1. */
function chance({ random }: Pick<Deps, 'random'>): number {
  const [byte = 0] = random.bytes(1);
  return byte / 255;
}
