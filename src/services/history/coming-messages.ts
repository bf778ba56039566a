import { type ForeseenMessage, foresee } from '../../domain/policy/foresight.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { StoredOutage } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { lastBlindSpans, outageFacts } from '../core/outage-facts.ts';

/** So far ahead, and so many messages, at most. */
const FORESEEN_FOR = seconds(2 * 86_400);
const MAX_FORESEEN = 200;

/** What is told of the open outage of a check from now on, if nothing happens. In order of time. */
export async function readComing(
  { store }: Pick<Deps, 'store'>,
  checkId: number,
  outage: StoredOutage,
  now: Instant,
): Promise<readonly ForeseenMessage[]> {
  const [facts] = await outageFacts(store, store.channels, [checkId], [outage], now);
  if (facts === undefined) return [];
  const blind = await lastBlindSpans(store, now);
  const asked = { ...facts.known, cause: { kind: 'timer' }, blind, now } as const;
  return foresee(asked, now + FORESEEN_FOR, MAX_FORESEEN).messages;
}
