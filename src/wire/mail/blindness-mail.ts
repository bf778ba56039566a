import type { TimeSpan } from '../../domain/downtime.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { durationText } from '../../lib/text/durations.ts';
import { button, heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { mailDate } from '../../lib/text/mail-date.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import type { MailSite, MailText } from './mail-text.ts';

export interface BlindnessNotice extends TimeSpan {
  /** Of the account. */
  readonly timeZone: string;
  /** How many of the account's checks were given more time. */
  readonly excused: number;
  readonly site: MailSite;
}

/** That nobody watched the account's checks for a while. */
export function blindnessMail({ from, until, timeZone, excused, site }: BlindnessNotice): MailText {
  const siteName = oneLine(site.name);
  const subject = `${siteName} Was Not Watching for ${durationText(until - from)}`;
  const statements = [
    `${siteName} could not watch your checks from ${mailDate(from, timeZone)} to ${mailDate(until, timeZone)}.`,
    'Pings that were sent in that time may not have been seen.',
    excusedText(excused),
  ];
  return {
    subject,
    text: textMail([statements.join('\n'), site.root, textFooter(siteName, null)]),
    html: htmlPage(
      subject,
      [heading(escapeHtml(subject)), ...statements.map(paragraph), button(site.root, `Open ${siteName}`)],
      htmlFooter(siteName, null),
    ),
  };
}

function excusedText(excused: number): string {
  if (excused === 0) return 'None of your checks was due in that time.';
  const were = excused === 1 ? 'check was' : 'checks were';
  return `${excused} of your ${were} due in that time and got more time to report, so that none is called down for what could not be seen.`;
}
