import { DELIVERY_SCHEMA } from '../../api/delivery-schema.ts';
import { DELIVERIES } from '../examples.ts';
import { jsonReply, type OperationDoc } from '../operation.ts';
import { list, object } from '../schema.ts';
import { NO_SUCH_CHECK, OF_OTHER_PROJECT } from './checks.ts';

export const listDeliveries: OperationDoc = {
  id: 'listDeliveries',
  group: 'History',
  summary: 'List notifications',
  description: `The latest notifications about a check, newest first and at most 100: one for each change of status and each
integration that was to be told of it, with all tries.

A notification that a provider does not take is tried again after growing pauses, for a day. One to an integration that
was off at the time is not sent: its \`state\` is \`skipped\`, and its \`error\` says why the integration was off.

In a project that uses policies, quiet times or answers, each says in version 3 what it is (\`event\`) and why it was queued (\`because\`).`,
  responses: {
    200: jsonReply('The notifications.', object({ deliveries: list(DELIVERY_SCHEMA) }).json, {
      'a reminder, and the first message, each delivered at the second try': { deliveries: DELIVERIES },
    }),
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
};
