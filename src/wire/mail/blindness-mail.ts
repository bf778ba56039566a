import type { TimeSpan } from '../../domain/downtime.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { type DateStyle, personDate } from '../../lib/text/date-style.ts';
import { roundDuration } from '../../lib/text/durations.ts';
import { button, detailTable, heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import { inZone } from '../../lib/zone.ts';
import { homePage, type MessageSite } from '../site.ts';
import type { MailText } from './mail-text.ts';

export interface BlindnessNotice extends TimeSpan {
  /** The zone of the account. */
  readonly timeZone: string;
  /** How the account wants dates to be written. */
  readonly dates: DateStyle;
  /** How many of the account's checks were given more time. */
  readonly excused: number;
  readonly site: MessageSite;
}

/** The mail about a time in which the account's checks were not watched. */
export function blindnessMail({ from, until, timeZone, dates, excused, site }: BlindnessNotice): MailText {
  const siteName = oneLine(site.name);
  const subject = `${siteName} was not watching for ${roundDuration(until - from)}`;
  const statements = [
    `For a while ${siteName} could not watch your checks. Pings that were sent in that time may not have been seen.`,
    excusedText(excused),
  ];
  const times = [
    { label: 'From', value: personDate(from, timeZone, dates) },
    { label: 'Until', value: personDate(until, timeZone, dates) },
    { label: 'Time Zone', value: inZone(from, timeZone).timeZoneId },
  ];
  return {
    subject,
    text: textMail([
      ...statements,
      times.map(({ label, value }) => `${label}: ${value}`).join('\n'),
      homePage(site),
      textFooter(siteName, null),
    ]),
    html: htmlPage(
      subject,
      [
        heading(escapeHtml(subject)),
        ...statements.map(paragraph),
        ...detailTable(times),
        ...button(homePage(site), `Open ${siteName}`),
      ],
      htmlFooter(siteName, null),
    ),
  };
}

function excusedText(excused: number): string {
  if (excused === 0) return 'None of your checks was due in that time.';
  if (excused === 1) return 'One of your checks was due in that time. It was given more time to report.';
  return `${excused} of your checks were due in that time. They were given more time to report.`;
}
