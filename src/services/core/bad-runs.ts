import { ALWAYS_WATCHED, badRunsReach, type Unwatched } from '../../domain/check/occurrences.ts';
import type { BadRuns } from '../../domain/policy/bad-runs.ts';
import type { CheckToTell, Reads } from '../../storage/store.ts';
import type { QuietSpans } from './quiet-spans.ts';

/** The bad runs of each of the checks. Runs that were missed are looked at only where the policy `counts` them. */
export async function badRunsOf(
  reads: Pick<Reads, 'liveness'>,
  checks: readonly CheckToTell[],
  counts: (check: CheckToTell) => boolean,
  quietOf: (check: CheckToTell) => QuietSpans,
): Promise<(check: CheckToTell) => BadRuns> {
  const ends = checks.filter(counts).flatMap(({ lastPingAt }) => lastPingAt ?? []);
  const blind = ends.length === 0 ? [] : await reads.liveness.blindSpansSince(Math.min(...ends));
  return (check) => {
    const unwatched: Unwatched = counts(check)
      ? { quiet: quietOf(check).sinceLastEnd, blind }
      : ALWAYS_WATCHED;
    return { badCount: check.badCount, reachesAt: (n) => badRunsReach(check, unwatched, n) };
  };
}
