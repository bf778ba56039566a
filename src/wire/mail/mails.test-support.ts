import { uniqueKeyOf } from '../../domain/check/check.ts';
import { type Downtime, uptimes } from '../../domain/history/downtime.ts';
import { type ReportPeriod, reportBoundaries } from '../../domain/people/report.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { MailText } from '../../lib/mail-document/document.ts';
import type { TimeReader } from '../../lib/text/clock-text.ts';
import { DEFAULT_DATE_STYLE } from '../../lib/text/date-style.ts';
import type { PagePurpose } from '../dashboard/addresses.ts';
import type { MessageSite } from '../site.ts';
import { backupFailedMail } from './backup-failed-mail.ts';
import { blindnessMail } from './blindness-mail.ts';
import { channelConfirmationMail } from './channel-confirmation-mail.ts';
import { channelTroubleMail } from './channel-trouble-mail.ts';
import { confirmationMail } from './confirmation-mail.ts';
import { flappingMail } from './flapping-mail.ts';
import { type InvitationNotice, invitationMail } from './invitation-mail.ts';
import { linkMail } from './link-mail.ts';
import { messageLimitMail } from './message-limit-mail.ts';
import { type DownCheck, type Reminder, reminderMail } from './reminder-mail.ts';
import { type Report, type ReportedCheck, reportMail } from './report-mail.ts';
import { securityMail } from './security-mail.ts';
import { signalCaptchaMail } from './signal-captcha-mail.ts';
import { transferMail } from './transfer-mail.ts';
import { undeliveredMail } from './undelivered-mail.ts';

export const UUID = '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a';
export const NOW: Instant = Date.UTC(2020, 0, 15, 7, 31) * 1000;

/** Lets nobody ping. */
export const PROJECT_UUID = '0c2d8e6b-7b40-4c11-9d0b-3a1c6d1a7e11';
const UNIQUE_KEY = uniqueKeyOf(UUID);
const SITE: MessageSite = { name: 'Tocsin', root: 'https://tocsin.example.org' };
export const UNSUBSCRIBE_URL = 'https://tocsin.example.org/reports/unsubscribe/abc?a=1&b=2';
const MINUTE = seconds(60);
const HOUR = 60 * MINUTE;

export function down(duration: Micros, count = 1): Downtime {
  return { duration, count };
}

export const GOOD: Downtime = { duration: 0, count: 0 };

/** Downtimes of the latest complete period and of the one before. */
export function aReportedCheck(
  name: string,
  [latest, earlier]: readonly [Downtime | null, Downtime | null] = [GOOD, GOOD],
  overrides: Partial<ReportedCheck> = {},
): ReportedCheck {
  const downtimes = [down(HOUR, 9), latest, earlier];
  const boundaries = reportBoundaries('monthly', 'Europe/Riga', NOW);
  return {
    name,
    status: 'up',
    downtimes,
    uptimes: uptimes(boundaries, { status: 'up', createdAt: 0 }, [], downtimes, [], boundaries[0] ?? 0),
    longest:
      latest === null || latest.count === 0
        ? null
        : { from: NOW - 30 * 24 * HOUR, duration: latest.duration / latest.count },
    ...overrides,
  };
}

export function aReport(period: ReportPeriod, overrides: Partial<Report> = {}): Report {
  return {
    period,
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    boundaries: reportBoundaries(period, 'Europe/Riga', NOW),
    projects: [
      { id: 1, name: 'Acme', owner: 'alice@example.org', checks: [aReportedCheck('Nightly backup')] },
    ],
    email: 'alice@example.org',
    site: SITE,
    unsubscribeUrl: UNSUBSCRIBE_URL,
    ...overrides,
  };
}

export function aDownCheck(name: string, overrides: Partial<DownCheck> = {}): DownCheck {
  const since = NOW - 2 * HOUR;
  return {
    name,
    since,
    cause: {
      head: ['No ping for ', { at: NOW - 26 * HOUR, as: 'age' }, '.'],
      rest: [
        'It was due ',
        { at: since - HOUR, as: 'clock' },
        '; 1 h of grace ran out at ',
        { at: since, as: 'clock' },
        '.',
      ],
    },
    answer: null,
    nextDueAt: NOW + 21 * HOUR,
    line: null,
    ...overrides,
  };
}

