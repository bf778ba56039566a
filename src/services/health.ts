import type { Deps } from './deps.ts';

/** Counters by which an outside monitor sees that ingestion and alerting make progress. */
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
