import type { AlertStory, LastPing, OtherChecks } from '../domain/alert-story.ts';
import { uniqueKeyOf } from '../domain/check.ts';
import { DELIVERED } from '../domain/delivery.ts';
import type { Ping } from '../domain/ping.ts';
import type { HttpResult } from '../lib/http-client.ts';
import { type Instant, seconds } from '../lib/instant.ts';
import { systemRandom } from '../lib/random.ts';
import { createVault } from '../lib/vault.ts';
import type { AlertEvent } from './alert-event.ts';
import { alertMail } from './email/message.ts';
import type { Call, OutboundMail, OutboundRequest, Ports, Reply } from './kind.ts';
import type { ServerSettings } from './registry.ts';

export const UUID = '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a';
export const AT: Instant = Date.UTC(2024, 2, 10, 12, 30, 5) * 1000 + 123_456;

export const VAULT = createVault('a secret for tests only', systemRandom);

const BODY = new TextEncoder().encode('line 1\nline 2 <ok> & "done"');

export function aPing(overrides: Partial<Ping> = {}): Ping {
  return {
    checkId: 1,
    n: 42,
    createdAt: AT - seconds(3600),
    signal: 'success',
    scheme: 'https',
    method: 'POST',
    remoteAddr: '192.0.2.7',
    userAgent: 'curl/8.0',
    rid: null,
    exitStatus: null,
    bodySize: BODY.length,
    ...overrides,
  };
}

export function aCheck(overrides: Partial<AlertEvent['check']> = {}): AlertEvent['check'] {
  const name = overrides.name ?? 'Nightly backup';
  return {
    uuid: UUID,
    uniqueKey: uniqueKeyOf(UUID),
    name,
    slug: 'nightly-backup',
    tags: 'prod db',
    description: 'Dumps the database.\nRunbook: wiki/backup',
    cadence: { kind: 'simple', timeoutSeconds: 86_400 },
    createdAt: Date.UTC(2024, 0, 2) * 1000,
    json: JSON.stringify({ name, status: 'down', n_pings: 42 }),
    ...overrides,
  };
}

export function anEvent(overrides: Partial<AlertEvent> = {}): AlertEvent {
  return {
    deliveryId: '0b6f1f4e-58b1-4d0c-9d0b-3a1c6d1a7e11',
    isTest: false,
    now: AT + seconds(2),
    at: AT,
    to: 'down',
    reason: 'timeout',
    downFor: null,
    check: aCheck(),
    projectName: 'Acme',
    ping: aPing(),
    body: BODY,
    story: null,
    others: null,
    answers: null,
    site: { name: 'Tocsin', root: 'https://tocsin.example.org' },
    ...overrides,
  };
}

/** What is known of the change of `anEvent`. */
export function aStory(overrides: Partial<AlertStory> = {}): AlertStory {
  const lastPingAt = AT - seconds(90_000);
  return {
    about: {
      name: 'Nightly backup',
      description: 'Dumps the database.\nRunbook: wiki/backup',
      projectName: 'Acme',
      graceSeconds: 3600,
      tz: null,
    },
    sentence: [
      'Down since ',
      { at: AT, as: 'clock' },
      ' · no ping for ',
      { at: lastPingAt, as: 'age' },
      ' (expected every day)',
    ],
    cause: {
      kind: 'silence',
      head: ['No ping for ', { at: lastPingAt, as: 'age' }, '.'],
      rest: [],
      exitStatus: null,
    },
    dueAt: AT - seconds(3600),
    nextDueAt: null,
    lastPing: {
      n: 42,
      createdAt: lastPingAt,
      signal: 'success',
      exitStatus: null,
      remoteAddr: '192.0.2.7',
      duration: seconds(401),
    },
    runs: [...Array<'ok'>(13).fill('ok'), 'late', ...Array<'ok'>(5).fill('ok'), 'missed'],
    outage: null,
    output: ['line 1', 'line 2 <ok> & "done"'],
    told: ['alice@example.org', 'Slack #ops'],
    ...overrides,
  };
}

/** The same of a check that has failed. */
export function aFailure(): AlertStory {
  return aStory({
    sentence: ['Down since ', { at: AT, as: 'clock' }, ' · exit status 123 after 46 min (usually 31 min)'],
    cause: {
      kind: 'failed',
      head: ['Exit status 123 after 46 min (usually 31 min).'],
      rest: [],
      exitStatus: 123,
    },
    dueAt: null,
    lastPing: {
      n: 42,
      createdAt: AT,
      signal: 'fail',
      exitStatus: 123,
      remoteAddr: '192.0.2.7',
      duration: seconds(46 * 60 + 3),
    },
    runs: ['ok', 'ok', 'failed', 'ok', 'failed'],
  });
}

export function aRecovery(): AlertStory {
  return aStory({
    sentence: [],
    cause: null,
    dueAt: null,
    nextDueAt: AT + seconds(86_400),
    lastPing: { ...(aStory().lastPing as LastPing), n: 43, createdAt: AT, duration: seconds(372) },
    runs: ['ok', 'ok', 'missed', 'ok'],
    outage: { from: AT - seconds(5400), missed: 1, cause: aStory().cause },
  });
}

