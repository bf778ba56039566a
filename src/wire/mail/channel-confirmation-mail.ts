import { escapeHtml } from '../../lib/html-escape.ts';
import { button, heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import { channelConfirmationAddress } from '../dashboard/addresses.ts';
import type { MessageSite } from '../site.ts';
import { type MailText, projectName } from './mail-text.ts';

export interface ChannelConfirmation {
  readonly channel: { readonly uuid: string };
  readonly project: { readonly name: string };
  /** The secret part of the link. */
  readonly token: string;
  /** The recipient. */
  readonly email: string;
  readonly site: MessageSite;
}

/** Asks whether alerts of a project may be sent to the address. */
export function channelConfirmationMail(notice: ChannelConfirmation): MailText {
  const { channel, project, token, email, site } = notice;
  const siteName = oneLine(site.name);
  const subject = `Alerts of ${projectName(project)} to ${oneLine(email)}?`;
  const link = channelConfirmationAddress(site.root, channel.uuid, token);
  const request =
    `Somebody on ${siteName} wants to send alerts of the project ${projectName(project)} to this address. ` +
    'Nothing is sent before you confirm it. The link works for a week, and you need no account.';
  const otherwise = 'If you do not want these alerts, ignore this mail.';
  return {
    subject,
    text: textMail([request, link, otherwise, textFooter(siteName, null)]),
    html: htmlPage(
      subject,
      [
        heading(escapeHtml(subject)),
        paragraph(request),
        ...button(link, 'Confirm the Address'),
        paragraph(otherwise),
      ],
      htmlFooter(siteName, null),
    ),
  };
}
