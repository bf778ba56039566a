import type { MailText } from '../../lib/mail-document/document.ts';
import { count } from '../../lib/text/durations.ts';
import { checkAddress, type MessageSite } from '../site.ts';
import { checkName, projectName } from './mail-text.ts';
import { link, noticeMail, paragraphs } from './notice.ts';

export interface FlappingNotice {
  readonly check: { readonly name: string; readonly uniqueKey: string };
  readonly project: { readonly name: string };
  /** The check's changes of status within a day. */
  readonly flips: number;
  readonly site: MessageSite;
}

/** The mail about a check that changes its status too often. It suggests what to do. */
export function flappingMail({ check, project, flips, site }: FlappingNotice): MailText {
  const name = checkName(check);
  const subject = `The check "${name}" is flapping`;
  const lead = `In the last 24 hours the check "${name}" in the project ${projectName(project)} changed its status ${count(flips, 'time')}.`;
  const advice =
    'Often its period or grace time is shorter than the time between two pings, or several jobs ping the same check. A longer period or grace time, or a check for each job, puts an end to it.';
  return noticeMail({
    siteName: site.name,
    subject,
    lead,
    blocks: [
      paragraphs(advice, 'Alerts are sent as before.'),
      link(checkAddress(site.root, check.uniqueKey), `Open ${name}`),
    ],
  });
}
