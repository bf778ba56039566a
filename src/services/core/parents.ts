import type { Parent } from '../../domain/policy/gates.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckToTell, Reads } from '../../storage/store.ts';

/** The parents of each of the checks, as they are now. */
export async function parentsOf(
  _reads: Pick<Reads, 'outages'>,
  _checks: readonly CheckToTell[],
  _now: Instant,
): Promise<(check: CheckToTell) => readonly Parent[]> {
  return () => [];
}
