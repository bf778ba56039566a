import type { Check } from '../domain/check.ts';
import type { Flip, FlipSpan } from '../domain/flip.ts';
import type { Deps } from './deps.ts';

/** The check's changes of status in the span, newest first. */
export async function listFlips(deps: Deps, check: Check, span: FlipSpan): Promise<Flip[]> {
  return deps.store.flips.ofCheck(check.id, span);
}
