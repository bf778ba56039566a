import type { MailText } from '../../lib/mail-document/document.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { MessageSite } from '../site.ts';
import { link, noticeMail, paragraphs } from './notice.ts';

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
  return noticeMail({
    siteName: site.name,
    subject,
    lead: statement,
    blocks: [paragraphs(consequence, advice), link(site.root, `Open ${siteName}`)],
  });
}
