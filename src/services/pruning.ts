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
 * Removes what checks have beyond their owners' limits: pings, deliveries older than the oldest ping kept, and flips
 * older than that and than the time they are promised for. All checks get their turn, however much one of them has too
 * much or however often it comes again.
 */
export class Pruner {
  readonly #deps: PruningDeps;
  readonly #mostChecks: number;
  #lastId = 0;

  /** `mostChecks` share a transaction. */
  constructor(deps: PruningDeps, mostChecks: number) {
    this.#deps = deps;
    this.#mostChecks = mostChecks;
  }

  /** Removes a bounded piece; says whether there was anything to do. */
  async tick(): Promise<boolean> {
    const due = await this.#next();
    if (due.length === 0) return false;
    await this.#deps.store.transaction(async (tx) => {
      let room = MOST_PINGS_AT_ONCE;
      for (const checkId of due) {
        if (room === 0) return;
        room -= await pruneCheck(this.#deps, tx, checkId, room);
        this.#lastId = checkId;
      }
    });
    return true;
  }

  async #next(): Promise<number[]> {
    const { pruning } = this.#deps.store;
    const due = await pruning.next(this.#lastId, this.#mostChecks);
    return due.length > 0 ? due : pruning.next(0, this.#mostChecks);
  }
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
