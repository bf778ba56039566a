import type { Undelivered } from '../../domain/alert/mail.ts';
import { quotaLabel } from '../../domain/alert/message-quota.ts';
import type { MailText } from '../../lib/mail-document/document.ts';
import { shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { MessageSite } from '../site.ts';
import { projectName } from './mail-text.ts';
import { facts, link, noticeMail, paragraphs } from './notice.ts';

export interface UndeliveredNotice extends Omit<Undelivered, 'projectId'> {
  readonly project: { readonly name: string };
  readonly owner: { readonly email: string };
  readonly site: MessageSite;
}

const MAX_SUBJECT = 78;

/** The mail about a message that was not delivered. It has the message itself, and says what to do. */
export function undeliveredMail({ why, recipient, text, project, owner, site }: UndeliveredNotice): MailText {
  const siteName = oneLine(site.name);
  const name = projectName(project);
  const account = oneLine(owner.email);
  const message = [
    { label: 'Project', value: name },
    { label: 'To', value: recipient },
    { label: 'Message', value: text },
  ];
  if (why.kind === 'captcha') {
    const [first = ''] = text.split('\n');
    return noticeMail({
      siteName: site.name,
      subject: shortened(`Signal notification failed: ${oneLine(first)}`, MAX_SUBJECT),
      lead: `Signal did not take a message of the project ${name}.`,
      blocks: [
        facts(...message),
        paragraphs(
          `Signal asks for a proof that a person sends these messages. The administrators of ${siteName} were told.`,
        ),
        link(site.root, `Open ${siteName}`),
      ],
    });
  }
  const label = quotaLabel(why.quota);
  const reason =
    why.of === 'instance'
      ? `all accounts of ${siteName} together have reached the limit of this month`
      : `the account ${account} has reached its limit of this month: ${why.limit}`;
  return noticeMail({
    siteName: site.name,
    subject: `Monthly ${label} Limit Reached`,
    lead: `A message of the project ${name} was not sent, because ${reason}.`,
    blocks: [
      facts(...message),
      paragraphs(
        'Until the end of the month nothing more is sent in this way. Messages to other integrations are sent as before.',
        'This mail comes at most once a day.',
      ),
      link(site.root, `Open ${siteName}`),
    ],
  });
}
