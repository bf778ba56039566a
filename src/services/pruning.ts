import { seconds } from '../lib/instant.ts';
import type { Writes } from '../storage/store.ts';
import type { Deps } from './deps.ts';

/** A check's old pings are looked for each time its count passes a multiple of this. */
export const PRUNE_EVERY = 100;

/** At least the current month and two full months before it, whatever their lengths. */
const FLIPS_KEPT = seconds(93 * 86_400);
/** Rows removed in one transaction, so that pings never wait long for their turn. */
const MOST_PINGS_AT_ONCE = 500;

export type PruningDeps = Pick<Deps, 'store' | 'clock' | 'defaultLimits'>;

/**
 * Removes what some checks have beyond their owners' limits, a bounded piece at a time: pings, deliveries older
 * than the oldest ping kept, and flips older than that and than the time they are promised for. Says
 * whether there was anything to do.
 */
export async function pruneChecks(deps: PruningDeps, mostChecks: number): Promise<boolean> {
  const due = await deps.store.pruning.next(mostChecks);
  if (due.length === 0) return false;
  await deps.store.transaction(async (tx) => {
    let room = MOST_PINGS_AT_ONCE;
    for (const checkId of due) {
      if (room > 0) room -= await pruneCheck(deps, tx, checkId, room);
    }
  });
  return true;
}

/** How many pings were removed; when that are as many as there is room for, the check's turn comes again. */
async function pruneCheck(deps: PruningDeps, tx: Writes, checkId: number, room: number): Promise<number> {
  const check = await tx.checks.lock(checkId);
  if (check === null) {
    await tx.pruning.done(checkId);
    return 0;
  }
  const owner = await tx.accounts.ownerOf(check.projectId);
  const limit = owner?.limits.pings ?? deps.defaultLimits.pings;
  const upTo = check.pingCount - limit;
  const removed = upTo < 1 ? 0 : await tx.pings.prune(checkId, upTo, room);
  if (removed === room) return removed;
  const oldestKept = (await tx.pings.oldestAt(checkId)) ?? deps.clock.now();
  await tx.deliveries.prune(checkId, oldestKept);
  await tx.flips.prune(checkId, Math.min(oldestKept, deps.clock.now() - FLIPS_KEPT));
  await tx.pruning.done(checkId);
  return removed;
}
