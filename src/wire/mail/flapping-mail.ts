import { escapeHtml } from '../../lib/html-escape.ts';
import { count } from '../../lib/text/durations.ts';
import { button, heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import { checkPage, type MessageSite } from '../site.ts';
import { checkName, type MailCheck, type MailText, projectName } from './mail-text.ts';

export interface FlappingNotice {
  readonly check: Pick<MailCheck, 'name' | 'uniqueKey'>;
  readonly project: { readonly name: string };
  /** How often the check changed its status within a day. */
  readonly flips: number;
  readonly site: MessageSite;
}

/** The mail about a check that changes its status too often. It suggests what to do. */
export function flappingMail({ check, project, flips, site }: FlappingNotice): MailText {
  const name = checkName(check);
  const siteName = oneLine(site.name);
  const link = checkPage(site, check.uniqueKey);
  const subject = `The Check "${name}" Is Flapping`;
  const statements = [
    `In the last 24 hours the check "${name}" in the project ${projectName(project)} changed its status ${count(flips, 'time')}.`,
    'Often its period or grace time is shorter than the time between two pings, or several jobs ping the same check. A longer period or grace time, or a check for each job, puts an end to it.',
    'Alerts are sent as before.',
  ];
  return {
    subject,
    text: textMail([...statements, link, textFooter(siteName, null)]),
    html: htmlPage(
      subject,
      [heading(escapeHtml(subject)), ...statements.map(paragraph), ...button(link, `View on ${siteName}`)],
      htmlFooter(siteName, null),
    ),
  };
}
