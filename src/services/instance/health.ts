import type { Progress } from '../../domain/vitals.ts';
import type { Deps } from '../core/deps.ts';

export async function readProgress(deps: Pick<Deps, 'store'>): Promise<Progress> {
  const [pings, outbox] = await Promise.all([
    deps.store.checks.pingTotal(),
    deps.store.deliveries.progress(),
  ]);
  return { pings, lastDeliveryId: outbox.lastId, openFlips: outbox.openFlips };
}
