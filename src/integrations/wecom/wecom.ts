import { BUTTON_LINKS } from '../kind/button-display.ts';
import { TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { requestKind } from '../kind/kind.ts';
import { bytes } from '../kind/limits.ts';
import { classifyByCode } from '../send/coded-reply.ts';
import { jsonCall } from '../send/json-call.ts';
import { MAX_TEXT_BYTES, weComMessage } from './message.ts';

/** https://developer.work.weixin.qq.com/document/path/99110 */
export const wecom = requestKind({
  ...TO_WEBHOOK,
  label: 'WeCom',
  summary: 'to a group',
  description: 'Messages in a group of WeCom (WeChat Work), by a group bot.',
  setup: [
    'In WeCom, open the menu of the group that alerts go to, and choose **Add Group Bot** and **New Bot**.',
    'Give the bot a name, and copy its **Webhook URL**. It begins with `https://qyapi.weixin.qq.com/cgi-bin/webhook/send`.',
    'Paste the address. Whoever knows it can post to that group, so it is kept encrypted.',
  ],
  example: {
    url: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=01234567-89ab-cdef-0123-456789abcdef',
  },
  settings: { url: webhookUrl('The address of a bot of the group.') },
  server: {},
  limit: ({ url }) => ({ key: `wecom ${url}`, messages: 20, perSeconds: 60 }),
  limits: { 'markdown.content': bytes(MAX_TEXT_BYTES) },
  needsBody: true,
  needsStory: true,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  render: (event, { url }) => [jsonCall(url, weComMessage(event))],
  /**
   * https://developer.work.weixin.qq.com/document/path/90313: all codes. 93000: no bot has the address. 45009: too many
   * messages. 40058: a message that WeCom does not take.
   */
  classify: classifyByCode({
    code: 'errcode',
    words: 'errmsg',
    gone: [93000],
    refused: [40058],
    busy: [45009],
    pause: 60,
  }),
  acceptedWith: () => '{"errcode":0,"errmsg":"ok"}',
});
