import { seconds } from '../lib/instant.ts';
import type { Deps } from './deps.ts';

/** A check's old pings are looked for each time its count passes a multiple of this. */
export const PRUNE_EVERY = 100;

/** At least the current month and two full months before it, whatever their lengths. */
const FLIPS_KEPT = seconds(93 * 86_400);
/** Rows removed in one transaction, so that pings never wait long for their turn. */
const MOST_PINGS_AT_ONCE = 500;

/**
 * Removes what one check has beyond its owner's limit, a bounded piece at a time: pings, deliveries older
 * than the oldest ping kept, and flips older than that and than the time they are promised for. Says
 * whether there was anything to do.
 */
export async function pruneNext(deps: Pick<Deps, 'store' | 'clock' | 'defaultLimits'>): Promise<boolean> {
  const checkId = await deps.store.pruning.next();
  if (checkId === null) return false;
  await deps.store.transaction(async (tx) => {
    const check = await tx.checks.lock(checkId);
    if (check === null) return tx.pruning.done(checkId);
    const owner = await tx.accounts.ownerOf(check.projectId);
    const limit = owner?.limits.pings ?? deps.defaultLimits.pings;
    const removed = await tx.pings.prune(checkId, check.pingCount - limit, MOST_PINGS_AT_ONCE);
    if (removed === MOST_PINGS_AT_ONCE) return;
    const oldestKept = (await tx.pings.oldestAt(checkId)) ?? deps.clock.now();
    await tx.deliveries.prune(checkId, oldestKept);
    await tx.flips.prune(checkId, Math.min(oldestKept, deps.clock.now() - FLIPS_KEPT));
    await tx.pruning.done(checkId);
  });
  return true;
}
