import { BUTTON_LABELS, BUTTON_VERBS, type Button } from '../../domain/alert/button.ts';
import { DELIVERED, type Outcome } from '../../domain/alert/delivery.ts';
import { uniqueKeyOf } from '../../domain/check/check.ts';
import type { AlertStory, LastPing, OtherChecks } from '../../domain/history/alert-story.ts';
import { NO_RUN_FACTS, type Ping } from '../../domain/ping/ping.ts';
import { type EnvSetting, flag } from '../../lib/env-setting.ts';
import type { HttpResult } from '../../lib/http-client.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { systemRandom } from '../../lib/random.ts';
import type { ShellCommand } from '../../lib/shell-thread.ts';
import { createVault } from '../../lib/vault.ts';
import { alertMail } from '../email/message.ts';
import { SERVER_SETTINGS, type ServerSettings } from '../registry.ts';
import { acceptingLine, peerName } from '../send/preview.ts';
import type { AlertEvent } from './alert-event.ts';
import type { Call, Kind, OutboundMail, OutboundRequest, Ports, Reply } from './kind.ts';

export const UUID = '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a';
export const AT: Instant = Date.UTC(2024, 2, 10, 12, 30, 5) * 1000 + 123_456;

export const VAULT = createVault('a secret for tests only', systemRandom);

const BODY = new TextEncoder().encode('line 1\nline 2 <ok> & "done"');

export function aPing(overrides: Partial<Ping> = {}): Ping {
  return {
    checkId: 1,
    n: 42,
    createdAt: AT - seconds(3600),
    occurredAt: null,
    ...NO_RUN_FACTS,
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

/** The buttons of `anEvent`. Their addresses let a reader act. */
export const BUTTONS: readonly Button[] = BUTTON_VERBS.map((verb, index) => {
  const token = `65ed${index}8ac${'0123456789abcdef'.repeat(2)}`;
  const url = `https://tocsin.example.org/buttons/0b6f1f4e-58b1-4d0c-9d0b-3a1c6d1a7e11/${verb}/${token}/`;
  return { verb, label: BUTTON_LABELS[verb], url, token };
});

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
    statusUrl: 'https://tocsin.example.org/api/v3/notifications/3b1d2c4e-0000-4000-8000-000000000001/status',
    buttons: overrides.to === 'up' ? [] : BUTTONS,
    site: { name: 'Tocsin', root: 'https://tocsin.example.org' },
    ...overrides,
  };
}

/** The story of `anEvent`. */
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

/** The story of a check with a schedule in a zone. Null: its words name the zone. */
export function aZonedStory(schedule: string, tz: string | null): AlertStory {
  const story = aStory();
  return {
    ...story,
    about: { ...story.about, tz },
    sentence: [...story.sentence.slice(0, -1), ' (expected ', { schedule, tz }, ')'],
  };
}

/** The story of a check that has failed. */
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
  held: 0,
  total: 18,
  checks: [
    {
      name: 'nightly-etl',
      since: AT - seconds(2580),
      lastPingAt: AT - seconds(93_000),
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

/** Every kind is tried with these; their names are the names of the golden files. */
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
    answers: { deliveryId: '5d1f3f0a-2a54-4f0c-9a7e-0c1d2e3f4a5b', providerId: null },
  }),
  'no-ping': anEvent({
    ping: null,
    body: null,
    story: aStory({ lastPing: null, output: null, runs: ['missed'], dueAt: null, told: [] }),
  }),
  'cron-check': anEvent({
    check: aCheck({ cadence: { kind: 'cron', schedule: '*/5 * * * *', tz: 'Europe/Riga' } }),
    story: aZonedStory('every 5 minutes', 'Europe/Riga'),
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
    statusUrl: null,
    check: aCheck({ name: 'TEST', slug: '', tags: '', description: '' }),
    ping: null,
    body: null,
  }),
};

