import { uniqueKeyOf } from '../../domain/check.ts';
import type { Downtime } from '../../domain/downtime.ts';
import { type ReportPeriod, reportBoundaries } from '../../domain/report.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { DEFAULT_DATE_STYLE } from '../../lib/text/date-style.ts';
import type { PagePurpose } from '../dashboard/addresses.ts';
import type { MessageSite } from '../site.ts';
import { blindnessMail } from './blindness-mail.ts';
import { confirmationMail } from './confirmation-mail.ts';
import { flappingMail } from './flapping-mail.ts';
import { type InvitationNotice, invitationMail } from './invitation-mail.ts';
import { linkMail } from './link-mail.ts';
import type { MailText } from './mail-text.ts';
import { type DownCheck, type Reminder, reminderMail } from './reminder-mail.ts';
import { type Report, type ReportedCheck, reportMail } from './report-mail.ts';
import { securityMail } from './security-mail.ts';
import { transferMail } from './transfer-mail.ts';

export const UUID = '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a';
export const NOW: Instant = Date.UTC(2020, 0, 15, 7, 31) * 1000;

const UNIQUE_KEY = uniqueKeyOf(UUID);
const SITE: MessageSite = { name: 'Tocsin', root: 'https://tocsin.example.org', hasDashboard: true };
export const UNSUBSCRIBE_URL = 'https://tocsin.example.org/reports/unsubscribe/abc?a=1&b=2';
const MINUTE = seconds(60);
const HOUR = 60 * MINUTE;

export function down(duration: Micros, count = 1): Downtime {
  return { duration, count };
}

export const GOOD: Downtime = { duration: 0, count: 0 };

/** Downtimes are those of the latest complete period and of the one before. */
export function aReportedCheck(
  name: string,
  [latest, earlier]: readonly [Downtime | null, Downtime | null] = [GOOD, GOOD],
  overrides: Partial<ReportedCheck> = {},
): ReportedCheck {
  const downtimes = [down(HOUR, 9), latest, earlier];
  return { name, tags: '', uniqueKey: UNIQUE_KEY, status: 'up', downtimes, ...overrides };
}

export function aReport(period: ReportPeriod, overrides: Partial<Report> = {}): Report {
  return {
    period,
    timeZone: 'Europe/Riga',
    dates: DEFAULT_DATE_STYLE,
    boundaries: reportBoundaries(period, 'Europe/Riga', NOW),
    projects: [{ id: 1, name: 'Acme', checks: [aReportedCheck('Nightly backup')] }],
    site: SITE,
    unsubscribeUrl: UNSUBSCRIBE_URL,
    ...overrides,
  };
}

export function aDownCheck(name: string, overrides: Partial<DownCheck> = {}): DownCheck {
  return { name, tags: '', uniqueKey: UNIQUE_KEY, lastPingAt: NOW - 26 * HOUR, ...overrides };
}

export function aReminder(overrides: Partial<Reminder> = {}): Reminder {
  return {
    now: NOW,
    projects: [{ id: 1, name: 'Acme', checks: [aDownCheck('Nightly backup', { tags: 'prod db' })] }],
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
  checks: [
    aReportedCheck('Backup 10'),
    aReportedCheck('Backup 9', [GOOD, down(seconds(303))], { tags: 'db' }),
    aReportedCheck('Nightly backup of the customer database', [down(51 * HOUR, 3), down(seconds(5403), 2)], {
      status: 'down',
      tags: 'prod db europe-west',
    }),
    aReportedCheck('Invoices', [down(seconds(303)), GOOD], { status: 'grace', tags: 'billing' }),
    aReportedCheck('Certificates', [GOOD, null], { status: 'new' }),
    aReportedCheck('', [null, null], { status: 'paused' }),
  ],
};

const HOUSE = {
  id: 1,
  name: 'At home',
  checks: [aReportedCheck('Photos', [GOOD, GOOD], { tags: 'nas' }), aReportedCheck('Router')],
};

const STRANGE = [
  {
    id: 7,
    name: NASTY,
    checks: [
      aReportedCheck(NASTY, [down(MINUTE), GOOD], { tags: `<i> ${NASTY}` }),
      aReportedCheck(LONG, [down(31 * 24 * HOUR, 1234), GOOD], { tags: LONG, status: 'down' }),
      aReportedCheck('גיבוי לילי של מסד הנתונים'),
    ],
  },
  { id: 8, name: '', checks: [aReportedCheck('x')] },
  { id: 9, name: 'Nothing here', checks: [] },
];

/** Every sort of mail; the names are those of the golden files. */
export const MAILS = mailsOf(SITE);

/** The same where there are no pages for people yet. */
export const MAILS_WITHOUT_DASHBOARD = mailsOf({ ...SITE, hasDashboard: false });

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
  'invitation-hostile-characters': invitationMail({
    ...INVITATION,
    project: { uuid: UUID, name: NASTY },
    inviter: { email: NASTY, name: NASTY, isAdmin: false, role: 'owner' },
    site: { ...SITE, name: NASTY },
  }),
};

