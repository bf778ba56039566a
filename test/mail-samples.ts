import { verbsOf } from '../src/domain/alert/button.ts';
import { type Check, newCheck } from '../src/domain/check/check.ts';
import type { Flip } from '../src/domain/check/flip.ts';
import { DEFAULT_CONFIG } from '../src/domain/check/settings.ts';
import { type AlertStory, type OtherChecks, tellChange } from '../src/domain/history/alert-story.ts';
import { uptimes } from '../src/domain/history/downtime.ts';
import { reportBoundaries } from '../src/domain/people/report.ts';
import { NO_RUN_FACTS, type Ping } from '../src/domain/ping/ping.ts';
import { alertMail } from '../src/integrations/email/message.ts';
import type { AlertEvent } from '../src/integrations/kind/alert-event.ts';
import { maskedButtons } from '../src/integrations/registry.ts';
import { fromTemporal, type Instant, type Micros, seconds } from '../src/lib/instant.ts';
import type { MailText } from '../src/lib/mail-document/document.ts';
import type { TimeReader } from '../src/lib/text/clock-text.ts';
import { DEFAULT_DATE_STYLE } from '../src/lib/text/date-style.ts';
import { type DownCheck, reminderMail } from '../src/wire/mail/reminder-mail.ts';
import { type ReportedCheck, reportMail } from '../src/wire/mail/report-mail.ts';

/* The night in which the backup of a database did not run: what the people of a small company get by mail. */

const SITE = { name: 'Tocsin', root: 'https://tocsin.example.org' };
const READER: TimeReader = { ...DEFAULT_DATE_STYLE, timeZone: 'Europe/Berlin' };
const STOP = `${SITE.root}/integrations/0c2d8e6b/unsub/k3Vt9/`;
const MINUTE = seconds(60);
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time of that November, in UTC. */
function at(text: string): Instant {
  return fromTemporal(Temporal.Instant.from(`2026-11-${text}Z`));
}

const DUE = at('15T02:00:00');
const FALL = at('15T02:30:00');
const BACK = at('15T05:01:14');

const check: Check = {
  ...newCheck(
    {
      ...DEFAULT_CONFIG,
      name: 'db-backup',
      description: 'Runs on db-1 as a timer. Start by hand:\nsystemctl start db-backup',
      kind: 'cron',
      schedule: '0 3 * * *',
      tz: 'Europe/Berlin',
      graceSeconds: 1800,
    },
    {
      uuid: 'f3a1c9d2-0c2d-4e6b-8b40-9d0b3a1c6d1a',
      badgeKey: '0b6f1f4e-58b1-4d0c-9d0b-3a1c6d1a7e11',
      projectId: 1,
      createdAt: at('01T00:00:00') - 90 * DAY,
    },
  ),
  id: 1,
};

function pingOf(n: number, createdAt: Instant, signal: Ping['signal']): Ping {
  return {
    checkId: 1,
    n,
    createdAt,
    occurredAt: null,
    ...NO_RUN_FACTS,
    signal,
    scheme: 'https',
    method: 'POST',
    remoteAddr: '10.20.0.14',
    userAgent: 'curl/8.0',
    rid: null,
    exitStatus: null,
    bodySize: signal === 'success' ? 100 : 0,
  };
}

/** A run that began on time on each of the nights before, and took about seven minutes. */
const NIGHTS: readonly Ping[] = Array.from({ length: 19 }, (_, night) => {
  const started = DUE - (19 - night) * DAY;
  const delay = night === 13 ? 45 * MINUTE : 0;
  return [
    pingOf(1446 + 2 * night, started + delay, 'start'),
    pingOf(1447 + 2 * night, started + delay + seconds(380 + 7 * (night % 4)), 'success'),
  ];
}).flat();

const LATE: readonly Pick<Flip, 'createdAt' | 'newStatus' | 'reason'>[] = [
  { createdAt: DUE - 6 * DAY + 30 * MINUTE, newStatus: 'down', reason: 'timeout' },
  { createdAt: DUE - 6 * DAY + 45 * MINUTE, newStatus: 'up', reason: '' },
];
const fall = { createdAt: FALL, newStatus: 'down', reason: 'timeout' } as const;
const rise = { createdAt: BACK, newStatus: 'up', reason: '' } as const;
const RUN = [pingOf(1484, BACK - seconds(372), 'start'), pingOf(1485, BACK, 'success')];

const ABOUT: AlertStory['about'] = {
  name: check.name,
  description: check.description,
  projectName: 'Platform',
  graceSeconds: check.graceSeconds,
  tz: check.tz,
};
const TOLD = ['ops@example.org', 'Slack #ops', 'PagerDuty'];

const DOWN: AlertStory = {
  about: ABOUT,
  ...tellChange({
    check,
    flip: fall,
    fall: null,
    ping: NIGHTS.at(-1) ?? null,
    pings: NIGHTS,
    flips: [...LATE, fall],
  }),
  told: TOLD,
  output: [
    'pg_dump: 214 tables, 48.2 GB',
    'uploaded  platform-2026-11-14.dump.zst  11.9 GB',
    'verified  checksum ok, 7 generations kept',
  ],
};

