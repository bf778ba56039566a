import type { TimeSpan } from '../../domain/history/downtime.ts';
import type { MailText } from '../../lib/mail-document/document.ts';
import { type DateStyle, personDate } from '../../lib/text/date-style.ts';
import { roundDuration } from '../../lib/text/durations.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { inZone } from '../../lib/zone.ts';
import type { MessageSite } from '../site.ts';
import { facts, link, noticeMail, paragraphs } from './notice.ts';

export interface BlindnessNotice extends TimeSpan {
  /** The zone of the account. */
  readonly timeZone: string;
  readonly dates: DateStyle;
  /** The number of the account's checks that were given more time. */
  readonly excused: number;
  readonly site: MessageSite;
}

/** The mail about a time in which the account's checks were not watched. */
export function blindnessMail({ from, until, timeZone, dates, excused, site }: BlindnessNotice): MailText {
  const siteName = oneLine(site.name);
  const subject = `${siteName} was not watching for ${roundDuration(until - from)}`;
  const lead = `For a while ${siteName} could not watch your checks. Pings that were sent in that time may not have been seen.`;
  const times = [
    { label: 'From', value: personDate(from, timeZone, dates) },
    { label: 'Until', value: personDate(until, timeZone, dates) },
    { label: 'Time zone', value: inZone(from, timeZone).timeZoneId },
  ];
  return noticeMail({
    siteName: site.name,
    subject,
    lead,
    blocks: [paragraphs(excusedText(excused)), facts(...times), link(site.root, `Open ${siteName}`)],
  });
}

function excusedText(excused: number): string {
  if (excused === 0) return 'None of your checks was due in that time.';
  if (excused === 1) return 'One of your checks was due in that time. It was given more time to report.';
  return `${excused} of your checks were due in that time. They were given more time to report.`;
}
