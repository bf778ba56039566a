import type { Check } from '../domain/check.ts';
import { deliveriesOf, isTold } from '../domain/delivery.ts';
import type { Flip, FlipSpan, NewFlip } from '../domain/flip.ts';
import type { Instant } from '../lib/instant.ts';
import type { Writes } from '../storage/store.ts';
import { type Actor, ownCheck, requirePermission } from './actor.ts';
import type { Deps } from './deps.ts';
import { reviewReminders } from './reminders.ts';

/** The check's flips in the span, newest first. */
export async function listFlips(deps: Deps, actor: Actor, check: Check, span: FlipSpan): Promise<Flip[]> {
  requirePermission(actor, 'checks.view');
  ownCheck(actor, check);
  return deps.store.flips.ofCheck(check.id, span);
}

/**
 * Records flips, queues their deliveries, and updates the dates of reminders. All of it happens in the transaction that
 * changes the status, so a crash after the commit loses nothing.
 */
export async function recordFlips(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  flips: readonly NewFlip[],
  now: Instant,
): Promise<void> {
  if (flips.length === 0) return;
  await queueDeliveries(deps, tx, await tx.flips.insertMany(flips), now);
  await reviewReminders(tx, flips, now);
}

async function queueDeliveries(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  recorded: readonly Flip[],
  now: Instant,
): Promise<void> {
  const told = recorded.filter(isTold);
  if (told.length === 0) return;
  const channels = await tx.channels.holdAssigned([...new Set(told.map(({ checkId }) => checkId))]);
  await tx.deliveries.insertMany(
    told.flatMap((flip) => deliveriesOf(flip, channels.get(flip.checkId) ?? [], deps.random.uuid, now)),
  );
}