export function aFailedCheck(name: string, overrides: Partial<DownCheck> = {}): DownCheck {
  return aDownCheck(name, {
    since: NOW - 2 * HOUR - 43 * MINUTE,
    cause: {
      head: ['Exit status 2 after 46 min (usually 31 min).'],
      rest: [],
    },
    line: 'connection to db-1:5432 refused',
    ...overrides,
  });
}

export const READER: TimeReader = { ...DEFAULT_DATE_STYLE, timeZone: 'Europe/Riga' };

export function aReminder(checks: readonly DownCheck[], overrides: Partial<Reminder> = {}): Reminder {
  return {
    now: NOW,
    lastAt: null,
    nextAt: NOW + HOUR,
    everySeconds: 3600,
    projects: [{ name: 'Acme', uuid: PROJECT_UUID }],
    total: checks.length,
    checks,
    recovered: [],
    email: 'alice@example.org',
    reader: READER,
    site: SITE,
    unsubscribeUrl: UNSUBSCRIBE_URL,
    ...overrides,
  };
}

const NASTY = `<b>"Ü'&\r\nBcc: x@evil.example\u0000\u001b[31m\u202e 日本 👩‍👧 %41`;
const LONG = 'averyveryverylongwordwithoutanyblanks'.repeat(30);

const ACME = {
  id: 2,
  name: 'Acme',
  owner: 'alice@example.org',
  checks: [
    aReportedCheck('Backup 10'),
    aReportedCheck('Backup 9', [GOOD, down(seconds(303))]),
    aReportedCheck('Nightly backup of the customer database', [down(51 * HOUR, 3), down(seconds(5403), 2)], {
      status: 'down',
    }),
    aReportedCheck('Invoices', [down(seconds(303)), GOOD], { status: 'grace' }),
    aReportedCheck('Certificates', [GOOD, null], { status: 'new' }),
    aReportedCheck('', [null, null], { status: 'paused' }),
  ],
};

const HOUSE = {
  id: 1,
  name: 'At home',
  owner: null,
  checks: [aReportedCheck('Photos', [GOOD, GOOD]), aReportedCheck('Router')],
};

const STRANGE = [
  {
    id: 7,
    name: NASTY,
    owner: NASTY,
    checks: [
      aReportedCheck(NASTY, [down(MINUTE), GOOD]),
      aReportedCheck(LONG, [down(31 * 24 * HOUR, 1234), GOOD], { status: 'down' }),
      aReportedCheck('גיבוי לילי של מסד הנתונים'),
    ],
  },
  { id: 8, name: '', owner: null, checks: [aReportedCheck('x')] },
  { id: 9, name: 'Nothing here', owner: null, checks: [] },
];

const TOKEN = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE';

function aLinkMail(purpose: PagePurpose, code: string | null = null): MailText {
  return linkMail({ purpose, token: TOKEN, code, email: 'alice@example.org', site: SITE });
}

const INVITATION: InvitationNotice = {
  project: { uuid: UUID, name: 'Acme' },
  inviter: { email: 'alice@example.org', name: 'Alice', isAdmin: false, role: 'owner' },
  role: 'member',
  expiresAt: NOW,
  token: TOKEN,
  site: SITE,
};

