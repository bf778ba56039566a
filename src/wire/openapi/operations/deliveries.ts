import { DELIVERY_SCHEMA, TEST_MESSAGE_SCHEMA } from '../../api/delivery-schema.ts';
import { DELIVERIES, REFUSED_TEST_MESSAGE, TEST_MESSAGE, TEST_MESSAGE_TO_DISABLED } from '../examples.ts';
import { errorReply, jsonReply, type OperationDoc } from '../operation.ts';
import { list, object } from '../schema.ts';
import { NO_SUCH_CHECK, NOTHING_TO_SAY, OF_OTHER_PROJECT, UNREADABLE_BODY } from './checks.ts';

export const listDeliveries: OperationDoc = {
  id: 'listDeliveries',
  group: 'History',
  summary: 'List notifications',
  description: `The latest notifications about a check, newest first and at most 100: one for each change of status and each
integration that was to be told of it, with all tries.

A notification that a provider does not take is tried again after growing pauses, for a day. One to an integration that
was off at the time is not sent: its \`state\` is \`skipped\`, and its \`error\` says why the integration was off.`,
  responses: {
    200: jsonReply('The notifications.', object({ deliveries: list(DELIVERY_SCHEMA) }).json, {
      'one delivered at the second try': { deliveries: DELIVERIES },
    }),
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
};

export const testChannel: OperationDoc = {
  id: 'testChannel',
  group: 'Project',
  summary: 'Send a test message',
  description: `Sends one message through the integration, at once, and tells what the provider said. The message is about
a check named \`TEST\`, which has gone down because it was silent for too long; an integration that is not told
when checks go down gets one about the check coming up.

A message that the provider does not take is an answer, too: the status is 200, and \`ok\` is false. The message is
not tried again. The answer comes within 20 seconds; later, the provider may still take the message.

The message is also sent through an integration that is switched off. It stays off, and the answer says so. Nothing is
sent to an address that is not confirmed.`,
  body: NOTHING_TO_SAY,
  responses: {
    200: jsonReply('How it went.', TEST_MESSAGE_SCHEMA.json, {
      'the provider took it': TEST_MESSAGE,
      'the provider did not': REFUSED_TEST_MESSAGE,
      'the integration is off': TEST_MESSAGE_TO_DISABLED,
    }),
    400: errorReply('The body is neither empty nor a JSON object.', ...UNREADABLE_BODY),
    403: errorReply('The integration belongs to another project.', 'access denied'),
    404: errorReply('There is no such integration.', 'channel not found'),
  },
};
