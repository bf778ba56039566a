import type { Deps } from '../../services/deps.ts';
import type { Reads } from '../../services/reads.ts';
import { type SendTest, sendTestMessage } from '../../services/test-message.ts';
import { testMessageJson } from '../../wire/api/delivery-output.ts';
import * as docs from '../../wire/openapi/operations/deliveries.ts';
import { CHANNEL_SEGMENT, UUID_SEGMENT } from '../path-segments.ts';
import { refOf } from './checks.ts';
import type { Endpoint, Operation } from './endpoint.ts';

/** Deliveries of a check, and test messages. The reference has neither. */
export function deliveryEndpoints(deps: Deps, sendTest: SendTest, reads: Reads): Endpoint[] {
  const list: Operation = {
    doc: docs.listDeliveries,
    permission: 'deliveries.view',
    async handle(request) {
      const { actor } = request;
      const { pieces } = await reads.ask({ kind: 'delivery_list', actor, check: refOf(request) });
      return { status: 200, pieces };
    },
  };

  const test: Operation = {
    doc: docs.testChannel,
    permission: 'channels.test',
    acceptsNullBody: true,
    async handle({ actor, params }) {
      const { error, off } = await sendTestMessage(deps, actor, params.channel ?? '', sendTest);
      return { status: 200, json: testMessageJson(error, off) };
    },
  };

  return [
    { path: `/checks/${UUID_SEGMENT}/deliveries/`, operations: { GET: list } },
    { path: `/channels/${CHANNEL_SEGMENT}/test`, operations: { POST: test } },
  ];
}
