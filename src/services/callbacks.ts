import { seconds } from '../lib/instant.ts';
import type { Deps } from './deps.ts';

/** Providers report late for at most this long; anything after it is not believed. */
const CALLBACK_WINDOW = seconds(3600);
const LONGEST_ERROR = 200;

/** What a provider tells of a delivery after it took it. An unknown or old delivery is passed over. */
export async function reportDelivery(
  deps: Deps,
  uuid: string,
  { error, disableChannel }: { error: string; disableChannel: boolean },
): Promise<void> {
  const since = deps.clock.now() - CALLBACK_WINDOW;
  await deps.store.transaction((tx) =>
    tx.deliveries.amend(uuid, since, { error: error.slice(0, LONGEST_ERROR), disableChannel }),
  );
}
