import type { MailText } from '../../lib/mail-document/document.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { MessageSite } from '../site.ts';
import { noticeMail, paragraphs } from './notice.ts';

/** The mail with a code by which a signed-in person confirms their identity. */
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
  return noticeMail({ siteName: site.name, subject, lead: request, blocks: [paragraphs(use, advice)] });
}
