import { MICROS_PER_SECOND } from '../../lib/instant.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { requestKind } from '../kind/kind.ts';
import { bytes } from '../kind/limits.ts';
import { classifyByCode } from '../send/coded-reply.ts';
import { jsonCall } from '../send/json-call.ts';
import { signature, signingSecret } from '../send/signing.ts';
import { larkCard } from './card.ts';

/** https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot. Feishu is the same service in China. */
export const lark = requestKind({
  ...TO_WEBHOOK,
  label: 'Lark / Feishu',
  summary: 'to a group',
  description: 'Cards in a group of Lark or Feishu, by a custom bot.',
  setup: [
    'In Lark or Feishu, open the settings of the group that alerts go to, then **Bots**, and choose **Add Bot** and **Custom Bot**.',
    'Give the bot a name, and copy its **Webhook URL**. It contains `/open-apis/bot/v2/hook/`.',
    'Under **Security settings**, switch on **Set signature verification**, and copy the secret. A custom keyword works, too, if every message contains it, such as `Ping`.',
    'Paste the address and the secret. Both are kept encrypted.',
  ],
  example: {
    url: 'https://open.larksuite.com/open-apis/bot/v2/hook/01234567-89ab-cdef-0123-456789abcdef',
    secret: 'a-signing-secret',
  },
  settings: {
    url: webhookUrl('The address of a custom bot of the group.'),
    secret: signingSecret('The secret that the bot shows if its signature verification is on.'),
  },
  server: {},
  /** 100 messages in a minute, and 5 in a second. */
  limit: ({ url }) => ({ key: `lark ${url}`, messages: 5, perSeconds: 3 }),
  /** Bytes of a request, by the page above. */
  limits: { '': bytes(20_000) },
  needsBody: true,
  needsStory: true,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  render: (event, { url, secret }) => [
    jsonCall(url, { ...signed(event, secret), msg_type: 'interactive', card: larkCard(event) }),
  ],
  /**
   * The page above has the codes. 19001: no bot has the address. 11232: too many messages. The others are tried again:
   * 9499 is a body that was not understood, though some servers of Lark answer it under load, and 19021, 19022 and
   * 19024 tell of security settings that people can mend.
   */
  classify: classifyByCode({ code: 'code', words: 'msg', gone: [19001], busy: [11232], pause: 60 }),
  acceptedWith: () => '{"code":0,"data":{},"msg":"success"}',
});

/** The signed text is the key, and nothing is signed with it. The time is the attempt's, in seconds. */
function signed({ now }: AlertEvent, secret: string | null): object {
  if (secret === null) return {};
  const timestamp = String(Math.floor(now / MICROS_PER_SECOND));
  return { timestamp, sign: signature(`${timestamp}\n${secret}`, '') };
}
