import type { Outcome } from '../../domain/alert/delivery.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { bytes } from '../kind/limits.ts';
import { withQuery } from '../kind/url-field.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, goneForGood, jsonOf, recordOf } from '../send/reply.ts';
import { googleChatMessage } from './card.ts';

export const googlechat = requestKind({
  ...TO_WEBHOOK,
  label: 'Google Chat',
  summary: 'to a space',
  description: 'Cards in a space of Google Chat, by a webhook. Messages about one check share a thread.',
  setup: [
    'In Google Chat, open the menu of the space that alerts go to, and choose **Apps & integrations**. It is not offered on phones.',
    'Choose **Add webhooks**, give the webhook a name, and save it.',
    'Copy its address. It begins with `https://chat.googleapis.com/v1/spaces/`.',
    'Paste the address. Whoever knows it can post to that space, so it is kept encrypted.',
  ],
  example: { url: 'https://chat.googleapis.com/v1/spaces/AAAA/messages?key=a-key-of-google&token=a-token' },
  settings: { url: webhookUrl('The address of a webhook of the space.') },
  server: {},
  /** https://developers.google.com/workspace/chat/limits: one message in a second to a space by webhooks. */
  limit: ({ url }) => ({ key: `googlechat ${url}`, messages: 1, perSeconds: 1 }),
  /** https://developers.google.com/workspace/chat/create-messages: bytes of a message with its cards. */
  limits: { '': bytes(32_000) },
  needsBody: false,
  needsStory: true,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  /** https://developers.google.com/workspace/chat/quickstart/webhooks: without the option, no thread is answered. */
  render: (event, { url }) => [
    jsonCall(
      withQuery(url, { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' }),
      googleChatMessage(event),
    ),
  ],
  classify,
});

/** Google says that nothing is found once the space or the webhook has been deleted. */
function classify(reply: Reply): Outcome {
  const { status, message } = recordOf(jsonOf(reply).error);
  return status === 'NOT_FOUND' ? goneForGood(reply, message) : classifyByStatus(reply, message);
}
