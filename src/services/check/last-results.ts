import { TOLERATED_AHEAD } from '../../domain/check/status.ts';
import type { Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

const JOB = 'last_results';
/** The fact that tells how far the job is: the id of the last check, or that it is done. */
const FILLED = 'last_results_filled';
const DONE = 'done';
const MAX_CHECKS = 1_000;

/**
 * Fills the last success and the last result of checks that were pinged before these columns existed. One node does it, a
 * bounded number of checks in a transaction, and any node continues after it. Returns whether there may be more to do.
 */
export async function fillLastResults(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  maxChecks = MAX_CHECKS,
): Promise<boolean> {
  if ((await store.instance.get(FILLED)) === DONE) return false;
  const work = async (tx: Writes) => {
    const now = clock.now();
    // Other nodes wait here until the transaction ends. Its end frees the job, however it ends.
    if (!(await tx.jobs.claim(JOB, now, now, now + TOLERATED_AHEAD))) return false;
    const filled = await tx.instance.get(FILLED);
    if (filled === DONE) return false;
    const lastId = await tx.checks.fillLastResults(Number(filled ?? 0), maxChecks);
    await tx.instance.set(FILLED, lastId === null ? DONE : String(lastId));
    return lastId !== null;
  };
  return store.transaction(work, { sharesCommit: false });
}

/** How much of it is done, from 0 to 1. */
export async function lastResultsProgress({ store }: Pick<Deps, 'store'>): Promise<number> {
  const filled = await store.instance.get(FILLED);
  if (filled === DONE) return 1;
  const lastId = await store.checks.lastId();
  return lastId === null ? 1 : Math.min(1, Number(filled ?? 0) / lastId);
}
