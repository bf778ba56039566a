import type { AlertEvent } from '../kind/alert-event.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { requestKind } from '../kind/kind.ts';
import { bytes } from '../kind/limits.ts';
import { withQuery } from '../kind/url-field.ts';
import { classifyByCode } from '../send/coded-reply.ts';
import { jsonCall } from '../send/json-call.ts';
import { signature, signingSecret } from '../send/signing.ts';
import { dingTalkMessage } from './message.ts';

const MICROS_PER_MILLISECOND = 1_000;

/** https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages */
export const dingtalk = requestKind({
  ...TO_WEBHOOK,
  label: 'DingTalk',
  summary: 'to a group',
  description: 'Messages in a group of DingTalk, by a custom robot.',
  setup: [
    'In DingTalk, open the settings of the group that alerts go to, then **Group Assistant**, and add a **Custom** robot.',
    'Under **Security Settings**, tick **Additional Signature**, and copy the secret. It begins with `SEC`. A custom keyword works, too, if every message contains it, such as `Ping`.',
    'Copy the **Webhook** of the robot. It begins with `https://oapi.dingtalk.com/robot/send`.',
    'Paste the address and the secret. Both are kept encrypted.',
  ],
  example: {
    url: 'https://oapi.dingtalk.com/robot/send?access_token=a-long-access-token',
    secret: 'SECa-signing-secret',
  },
  settings: {
    url: webhookUrl('The address of a custom robot of the group.'),
    secret: signingSecret('The secret that the robot shows if its messages have to be signed.'),
  },
  server: {},
  /** More than 20 messages in a minute silence the robot for ten minutes. */
  limit: ({ url }) => ({ key: `dingtalk ${url}`, messages: 20, perSeconds: 60 }),
  /** Bytes of a request, by the page above. */
  limits: { '': bytes(20_000) },
  needsBody: true,
  needsStory: true,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  render: (event, { url, secret }) => [jsonCall(signedUrl(url, secret, event), dingTalkMessage(event))],
  /**
   * The codes of 4 are in the table of that page, 300001 and 130101 in Alibaba Cloud's for the same robots, and 300005
   * is the server's answer to a token that does not exist. 300001, 300005 and 400101: there is no such token; 400102
   * and 400106: the robot is off or gone; 400013: the group is gone. 430101 to 430104: content that is not allowed.
   * 130101 and 410100: too many messages.
   */
  classify: classifyByCode({
    code: 'errcode',
    words: 'errmsg',
    gone: [300001, 300005, 400013, 400101, 400102, 400106],
    refused: [430101, 430102, 430103, 430104],
    busy: [130101, 410100],
    pause: 600,
  }),
  acceptedWith: () => '{"errcode":0,"errmsg":"ok"}',
});

/** The time of the attempt, in milliseconds. DingTalk takes a signature for an hour. */
function signedUrl(url: string, secret: string | null, { now }: AlertEvent): string {
  if (secret === null) return url;
  const timestamp = String(Math.floor(now / MICROS_PER_MILLISECOND));
  return withQuery(url, { timestamp, sign: signature(secret, `${timestamp}\n${secret}`) });
}
