import { deliveryList } from '../../reading/lists.ts';
import type { Reads } from '../../services/core/reads.ts';
import * as docs from '../../wire/openapi/operations/deliveries.ts';
import { UUID_SEGMENT } from '../path-segments.ts';
import { refOf } from './checks.ts';
import { type Endpoint, withKey } from './endpoint.ts';

/** Deliveries of a check. The reference has none. */
export function deliveryEndpoints(reads: Reads): Endpoint[] {
  const list = withKey(docs.listDeliveries, 'deliveries.view', async (request) => {
    const { actor, version } = request;
    const { pieces } = await reads.ask(deliveryList, { actor, check: refOf(request), version });
    return { status: 200, pieces };
  });
  return [{ path: `/checks/${UUID_SEGMENT}/deliveries/`, operations: { GET: list } }];
}