const UP: AlertStory = {
  about: ABOUT,
  ...tellChange({
    check,
    flip: rise,
    fall,
    ping: RUN.at(-1) ?? null,
    pings: [...NIGHTS, ...RUN],
    flips: [...LATE, fall, rise],
  }),
  told: TOLD,
  output: [
    'pg_dump: 214 tables, 48.3 GB',
    'uploaded  platform-2026-11-15.dump.zst  11.9 GB',
    'verified  checksum ok, 7 generations kept',
  ],
};

const ETL_CAUSE = {
  kind: 'failed',
  head: ['Exit status 2 after 46 min (usually 31 min).'],
  rest: [],
  exitStatus: 2,
} as const;

function others(now: Instant): OtherChecks {
  const line = 'connection to db-1:5432 refused';
  return {
    at: now,
    down: 1,
    held: 0,
    total: 18,
    checks: [{ name: 'nightly-etl', since: at('15T01:47:00'), lastPingAt: null, cause: ETL_CAUSE, line }],
  };
}

function alert(story: AlertStory, overrides: Pick<AlertEvent, 'at' | 'to' | 'reason' | 'downFor'>): MailText {
  const event: AlertEvent = {
    deliveryId: '0b6f1f4e-58b1-4d0c-9d0b-3a1c6d1a7e11',
    isTest: false,
    now: overrides.at,
    check: {
      uuid: check.uuid,
      uniqueKey: check.uniqueKey,
      name: check.name,
      slug: check.slug,
      tags: check.tags,
      description: check.description,
      cadence: { kind: 'cron', schedule: check.schedule, tz: check.tz },
      createdAt: check.createdAt,
      json: '{}',
    },
    projectName: 'Platform',
    ping: null,
    body: null,
    story,
    others: others(overrides.at),
    buttons: overrides.to === 'up' ? [] : maskedButtons('https://tocsin.example.org', verbsOf('answer')),
    answers: null,
    statusUrl: null,
    site: SITE,
    ...overrides,
  };
  return alertMail(event, 'ops@example.org', STOP, READER);
}

function reminder(): MailText {
  const now = at('15T04:47:00');
  const checks: DownCheck[] = [
    {
      name: 'db-backup',
      since: FALL,
      cause: DOWN.cause,
      answer: null,
      nextDueAt: DUE + DAY,
      line: null,
    },
    {
      name: 'nightly-etl',
      since: at('15T01:47:00'),
      cause: ETL_CAUSE,
      answer: { kind: 'acknowledged', by: 'Anna', at: at('15T02:10:00'), until: null, gate: null },
      nextDueAt: at('16T01:00:00'),
      line: 'connection to db-1:5432 refused',
    },
  ];
  return reminderMail({
    now,
    lastAt: now - HOUR,
    nextAt: now + HOUR,
    everySeconds: 3600,
    projects: [{ name: 'Platform', uuid: '7b40c211-9d0b-4a1c-8d1a-7e110c2d8e6b' }],
    total: 2,
    checks,
    recovered: [
      { name: 'search-reindex', at: at('15T04:22:00') },
      { name: 'cert-renewal', at: at('15T04:41:00') },
    ],
    email: 'alice@example.org',
    reader: READER,
    site: SITE,
    unsubscribeUrl: `${SITE.root}/accounts/unsubscribe_reports/p8Xq2/`,
  });
}

function report(): MailText {
  const boundaries = reportBoundaries('monthly', 'Europe/Berlin', at('01T08:12:00'));
  const reported = (
    name: string,
    october: Micros,
    september: Micros,
    status: ReportedCheck['status'] = 'up',
  ) => {
    const downtime = (duration: Micros) => ({ duration, count: duration === 0 ? 0 : 1 });
    const downtimes = [downtime(0), downtime(october), downtime(september)];
    return {
      name,
      status,
      downtimes,
      uptimes: uptimes(boundaries, { status: 'up', createdAt: 0 }, [], downtimes, [], boundaries[0] ?? 0),
      longest: october === 0 ? null : { from: at('01T00:00:00') - 24 * DAY, duration: october },
    };
  };
  const good = (many: number, silent: number) =>
    Array.from({ length: many }, (_, n) => reported(`job-${n}`, 0, 0, n < silent ? 'paused' : 'up'));
  return reportMail({
    period: 'monthly',
    timeZone: 'Europe/Berlin',
    dates: DEFAULT_DATE_STYLE,
    boundaries,
    projects: [
      {
        id: 1,
        name: 'Platform',
        owner: 'alice@example.org',
        checks: [
          reported('object-store-sync', 72 * MINUTE, 0),
          reported('db-backup', 47 * MINUTE, 0),
          reported('mail-queue-flush', 45 * MINUTE, 10 * MINUTE),
          ...good(15, 3),
        ],
      },
      {
        id: 2,
        name: 'Shop',
        owner: 'bob@example.org',
        checks: [reported('stock-sync', 22 * MINUTE, 42 * MINUTE), ...good(41, 1)],
      },
    ],
    email: 'alice@example.org',
    site: SITE,
    unsubscribeUrl: `${SITE.root}/accounts/unsubscribe_reports/p8Xq2/`,
  });
}

/** The mails of that night, and the report of the month before. */
export const MAIL_SAMPLES: Readonly<Record<string, MailText>> = {
  'mail-down': alert(DOWN, { at: FALL, to: 'down', reason: 'timeout', downFor: null }),
  'mail-up': alert(UP, { at: BACK, to: 'up', reason: '', downFor: BACK - FALL }),
  'mail-reminder': reminder(),
  'mail-report': report(),
};
