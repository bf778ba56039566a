import type { MailText } from '../../lib/mail-document/document.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { MessageSite } from '../site.ts';
import { facts, link, noticeMail, paragraphs } from './notice.ts';

export interface BackupFailedNotice {
  readonly error: string;
  readonly site: MessageSite;
}

/** The mail to administrators when no backup could be made, or when the one that was made has faults. */
export function backupFailedMail({ error, site }: BackupFailedNotice): MailText {
  return noticeMail({
    siteName: site.name,
    subject: 'The backup failed',
    lead: `${oneLine(site.name)} could not make a backup of its database.`,
    blocks: [
      facts({ label: 'Reason', value: oneLine(error) }),
      paragraphs(
        'It is tried again every hour. The backups from before are kept meanwhile.',
        'This mail comes once, until a backup succeeds again.',
      ),
      link(site.root, `Open ${oneLine(site.name)}`),
    ],
  });
}
