import { escapeHtml } from '../../lib/html-escape.ts';
import { heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import type { MailText } from './mail-text.ts';

const STATEMENT = 'The service can send mail: an administrator has sent this one to try it.';

/** The mail by which an administrator tries whether mail arrives. */
export function testMail(serviceName: string): MailText {
  const siteName = oneLine(serviceName);
  const subject = `Test mail from ${siteName}`;
  return {
    subject,
    text: textMail([STATEMENT, textFooter(siteName, null)]),
    html: htmlPage(subject, [heading(escapeHtml(subject)), paragraph(STATEMENT)], htmlFooter(siteName, null)),
  };
}
