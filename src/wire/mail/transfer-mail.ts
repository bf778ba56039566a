import { escapeHtml } from '../../lib/html-escape.ts';
import { button, heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import { homePage, type MessageSite } from '../site.ts';
import type { MailText } from './mail-text.ts';

export interface TransferNotice {
  readonly project: { readonly name: string };
  readonly owner: { readonly email: string };
  readonly site: MessageSite;
}

/** The mail to a member to whom the owner offers the project. */
export function transferMail({ project, owner, site }: TransferNotice): MailText {
  const siteName = oneLine(site.name);
  const name = oneLine(project.name);
  const subject = `Will you take over "${name}"?`;
  const statement = `${oneLine(owner.email)} would like to make you the owner of the project "${name}" on ${siteName}.`;
  const consequence =
    'If you accept, its checks count for your account, and the present owner stays in the project as a member.';
  const advice = 'Sign in to accept or decline. Until then nothing changes.';
  return {
    subject,
    text: textMail([statement, consequence, advice, homePage(site), textFooter(siteName, null)]),
    html: htmlPage(
      subject,
      [
        heading(escapeHtml(subject)),
        paragraph(statement),
        paragraph(consequence),
        paragraph(advice),
        ...button(homePage(site), `Open ${siteName}`),
      ],
      htmlFooter(siteName, null),
    ),
  };
}