/** A key that opens nothing but these tests. */
export const TEST_RSA_KEY = `-----BEGIN PRIVATE KEY-----
MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAL3Qnu0icATlsSX0
n8bCciK1bLR8hC+tEg8TTd0JU3yAUb8JdZH1TxGcqb7ENUiBGM2IdJ+D1vgMXnti
0upLvAW3XsfFdMpmwl+wIA/N2JlkBpXYSJyvvFsInZB19wHJUCtUsqfbGQctrHTX
G2Js6G0rqn1GhSOFkHOOFUb1FmStAgMBAAECgYA4yO6ilojYjjae2j3qYkVu6MOq
gw2wjaA3blj+5Ulal7Dc6+GGVtLeu/V0IpKmLCjVZBsvlWt8LYcedoQOn7WRpEtL
A0xzYBWFdjpMmCw+SWEp/98G6yMy9vPqL0gMmDw6TdMS+06o+n9ScUSP0Y+Xc1Vd
QLIPbHl/AJEzOU4maQJBAOE9shTmrDCCxq6h3itHMy5I+Z9oJf9RlBa4IV7Yqtu3
Fi2xIh5G+yxPJQpcQDsssQd6y8eWbBPR5xPss8QlWg8CQQDXvHLburZzwysRN4sm
MzLLpRIdjDVFMIpiLUk8HqDhavvLZ5EyZHeHkBDh4t69MTXtVdbCp/9AiF46R6dl
rMGDAkEA4RG0NBx37RWQkQngJeDErLhw7y+z4FfVIYqmlc7tlBV0DP5WOGj3LUR8
n8ikyjyTPQUgQXT21CtHu2ooC5TDUwJANRFFC6nlIZq7qFOKZg4oC5ICX8RSgj+L
etT688/w8SI45/ME82llQbJ9hKMi+VT2l/gKiP18O2qQCzP/CHKzcwJAbhJO6yDh
YlCM6TGei4ByAy34X27qpvZOqyZR+bQH16960cL+lBd5tWWLBH9dFsyisRMyHZfL
+tT7vMgwRBIX8A==
-----END PRIVATE KEY-----`;

/** The settings of an operator who has set everything. A secret is a text that says its name. */
export const SERVER = Object.fromEntries(
  Object.entries<EnvSetting>(SERVER_SETTINGS).map(([name, setting]) => [name, operatorsValue(name, setting)]),
) as ServerSettings;

function operatorsValue(name: string, { kind, default: preset, example }: EnvSetting): unknown {
  const isPem = kind.accepts.includes('PEM');
  const word = isPem ? TEST_RSA_KEY : `the-${name.toLowerCase().replaceAll('_', '-')}`;
  const text = kind === flag ? 'True' : (preset ?? example ?? word);
  const value = kind.parse(text);
  if (value === undefined) throw new Error(`${name} needs an example: ${kind.accepts}`);
  return value;
}

export function aReply(status: number, body: unknown = '', headers: Reply['headers'] = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: new TextEncoder().encode(text) };
}

export interface RecordedPorts extends Ports {
  readonly requests: OutboundRequest[];
  readonly mails: OutboundMail[];
  readonly commands: ShellCommand[];
  /** The bytes written in conversations, with their recipients. */
  readonly written: { readonly to: string; readonly bytes: Uint8Array }[];
}

/** Ports that remember what reaches them, and answer like this. */
export function recordingPorts(
  answer: HttpResult | ((request: OutboundRequest) => HttpResult | Promise<HttpResult>) = aReply(200),
  peer: Pick<Kind, 'acceptedByPeer'> = {},
): RecordedPorts {
  const commands: ShellCommand[] = [];
  const written: { readonly to: string; readonly bytes: Uint8Array }[] = [];
  const requests: OutboundRequest[] = [];
  const mails: OutboundMail[] = [];
  return {
    requests,
    mails,
    commands,
    written,
    async shell(command) {
      commands.push(command);
      return { exitCode: 0 };
    },
    converse: (target, talk) =>
      talk(acceptingLine(peer, (bytes) => written.push({ to: peerName(target), bytes }))),
    askForCaptcha: async () => undefined,
    randomBytes: (count) => new Uint8Array(count).fill(1),
    pushAuthorization: async (origin) => `vapid t=a-token-for-${origin}, k=our-key`,
    async http(request) {
      requests.push(request);
      return typeof answer === 'function' ? answer(request) : answer;
    },
    async mail(mail) {
      mails.push(mail);
      return DELIVERED;
    },
    writeMail: async (event, to, unsubscribeUrl) => alertMail(event, to, unsubscribeUrl),
    unsubscribeUrl: () => 'https://tocsin.example.org/integrations/unsubscribe/abc?a=1&b=2',
    takeQuota: async () => null,
    returnQuota: async () => undefined,
  };
}

/** The JSON in the body of the only request. */
export function bodyOf<T>(calls: readonly Call[] | Outcome): T {
  if ('kind' in calls || calls.length !== 1) throw new Error('not one request');
  return JSON.parse(String(calls[0]?.body));
}

/** Texts below their headings, in one golden file. */
export class Sections {
  readonly #byHeading = new Map<string, string>();

  add(heading: string, text: string): void {
    this.#byHeading.set(heading, text);
  }

  toString(): string {
    return [...this.#byHeading].map(([heading, text]) => `########## ${heading}\n${text}`).join('\n');
  }
}

/** The requests as a golden file shows them. */
export function printedCalls(calls: readonly Call[]): string {
  return calls
    .map(
      ({ method, url, headers, body, isOptional }) =>
        `${isOptional ? '(optional) ' : ''}${method} ${url}\n${Object.entries(headers)
          .map(([header, value]) => `${header}: ${value}\n`)
          .join('')}\n${body instanceof Uint8Array ? Buffer.from(body).toString('base64') : body}\n`,
    )
    .join('\n');
}
