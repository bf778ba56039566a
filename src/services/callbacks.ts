import { type Micros, seconds } from '../lib/instant.ts';
import { firstCharacters } from '../lib/text/excerpt.ts';
import type { LateVerdict } from '../storage/store.ts';
import type { Deps } from './deps.ts';

/** Providers report late for at most this long; anything after it is not believed. */
const CALLBACK_WINDOW = seconds(3600);
const LONGEST_ERROR = 200;

/** What a provider tells of a delivery after it took it. An unknown or old delivery is passed over. */
export async function reportDelivery(deps: Deps, uuid: string, verdict: LateVerdict): Promise<void> {
  await amendDelivery(deps, uuid, CALLBACK_WINDOW, verdict);
}

/** Records a late verdict on a delivery that is no older than `window`; false where there is none. */
export async function amendDelivery(
  deps: Deps,
  uuid: string,
  window: Micros,
  { error, disableChannel }: LateVerdict,
): Promise<boolean> {
  const since = deps.clock.now() - window;
  return deps.store.transaction((tx) =>
    tx.deliveries.amend(uuid, since, { error: firstCharacters(error, LONGEST_ERROR), disableChannel }),
  );
}
