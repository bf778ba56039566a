import { flipsKeptFrom } from '../domain/flip.ts';
import { type Readings, readingsOf } from '../lib/clock.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import { BEFORE_ALL_FLIPS, type FlipPlace, type Writes } from '../storage/store.ts';
import type { Deps } from './deps.ts';

/** A check's old pings are looked for each time its count passes a multiple of this. */
export const PRUNE_EVERY = 100;

/** Pings and deliveries removed in one transaction, so that pings never wait long for their turn. */
const MAX_ROWS_AT_ONCE = 500;
/** Old flips looked at in one transaction, and deliveries of theirs removed; of blind spans there are few. */
const MAX_OLD_AT_ONCE = 100;
/** Flips become too old at the start of a month, and are kept for a day longer than they need be. */
const LOOK_FOR_OLD_EVERY: Micros = seconds(3600);
/** A wall clock that has moved by more than this against the monotonic one between two looks was set. */
const MAX_CLOCK_JUMP: Micros = seconds(300);

export type PruningDeps = Pick<Deps, 'store' | 'clock' | 'defaultLimits'>;

interface Look {
  readonly before: Instant;
  /** The place of the last flip that was looked at; null when no flips are to be looked at. */
  readonly after: FlipPlace | null;
}

/**
 * Removes what is not kept any longer. Checks that have pings beyond their owners' limits stand in a queue: those pings
 * go, and deliveries older than the oldest ping kept. All checks get their turn, however much one of them has too much or
 * however often it comes again. Flips go by their age, whether their check is pinged or not, and so do blind spans.
 */
export class Pruner {
  readonly #deps: PruningDeps;
  readonly #maxChecks: number;
  #lastId = 0;
  /** What the clocks said when a look was last due, or at the start. */
  #lookDueAt: Readings;
  /** The look that has begun and is not finished. */
  #look: Look | null = null;
  /** Flips were last pruned to this time. It moves on once in a month: there is nothing new to find until then. */
  #flipsPrunedTo: Instant | null = null;

  /** `maxChecks` share a transaction. */
  constructor(deps: PruningDeps, maxChecks: number) {
    this.#deps = deps;
    this.#maxChecks = maxChecks;
    this.#lookDueAt = readingsOf(deps.clock);
  }

  /** Removes a bounded piece; says whether there was anything to do. */
  async tick(): Promise<boolean> {
    const hadQueued = await this.#pruneQueued();
    const hadOld = await this.#pruneOld();
    return hadQueued || hadOld;
  }

  async #pruneQueued(): Promise<boolean> {
    const due = await this.#next();
    if (due.length === 0) return false;
    await this.#deps.store.transaction(async (tx) => {
      let room = MAX_ROWS_AT_ONCE;
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
    const due = await pruning.next(this.#lastId, this.#maxChecks);
    return due.length > 0 ? due : pruning.next(0, this.#maxChecks);
  }

  /**
   * An index leads to what is old. Kept flips are among it, one of each check at the most: a look passes them once, in
   * bounded pieces.
   */
  async #pruneOld(): Promise<boolean> {
    this.#look ??= this.#beginLook();
    if (this.#look === null) return false;
    const { before, after } = this.#look;
    const place = await this.#deps.store.transaction(async (tx) => {
      // Reports tell of both for the same time.
      await tx.liveness.pruneBlindSpans(before, MAX_OLD_AT_ONCE);
      return after === null ? null : tx.flips.prune({ before, after, most: MAX_OLD_AT_ONCE });
    });
    if (place === null) this.#flipsPrunedTo = before;
    this.#look = place === null ? null : { before, after: place };
    return place !== null;
  }

  #beginLook(): Look | null {
    if (!this.#isTimeToLook()) return null;
    const before = flipsKeptFrom(this.#deps.clock.now());
    return { before, after: before === this.#flipsPrunedTo ? null : BEFORE_ALL_FLIPS };
  }

  /**
   * A clock that is months ahead would make everything old, for example until a machine that was just started has asked
   * a time server. So the first look waits, and a look is left out when the clock was set since the last one was due.
   */
  #isTimeToLook(): boolean {
    const last = this.#lookDueAt;
    const now = readingsOf(this.#deps.clock);
    const passed = now.monotonic - last.monotonic;
    if (passed < LOOK_FOR_OLD_EVERY) return false;
    this.#lookDueAt = now;
    return Math.abs(now.wall - last.wall - passed) <= MAX_CLOCK_JUMP;
  }
}

/** How many rows were removed; when that are as many as there is room for, the check's turn comes again. */
async function pruneCheck(deps: PruningDeps, tx: Writes, checkId: number, room: number): Promise<number> {
  const check = await tx.checks.lock(checkId);
  if (check === null) {
    await tx.pruning.done(checkId);
    return 0;
  }
  const owner = await tx.accounts.ownerOf(check.projectId);
  const limit = owner?.limits.pings ?? deps.defaultLimits.pings;
  const upTo = check.pingCount - limit;
  const pings = upTo < 1 ? 0 : await tx.pings.prune(checkId, upTo, room);
  if (pings === room) return pings;
  const oldestKept = (await tx.pings.oldestAt(checkId)) ?? deps.clock.now();
  const deliveries = await tx.deliveries.prune(checkId, oldestKept, room - pings);
  if (pings + deliveries < room) await tx.pruning.done(checkId);
  return pings + deliveries;
}
