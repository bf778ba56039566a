import { counterOf, type Quota, quotaLabel } from '../../domain/alert/message-quota.ts';
import type { MailText } from '../../lib/mail-document/document.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { MessageSite } from '../site.ts';
import { link, noticeMail, paragraphs } from './notice.ts';

export interface MessageLimitNotice {
  readonly quota: Quota;
  readonly limit: number;
  readonly site: MessageSite;
}

/** The mail to administrators when the whole installation sends no more messages of a kind. */
export function messageLimitMail({ quota, limit, site }: MessageLimitNotice): MailText {
  const isCalls = counterOf(quota) === 'calls';
  const what = isCalls ? 'phone calls' : 'SMS and WhatsApp messages';
  const setting = isCalls ? 'CALL_TOTAL_MONTHLY_LIMIT' : 'SMS_TOTAL_MONTHLY_LIMIT';
  return noticeMail({
    siteName: site.name,
    subject: `${quotaLabel(quota)} limit of all accounts reached`,
    lead: `All accounts of ${oneLine(site.name)} together have reached the limit of ${what} of this month: ${limit}.`,
    blocks: [
      paragraphs(
        'Until the end of the month nothing more is sent in this way, for nobody. Messages to other integrations are sent as before.',
        `Look whether somebody abuses the service. If not, raise ${setting}, and start the service again.`,
        'This mail comes at most once a day.',
      ),
      link(site.root, `Open ${oneLine(site.name)}`),
    ],
  });
}
