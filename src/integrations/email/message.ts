import { secretsMask } from '../../wire/secrets-mask.ts';
import type { AlertEvent } from '../alert-event.ts';
import type { OutboundMail } from '../kind.ts';
import { attachableMessage } from './attached-message.ts';
import { mailContent } from './content.ts';
import { htmlPart } from './html-part.ts';
import { textPart } from './text-part.ts';

/** The message that reports the event. */
export function alertMail(event: AlertEvent, to: string, unsubscribeUrl: string): OutboundMail {
  const mask = secretsMask(event.check.uuid);
  const content = mailContent(event, mask, unsubscribeUrl);
  return {
    to,
    subject: `${content.state} | ${content.name}`,
    text: textPart(content),
    html: htmlPart(content),
    headers: {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    attachments: attachments(event, mask),
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
