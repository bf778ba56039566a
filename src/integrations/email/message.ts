import { writeMail } from '../../lib/mail-document/write.ts';
import type { TimeReader } from '../../lib/text/clock-text.ts';
import { secretsMask } from '../../wire/secrets-mask.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { OutboundMail } from '../kind/kind.ts';
import { unknownReader } from '../text/alert-words.ts';
import { alertDocument } from './alert-document.ts';
import { attachableMessage } from './attached-message.ts';

/** The message that reports the event. Null stands for an unknown reader. */
export function alertMail(
  event: AlertEvent,
  to: string,
  unsubscribeUrl: string,
  reader: TimeReader | null = null,
): OutboundMail {
  const document = alertDocument(event, to, reader ?? unknownReader(event), unsubscribeUrl);
  return {
    to,
    ...writeMail(document),
    headers: {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    answers: event.answers?.deliveryId ?? null,
    attachments: attachments(event, secretsMask(event.check.uuid)),
  };
}

/** If the ping came by mail, its message is attached: people can open it in their mail program, unlike a quotation. */
function attachments(
  { ping, body }: AlertEvent,
  mask: (text: string) => string,
): OutboundMail['attachments'] {
  if (ping?.scheme !== 'email' || body === null || body.length === 0) return [];
  return [
    { filename: 'last-ping.eml', contentType: 'message/rfc822', content: attachableMessage(body, mask) },
  ];
}
