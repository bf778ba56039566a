import { escapeHtml } from '../../lib/html-escape.ts';
import { heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import type { MessageSite } from '../site.ts';
import type { MailText } from './mail-text.ts';

/** The mail with a code by which somebody who is signed in confirms who they are. */
export function confirmationMail({
  code,
  email,
  site,
}: {
  readonly code: string;
  readonly email: string;
  readonly site: MessageSite;
}): MailText {
  const siteName = oneLine(site.name);
  const subject = `Confirm that it is you on ${siteName}`;
  const request = `Somebody who is signed in as ${oneLine(email)} wants to change something important.`;
  const use = `Type this code on the page that asks for it. It works once, within 15 minutes: ${code}`;
  const advice = 'If it was not you, tell nobody the code, and end all sessions of your account.';
  return {
    subject,
    text: textMail([request, use, advice, textFooter(siteName, null)]),
    html: htmlPage(
      subject,
      [heading(escapeHtml(subject)), ...[request, use, advice].map(paragraph)],
      htmlFooter(siteName, null),
    ),
  };
}
