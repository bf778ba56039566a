import type { Instant } from '../../lib/instant.ts';
import type { FlipReason } from '../check/flip.ts';
import type { Policy } from './policy.ts';

/** The bad runs of a check since its last good one. */
export interface BadRuns {
  /** Bad ends in a row, with the runs missed before them. */
  readonly badCount: number;
  /**
   * When there are, or will be, `n` of them if nothing comes: the deadline of a run that is missed. `n` is above `badCount`.
   * Runs in quiet or blind time are left out. Null: only a ping can bring more.
   */
  readonly reachesAt: (n: number) => Instant | null;
}

/**
 * When there were, or would be, enough bad runs for the policy: `since` if the outage began with enough. Null if only a
 * further ping can bring more.
 */
export function enoughBadRunsAt(
  { badRuns, counts }: Pick<Policy, 'badRuns' | 'counts'>,
  { badCount, reachesAt }: BadRuns,
  { reason, since }: { readonly reason: FlipReason; readonly since: Instant },
): Instant | null {
  if (badCount >= badRuns) return since;
  if (counts === 'all') return reachesAt(badRuns);
  return reason === 'fail' ? reachesAt(badCount + 1) : since;
}

/** How many bad runs there are by now, at most as many as the policy asks for. */
export function badRunsBy(
  { badRuns }: Pick<Policy, 'badRuns'>,
  { badCount, reachesAt }: BadRuns,
  now: Instant,
): number {
  let count = badCount;
  while (count < badRuns && (reachesAt(count + 1) ?? Number.POSITIVE_INFINITY) <= now) count++;
  // A check that is down has at least one, whatever is still known of it.
  return Math.min(Math.max(1, count), badRuns);
}
