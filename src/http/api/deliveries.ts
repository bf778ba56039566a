import { findCheck } from '../../services/checks.ts';
import { listDeliveries } from '../../services/deliveries.ts';
import type { Deps } from '../../services/deps.ts';
import { type SendTest, sendTestMessage } from '../../services/test-message.ts';
import { deliveryJson, testMessageJson } from '../../wire/api/delivery-output.ts';
import * as docs from '../../wire/openapi/operations/deliveries.ts';
import { CHANNEL_SEGMENT, UUID_SEGMENT } from '../path-segments.ts';
import { refOf } from './checks.ts';
import type { Endpoint, Operation } from './endpoint.ts';

/** Deliveries of a check, and test messages. The reference has neither. */
export function deliveryEndpoints(deps: Deps, sendTest: SendTest): Endpoint[] {
  const list: Operation = {
    doc: docs.listDeliveries,
    permission: 'deliveries.view',
    async handle(request) {
      const check = await findCheck(deps, request.actor, refOf(request));
      const found = await listDeliveries(deps, request.actor, check);
      return { status: 200, json: { deliveries: found.map(deliveryJson) } };
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
