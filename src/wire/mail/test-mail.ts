import type { MailText } from '../../lib/mail-document/document.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { noticeMail } from './notice.ts';

const STATEMENT = 'The service can send mail: an administrator has sent this one to try it.';

/** The mail by which an administrator tries whether mail arrives. */
export function testMail(serviceName: string): MailText {
  const siteName = oneLine(serviceName);
  const subject = `Test mail from ${siteName}`;
  return noticeMail({ siteName, subject, lead: STATEMENT, blocks: [] });
}
