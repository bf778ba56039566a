import { BUTTON_SPAN } from '../../domain/alert/button.ts';
import { BEFORE_ALL_FLIPS, type FlipPlace, flipsStoredFrom } from '../../domain/check/flip.ts';
import { CarefulHours } from '../../lib/careful-hours.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

/** A check is queued for pruning each time its number of pings reaches a multiple of this. */
export const PRUNE_EVERY = 100;

/** Pings and deliveries deleted in one transaction. It is kept short so that other pings do not wait long. */
const MAX_ROWS_AT_ONCE = 500;
/** Old flips examined in one transaction, and the most of their deliveries that it deletes. Blind spans are few. */
const MAX_OLD_AT_ONCE = 100;
const DAY: Micros = seconds(86_400);
/** It deletes many rows. Nobody's answer waits for that. */
const ALONE = { sharesCommit: false };

export type PruningDeps = Pick<Deps, 'store' | 'clock' | 'defaultLimits'>;

interface Look {
  readonly before: Instant;
  /** The last flip that was examined; null when flips need not be examined. */
  readonly after: FlipPlace | null;
}

/**
 * Deletes rows past their retention. Checks that may have too many pings are in a queue. For each of them it deletes
 * the pings beyond the owner's limit, and the deliveries older than the oldest ping kept. It takes the checks in turn,
 * so that one check with very many pings does not hold up the others. Flips, blind spans and kept runs are deleted by age,
 * whether or not their check is pinged.
 */
export class Pruner {
  readonly #deps: PruningDeps;
  readonly #maxChecks: number;
  readonly #keptFor: Micros;
  #lastId = 0;
  /** Looks need not be exact: flips become too old only at the start of a month, and are kept a day longer than required. */
  readonly #hours: CarefulHours;
  /** The look in progress, if any. */
  #look: Look | null = null;
  /** Flips are pruned up to this time. It changes once a month. Until then there is nothing new to find. */
  #flipsPrunedTo: Instant | null = null;

  /** `maxChecks` are pruned in one transaction. Failures and warnings are kept for `keptDays` after their pings. */
  constructor(deps: PruningDeps, maxChecks: number, keptDays: number) {
    this.#deps = deps;
    this.#keptFor = keptDays * DAY;
    this.#maxChecks = maxChecks;
    this.#hours = new CarefulHours(deps.clock);
  }

  /** Deletes a bounded number of rows. Returns whether there was anything to do. */
  async tick(): Promise<boolean> {
    const hadQueued = await this.#pruneQueued();
    const hadOld = await this.#pruneOld();
    return hadQueued || hadOld;
  }

  async #pruneQueued(): Promise<boolean> {
    const due = await this.#next();
    if (due.length === 0) return false;
    const work = async (tx: Writes) => {
      let room = MAX_ROWS_AT_ONCE;
      for (const checkId of due) {
        if (room === 0) return;
        room -= await pruneCheck(this.#deps, tx, checkId, room, this.#deps.clock.now() + this.#keptFor);
        this.#lastId = checkId;
      }
    };
    await this.#deps.store.transaction(work, ALONE);
    return true;
  }

  async #next(): Promise<number[]> {
    const { pruning } = this.#deps.store;
    const due = await pruning.next(this.#lastId, this.#maxChecks);
    return due.length > 0 ? due : pruning.next(0, this.#maxChecks);
  }

  /**
   * Reads old flips by an index. Some of them are kept, at most one for each check. A look passes each kept one once.
   */
  async #pruneOld(): Promise<boolean> {
    this.#look ??= this.#beginLook();
    if (this.#look === null) return false;
    const { before, after } = this.#look;
    const work = async (tx: Writes) => {
      // Blind spans and quiet times are kept as long as flips, because reports cover them all.
      await tx.liveness.pruneBlindSpans(before, MAX_OLD_AT_ONCE);
      await tx.quietTimes.pruneSpans(before, MAX_OLD_AT_ONCE);
      const runs = await tx.keptRuns.prune(this.#deps.clock.now(), MAX_ROWS_AT_ONCE);
      const place = after === null ? null : await tx.flips.prune({ before, after, most: MAX_OLD_AT_ONCE });
      return { place, isMore: place !== null || runs === MAX_ROWS_AT_ONCE };
    };
    const { place, isMore } = await this.#deps.store.transaction(work, ALONE);
    if (place === null) this.#flipsPrunedTo = before;
    this.#look = isMore ? { before, after: place } : null;
    return isMore;
  }

  #beginLook(): Look | null {
    if (!this.#hours.isTimeToLook()) return null;
    const before = flipsStoredFrom(this.#deps.clock.now());
    return { before, after: before === this.#flipsPrunedTo ? null : BEFORE_ALL_FLIPS };
  }
}

/** Returns how many rows were deleted. When they fill the room, the check stays in the queue. */
async function pruneCheck(
  deps: PruningDeps,
  tx: Writes,
  checkId: number,
  room: number,
  keptUntil: Instant,
): Promise<number> {
  const check = await tx.checks.lock(checkId);
  if (check === null) {
    await tx.pruning.done(checkId);
    return 0;
  }
  const owner = await tx.accounts.ownerOf(check.projectId);
  const limit = owner?.limits.pings ?? deps.defaultLimits.pings;
  const upTo = check.pingCount - limit;
  const pings = upTo < 1 ? 0 : await tx.pings.prune(checkId, upTo, room, keptUntil);
  if (pings === room) return pings;
  const now = deps.clock.now();
  const oldestKept = (await tx.pings.oldestAt(checkId)) ?? now;
  // As long as the check is down, buttons of messages act.
  const before = check.status === 'down' ? Math.min(oldestKept, now - BUTTON_SPAN) : oldestKept;
  const deliveries = await tx.deliveries.prune(checkId, before, room - pings);
  if (pings + deliveries < room) await tx.pruning.done(checkId);
  return pings + deliveries;
}