/** Mails with a link or a code that works once. */
export const LINK_MAILS: Readonly<Record<string, MailText>> = {
  'link-sign-in': aLinkMail('sign_in'),
  'link-sign-in-code': aLinkMail('sign_in', 'abcd-efgh'),
  confirmation: confirmationMail({ code: 'abcd-efgh', email: 'alice@example.org', site: SITE }),
  'link-sign-up': aLinkMail('sign_up'),
  'link-password': aLinkMail('set_password'),
  'link-email': aLinkMail('change_email'),
  'link-hostile-characters': linkMail({
    purpose: 'sign_in',
    token: TOKEN,
    code: null,
    email: NASTY,
    site: { ...SITE, name: NASTY },
  }),
  'invitation-read-only': invitationMail({ ...INVITATION, role: 'read_only' }),
  'invitation-member': invitationMail(INVITATION),
  'invitation-manager': invitationMail({ ...INVITATION, role: 'manager', inviter: null }),
  'channel-confirmation': channelConfirmationMail({
    channel: { uuid: '1bdea468-03bf-47b8-ab27-29a9dd0e4b94' },
    project: { name: 'Night <jobs>' },
    token: 'the-token',
    email: 'carol@example.org',
    site: SITE,
  }),
  'invitation-hostile-characters': invitationMail({
    ...INVITATION,
    project: { uuid: UUID, name: NASTY },
    inviter: { email: NASTY, name: NASTY, isAdmin: false, role: 'owner' },
    site: { ...SITE, name: NASTY },
  }),
};

