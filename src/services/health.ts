import type { Deps } from './deps.ts';

/** How far ingestion and alerting have come, for whoever watches the instance. */
export interface Progress {
  readonly pings: number;
  readonly lastDeliveryId: number | null;
  readonly openFlips: number;
}

export async function readProgress(deps: Deps): Promise<Progress> {
  const [pings, outbox] = await Promise.all([
    deps.store.checks.pingTotal(),
    deps.store.deliveries.progress(),
  ]);
  return { pings, lastDeliveryId: outbox.lastId, openFlips: outbox.openFlips };
}
