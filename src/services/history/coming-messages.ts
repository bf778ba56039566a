import type { Telling } from '../../domain/policy/coming.ts';
import { type ForeseenMessage, foresee } from '../../domain/policy/foresight.ts';
import type { PlanInput } from '../../domain/policy/plan.ts';
import { FORETOLD_SPAN, MAX_FORETOLD } from '../../domain/policy/supposition.ts';
import type { Instant } from '../../lib/instant.ts';
import type { StoredOutage } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { lastBlindSpans, outageFacts } from '../core/outage-facts.ts';
import { tellingIn } from '../core/telling.ts';

/** How the open outage of a check is told. */
export interface OutageTelling extends Telling {
  readonly check: PlanInput['check'];
  /** Channels that were not told yet, since it is not their time. */
  readonly waits: PlanInput['waits'];
  /** What is told from now on, if nothing happens. In order of time. */
  readonly coming: readonly ForeseenMessage[];
}

export async function readOutageTelling(
  { store }: Pick<Deps, 'store'>,
  checkId: number,
  outage: StoredOutage,
  now: Instant,
): Promise<OutageTelling | null> {
  const [facts] = await outageFacts(store, store.channels, [{ checkId, outage }], now);
  if (facts === undefined) return null;
  const { known } = facts;
  const blind = await lastBlindSpans(store, now);
  const asked = { ...known, cause: { kind: 'timer' }, blind, now } as const;
  const coming = foresee(asked, now + FORETOLD_SPAN, MAX_FORETOLD).messages;
  return { ...tellingIn(known), check: known.check, waits: known.waits, coming };
}