export const OTHERS: OtherChecks = {
  at: AT + seconds(2),
  down: 1,
  total: 18,
  checks: [
    {
      name: 'nightly-etl',
      since: AT - seconds(2580),
      cause: aFailure().cause,
      line: 'connection to db-1:5432 refused',
    },
  ],
};

/** A ping with that body, and the event that quotes it. */
export function anEventWithBody(body: string | Uint8Array, ping: Partial<Ping> = {}): AlertEvent {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return anEvent({ body: bytes, ping: aPing({ ...ping, bodySize: bytes.length }) });
}

const NASTY = `<b>"Ü'&$NAME$TAG1\r\nBcc: x@evil.example\u0000\u001b[31m 日本 👩‍👧 %41`;

/** What every kind is tried with; the names are those of the golden files. */
export const SCENARIOS: Readonly<Record<string, AlertEvent>> = {
  'down-timeout': anEvent({ story: aStory(), others: OTHERS }),
  'down-fail': anEvent({
    reason: 'fail',
    ping: aPing({ signal: 'fail', exitStatus: 123, createdAt: AT }),
    story: aFailure(),
  }),
  'up-with-downtime': anEvent({
    to: 'up',
    reason: '',
    downFor: seconds(5400),
    ping: aPing({ createdAt: AT, exitStatus: 0 }),
    story: aRecovery(),
    others: OTHERS,
    answers: '5d1f3f0a-2a54-4f0c-9a7e-0c1d2e3f4a5b',
  }),
  'no-ping': anEvent({
    ping: null,
    body: null,
    story: aStory({ lastPing: null, output: null, runs: ['missed'], dueAt: null, told: [] }),
  }),
  'cron-check': anEvent({
    check: aCheck({ cadence: { kind: 'cron', schedule: '*/5 * * * *', tz: 'Europe/Riga' } }),
    story: aStory({ about: { ...aStory().about, tz: 'Europe/Riga' } }),
  }),
  'unnamed-check': anEvent({
    check: aCheck({ name: '', slug: '', tags: '', description: '' }),
    story: aStory({ about: { ...aStory().about, name: '', description: '', projectName: '' } }),
  }),
  'hostile-characters': {
    ...anEventWithBody(NASTY),
    check: aCheck({ name: NASTY, tags: `<i> $CODE 日本`, description: NASTY }),
    projectName: NASTY,
    story: aStory({
      about: { ...aStory().about, name: NASTY, description: NASTY, projectName: NASTY },
      output: ['<svg onload=alert(1)>', 'see https://evil.example/login or mail root@evil.example'],
      told: [NASTY],
    }),
    others: {
      ...OTHERS,
      down: 12,
      checks: OTHERS.checks.map((check) => ({ ...check, name: NASTY, line: '<b>www.evil.example' })),
    },
  },
  'long-body': anEventWithBody(
    `BEGINNING\n${'another line of the log, of 50 characters or so ..\n'.repeat(210)}END`,
  ),
  'test-send': anEvent({
    isTest: true,
    check: aCheck({ name: 'TEST', slug: '', tags: '', description: '' }),
    ping: null,
    body: null,
  }),
};

/** What an operator has set who has everything. */
export const SERVER: ServerSettings = {
  PUSHOVER_API_TOKEN: 'pushover-token',
  PUSHOVER_EMERGENCY_RETRY_DELAY: 300,
  PUSHOVER_EMERGENCY_EXPIRATION: 10_800,
  SLACK_ENABLED: true,
  TELEGRAM_TOKEN: '123:telegram-token',
  WEBHOOKS_ENABLED: true,
};

export function aReply(status: number, body: unknown = '', headers: Reply['headers'] = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: new TextEncoder().encode(text) };
}

export interface RecordedPorts extends Ports {
  readonly requests: OutboundRequest[];
  readonly mails: OutboundMail[];
}

/** Ports that remember what reaches them, and answer like this. */
export function recordingPorts(answer: HttpResult = aReply(200)): RecordedPorts {
  const requests: OutboundRequest[] = [];
  const mails: OutboundMail[] = [];
  return {
    requests,
    mails,
    async http(request) {
      requests.push(request);
      return answer;
    },
    async mail(mail) {
      mails.push(mail);
      return DELIVERED;
    },
    writeMail: async (event, to, unsubscribeUrl) => alertMail(event, to, unsubscribeUrl),
    unsubscribeUrl: () => 'https://tocsin.example.org/integrations/unsubscribe/abc?a=1&b=2',
  };
}

/** The requests as a golden file shows them. */
export function printedCalls(calls: readonly Call[]): string {
  return calls
    .map(
      ({ method, url, headers, body, isOptional }) =>
        `${isOptional ? '(optional) ' : ''}${method} ${url}\n${Object.entries(headers)
          .map(([header, value]) => `${header}: ${value}\n`)
          .join('')}\n${body}\n`,
    )
    .join('\n');
}
