import { checkLabel } from '../../domain/check-label.ts';
import { durationText, periodText } from '../../lib/text/durations.ts';
import { decodeBody, firstCharacters, lastCharacters } from '../../lib/text/excerpt.ts';
import type { Detail } from '../../lib/text/html-mail.ts';
import { dayText, mailDate } from '../../lib/text/mail-date.ts';
import { oneLine, plainLines } from '../../lib/text/one-line.ts';
import { relativeTime } from '../../lib/text/relative-time.ts';
import type { AlertEvent } from '../alert-event.ts';
import { checkLink, pingKind, reasonText, totalPings } from '../text/facts.ts';
import { subjectOf } from './attached-message.ts';

/** The number of characters of a body that are quoted. */
const QUOTED = 10_000;
const MAX_SUBJECT = 500;

/** The content of a message before it is formatted as text and as HTML. Nothing is escaped yet. */
export interface MailContent {
  readonly state: 'DOWN' | 'UP';
  readonly name: string;
  /** Sentences, the most important one first. */
  readonly statements: readonly string[];
  /** The check's page; null if there is none. */
  readonly link: string | null;
  /** May be empty. */
  readonly description: string;
  readonly details: readonly Detail[];
  readonly lastPingBody: QuotedBody | null;
  readonly siteName: string;
  readonly unsubscribeUrl: string;
}

/** At least one of the two is not null. */
export interface QuotedBody {
  readonly note: string | null;
  readonly text: string | null;
}

/** `mask` hides secrets that no message may contain. */
export function mailContent(
  event: AlertEvent,
  mask: (text: string) => string,
  unsubscribeUrl: string,
): MailContent {
  return {
    state: event.to === 'down' ? 'DOWN' : 'UP',
    name: mask(checkLabel(event.check.name)),
    statements: statements(event),
    link: checkLink(event),
    description: mask(plainLines(event.check.description)).trim(),
    details: details(event)
      .map(({ label, value }) => ({ label, value: mask(value) }))
      .filter(({ value }) => value !== ''),
    lastPingBody: quotedBody(event, mask),
    siteName: oneLine(event.site.name),
    unsubscribeUrl,
  };
}

function statements({ isTest, reason, downFor }: AlertEvent): string[] {
  return [
    isTest && 'This is a test message: nothing has happened to your checks.',
    reason !== '' && `Reason: ${reasonText(reason)}.`,
    downFor !== null && `It was down for ${durationText(downFor)}.`,
  ].filter((statement) => statement !== false);
}

function details(event: AlertEvent): Detail[] {
  const { check, ping, now } = event;
  const isMail = ping?.scheme === 'email' && event.body !== null;
  const since = ` (since ${dayText(check.createdAt, timeZone(event))})`;
  const from = ping?.remoteAddr ? ` from ${ping.remoteAddr}` : '';
  return [
    { label: 'Project', value: oneLine(event.projectName) },
    { label: 'Tags', value: oneLine(check.tags) },
    ...cadence(event),
    { label: 'Total Pings', value: `${totalPings(ping)}${since}` },
    { label: 'Last Ping', value: ping === null ? 'Never' : `${relativeTime(ping.createdAt, now)}${from}` },
    { label: 'Last Ping Type', value: ping === null ? '' : pingKind(ping) },
    {
      label: 'Last Ping Subject',
      value: isMail ? firstCharacters(oneLine(subjectOf(event.body)), MAX_SUBJECT) : '',
    },
    { label: 'Time', value: mailDate(event.at, timeZone(event)) },
  ];
}

function cadence({ check }: AlertEvent): Detail[] {
  if (check.cadence.kind === 'simple') {
    return [{ label: 'Period', value: periodText(check.cadence.timeoutSeconds) }];
  }
  return [
    { label: 'Schedule', value: plainLines(check.cadence.schedule).trim() },
    { label: 'Time Zone', value: oneLine(check.cadence.tz) },
  ];
}

/** The time zone of the reader is unknown. The zone of the schedule is the best guess. */
function timeZone({ check }: AlertEvent): string {
  return check.cadence.kind === 'simple' ? 'UTC' : check.cadence.tz;
}

function quotedBody({ ping, body }: AlertEvent, mask: (text: string) => string): QuotedBody | null {
  if (ping === null || ping.bodySize === 0) return null;
  if (body === null) return { note: 'The body of the last ping could not be read from storage.', text: null };
  if (ping.scheme === 'email') return { note: 'See the attachment last-ping.eml.', text: null };
  const whole = mask(plainLines(decodeBody(body)));
  const text = lastCharacters(whole, QUOTED);
  if (text.length === whole.length) return { note: null, text };
  return { note: `Showing the last ${QUOTED} bytes of ${ping.bodySize} bytes total.`, text };
}