function mailsOf(site: MessageSite): Readonly<Record<string, MailText>> {
  return {
    'report-monthly': reportMail(aReport('monthly', { projects: [HOUSE, ACME], site })),
    'report-weekly': reportMail(aReport('weekly', { projects: [HOUSE, ACME], site })),
    'report-weekly-in-german': reportMail(
      aReport('weekly', {
        dates: { language: 'de', dateFormat: 'text', clock: '24h' },
        projects: [HOUSE, ACME],
        site,
      }),
    ),
    'report-daily-without-downtime': reportMail(aReport('daily', { projects: [HOUSE], site })),
    'report-hostile-characters': reportMail(
      aReport('monthly', { projects: STRANGE, site: { ...site, name: NASTY } }),
    ),
    'reminder-one': reminderMail(aReminder({ site })),
    'reminder-several': reminderMail(
      aReminder({
        projects: [
          { id: 1, name: 'At home', checks: [aDownCheck('Photos', { lastPingAt: NOW - 40 * MINUTE })] },
          {
            id: 2,
            name: 'Acme',
            checks: [
              aDownCheck('Nightly backup of the customer database', { tags: 'prod db europe-west' }),
              aDownCheck('', { lastPingAt: null }),
            ],
          },
        ],
        site,
      }),
    ),
    'reminder-hostile-characters': reminderMail(
      aReminder({
        projects: [
          {
            id: 7,
            name: NASTY,
            checks: [aDownCheck(NASTY, { tags: NASTY }), aDownCheck(LONG, { tags: LONG })],
          },
        ],
        site: { ...site, name: NASTY },
      }),
    ),
    flapping: flappingMail({
      check: { name: 'Nightly backup', uniqueKey: UNIQUE_KEY },
      project: { name: 'Acme' },
      flips: 201,
      site,
    }),
    'flapping-hostile-characters': flappingMail({
      check: { name: NASTY + LONG, uniqueKey: UNIQUE_KEY },
      project: { name: NASTY },
      flips: 201,
      site,
    }),
    blindness: blindnessMail({
      from: NOW - 29 * MINUTE,
      until: NOW,
      timeZone: 'Europe/Riga',
      dates: DEFAULT_DATE_STYLE,
      excused: 12,
      site,
    }),
    'security-password': securityMail({
      what: 'password_changed',
      at: NOW,
      remoteAddr: null,
      userAgent: '',
      timeZone: 'Europe/Riga',
      dates: DEFAULT_DATE_STYLE,
      site,
    }),
    'security-email': securityMail({
      what: 'email_changed',
      at: NOW,
      remoteAddr: '192.0.2.1',
      userAgent: 'Firefox',
      timeZone: 'Europe/Riga',
      dates: DEFAULT_DATE_STYLE,
      site,
    }),
    'security-second-factor': securityMail({
      what: 'second_factors_changed',
      at: NOW,
      remoteAddr: '192.0.2.1',
      userAgent: 'Firefox',
      timeZone: 'Europe/Riga',
      dates: DEFAULT_DATE_STYLE,
      site,
    }),
    'security-identities': securityMail({
      what: 'identities_changed',
      at: NOW,
      remoteAddr: '192.0.2.1',
      userAgent: 'Firefox',
      timeZone: 'Europe/Riga',
      dates: DEFAULT_DATE_STYLE,
      site,
    }),
    'security-new-browser-hostile-characters': securityMail({
      what: 'new_browser',
      at: NOW,
      remoteAddr: '2001:db8::1',
      userAgent: NASTY + LONG,
      timeZone: 'Europe/Riga',
      dates: DEFAULT_DATE_STYLE,
      site,
    }),
    transfer: transferMail({ project: { name: 'Acme' }, owner: { email: 'alice@example.org' }, site }),
    'transfer-hostile-characters': transferMail({
      project: { name: NASTY },
      owner: { email: NASTY },
      site: { ...site, name: NASTY },
    }),
    'blindness-nothing-due': blindnessMail({
      from: NOW - 31 * seconds(1),
      until: NOW,
      timeZone: 'Mars/Olympus',
      dates: DEFAULT_DATE_STYLE,
      excused: 0,
      site,
    }),
  };
}
