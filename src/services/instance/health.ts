import type { Progress } from '../../domain/vitals.ts';
import type { Deps } from '../core/deps.ts';
import { ofOperator, valueRead } from '../core/reads.ts';

export const progress = valueRead(ofOperator, async ({ store }: Pick<Deps, 'store'>): Promise<Progress> => {
  const [pings, outbox] = await Promise.all([store.checks.pingTotal(), store.deliveries.progress()]);
  return { pings, lastDeliveryId: outbox.lastId, openFlips: outbox.openFlips };
});