/** Every sort of mail, by the name of its golden file. */
export const MAILS: Readonly<Record<string, MailText>> = {
  'report-monthly': reportMail(aReport('monthly', { projects: [HOUSE, ACME], site: SITE })),
  'report-weekly': reportMail(aReport('weekly', { projects: [HOUSE, ACME], site: SITE })),
  'report-weekly-in-german': reportMail(
    aReport('weekly', {
      dates: { language: 'de', dateFormat: 'text', clock: '24h' },
      projects: [HOUSE, ACME],
      site: SITE,
    }),
  ),
  'report-daily-without-downtime': reportMail(aReport('daily', { projects: [HOUSE], site: SITE })),
  'report-hostile-characters': reportMail(
    aReport('monthly', { projects: STRANGE, site: { ...SITE, name: NASTY } }),
  ),
  'reminder-one': reminderMail(aReminder([aDownCheck('Nightly backup')])),
  'reminder-two': reminderMail(
    aReminder([aDownCheck('db-backup'), aFailedCheck('nightly-etl')], {
      lastAt: NOW - HOUR,
      recovered: [
        { name: 'search-reindex', at: NOW - 25 * MINUTE },
        { name: 'cert-renewal', at: NOW - 6 * MINUTE },
      ],
    }),
  ),
  'reminder-several': reminderMail(
    aReminder(
      [
        aDownCheck('Photos', { since: NOW - 5 * MINUTE, nextDueAt: null }),
        aDownCheck('Nightly backup of the customer database'),
        aFailedCheck('', { since: NOW - 50 * HOUR }),
      ],
      {
        lastAt: NOW - HOUR,
        total: 7,
        everySeconds: 86_400,
        nextAt: null,
        projects: [
          { name: 'At home', uuid: PROJECT_UUID },
          { name: 'Acme', uuid: PROJECT_UUID },
        ],
      },
    ),
  ),
  'reminder-hostile-characters': reminderMail(
    aReminder([aDownCheck(NASTY, { line: 'see https://evil.example/x <b>' }), aDownCheck(LONG)], {
      projects: [{ name: NASTY, uuid: PROJECT_UUID }],
      recovered: [{ name: NASTY, at: NOW }],
      lastAt: NOW - HOUR,
      email: NASTY,
      site: { ...SITE, name: NASTY },
    }),
  ),
  'quota-reached': undeliveredMail({
    why: { kind: 'quota', quota: 'sms', limit: 50 },
    recipient: '+155******567',
    text: 'Tocsin: The check "Nightly backup" is DOWN (received a failure signal).',
    project: { name: 'Acme' },
    owner: { email: 'alice@example.org' },
    site: SITE,
  }),
  'quota-of-all-reached': undeliveredMail({
    why: { kind: 'quota', quota: 'call', of: 'instance', limit: 50 },
    recipient: '+155******567',
    text: 'Nightly backup is DOWN.',
    project: { name: 'Acme' },
    owner: { email: 'alice@example.org' },
    site: SITE,
  }),
  'backup-failed': backupFailedMail({ error: 'cannot write /data/backups/x: no space left', site: SITE }),
  'message-limit': messageLimitMail({ quota: 'sms', limit: 20_000, site: SITE }),
  'signal-undelivered': undeliveredMail({
    why: { kind: 'captcha' },
    recipient: '+155******567',
    text: 'Down: <b>Nightly</b> backup\nReason: received a failure signal',
    project: { name: '<i>Acme' },
    owner: { email: 'alice@example.org' },
    site: SITE,
  }),
  'signal-captcha': signalCaptchaMail({ challenge: '3e9d1c07-6a52-4f0b-9b1e-7d2f4a6c8e10', site: SITE }),
  flapping: flappingMail({
    check: { name: 'Nightly backup', uniqueKey: UNIQUE_KEY },
    project: { name: 'Acme' },
    flips: 201,
    site: SITE,
  }),
  'flapping-hostile-characters': flappingMail({
    check: { name: NASTY + LONG, uniqueKey: UNIQUE_KEY },
    project: { name: NASTY },
    flips: 201,
    site: SITE,
  }),
  'channel-off': channelTroubleMail({
    trouble: 'off',
    channel: {
      uuid: PROJECT_UUID,
      name: 'Slack Incoming webhook at hooks.slack.com',
      error: 'Received status code 404',
      since: NOW,
      reason: 'the destination takes no more messages',
    },
    project: { name: 'Acme', uuid: PROJECT_UUID },
    reader: READER,
    site: SITE,
  }),
  'channel-failing': channelTroubleMail({
    trouble: 'failing',
    channel: { uuid: PROJECT_UUID, name: NASTY + LONG, error: NASTY, since: NOW, reason: '' },
    project: { name: NASTY, uuid: PROJECT_UUID },
    reader: READER,
    site: SITE,
  }),
  blindness: blindnessMail({
    from: NOW - 29 * MINUTE,
    until: NOW,
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    excused: 12,
    site: SITE,
  }),
  'security-password': securityMail({
    what: 'password_changed',
    at: NOW,
    remoteAddr: null,
    userAgent: '',
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    site: SITE,
  }),
  'security-email': securityMail({
    what: 'email_changed',
    at: NOW,
    remoteAddr: '192.0.2.1',
    userAgent: 'Firefox',
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    site: SITE,
  }),
  'security-second-factor': securityMail({
    what: 'second_factors_changed',
    at: NOW,
    remoteAddr: '192.0.2.1',
    userAgent: 'Firefox',
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    site: SITE,
  }),
  'security-wrong-second-factors': securityMail({
    what: 'wrong_second_factors',
    at: NOW,
    remoteAddr: '192.0.2.1',
    userAgent: 'Firefox',
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    site: SITE,
  }),
  'security-identities': securityMail({
    what: 'identities_changed',
    at: NOW,
    remoteAddr: '192.0.2.1',
    userAgent: 'Firefox',
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    site: SITE,
  }),
  'security-access-ended': securityMail({
    what: 'access_ended',
    at: NOW,
    remoteAddr: '192.0.2.1',
    userAgent: 'Firefox',
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    site: SITE,
  }),
  'security-token': securityMail({
    what: 'token_created',
    at: NOW,
    remoteAddr: '192.0.2.1',
    userAgent: 'Firefox',
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    site: SITE,
  }),
  'security-account-closed': securityMail({
    what: 'account_closed',
    at: NOW,
    remoteAddr: '192.0.2.1',
    userAgent: '',
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    site: SITE,
  }),
  'security-new-browser-hostile-characters': securityMail({
    what: 'new_browser',
    at: NOW,
    remoteAddr: '2001:db8::1',
    userAgent: NASTY + LONG,
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    site: SITE,
  }),
  transfer: transferMail({ project: { name: 'Acme' }, owner: { email: 'alice@example.org' }, site: SITE }),
  'transfer-hostile-characters': transferMail({
    project: { name: NASTY },
    owner: { email: NASTY },
    site: { ...SITE, name: NASTY },
  }),
  'blindness-nothing-due': blindnessMail({
    from: NOW - 31 * seconds(1),
    until: NOW,
    timeZone: 'Mars/Olympus',
    dates: DEFAULT_DATE_STYLE,
    excused: 0,
    site: SITE,
  }),
};
