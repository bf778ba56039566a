import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import pino from 'pino';
import { MAX_PROJECT_CHANNELS } from '../../src/domain/alert/channel.ts';
import { DELIVERED, tryAgain } from '../../src/domain/alert/delivery.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { MAX_QUIET_TIMES } from '../../src/domain/check/quiet-time.ts';
import { AppError } from '../../src/domain/errors.ts';
import { MAX_PROJECT_KEYS } from '../../src/domain/people/api-key.ts';
import { MAX_CALENDARS } from '../../src/domain/policy/stored-calendar.ts';
import { MAX_POLICIES } from '../../src/domain/policy/stored-policy.ts';
import { addressesOf } from '../../src/http/dispatcher.ts';
import { templateOf } from '../../src/http/docs/documented.ts';
import { createHttpServer, type HttpServer, routesOf } from '../../src/http/server.ts';
import { SERVER } from '../../src/integrations/kind/alert-event.test-support.ts';
import { seconds } from '../../src/lib/instant.ts';
import { sha256 } from '../../src/lib/vault.ts';
import { Notifier } from '../../src/notifier/notifier.ts';
import { LocalReads } from '../../src/reading/local-reads.ts';
import { bounceAddress } from '../../src/services/alert/bounces.ts';
import { callbackId } from '../../src/services/alert/callbacks.ts';
import type { SendCode } from '../../src/services/alert/channel-codes.ts';
import type { SendTest } from '../../src/services/alert/test-message.ts';
import { ingestPings } from '../../src/services/ping/ingest.ts';
import { PING_WRITER_DEFAULTS, PingWriter } from '../../src/services/ping/ping-writer.ts';
import type { Store } from '../../src/storage/store.ts';
import {
  type ChannelOverrides,
  type GivenProject,
  listen,
  type Reply,
  type RequestOptions,
  SITE,
  startTestApp,
  type TestApp,
  vitalsOf,
} from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { MESSAGE_LIMITS } from '../node-parts.ts';
import { givenPingKey } from '../ping/answers.ts';
import {
  accountRecord,
  apiKeyRecord,
  calendarRecord,
  channelRecord,
  incomingPing,
  invitationRecord,
  policyRecord,
  quietTimeRecord,
} from '../records.ts';
import { Transcript } from '../transcript.ts';
import { Judge, type Located, type OpenApi, operationsOf, shapeOf } from './openapi-document.ts';
import { givenToken } from './tokens.ts';

const METRICS_KEY = 'a metrics key for tests only';
const NO_SUCH_UUID = '00000000-0000-4000-8000-000000000000';
/** The name of a channel whose provider takes nothing. */
const BROKEN = 'broken';
const DOCUMENT = '/api/v3/openapi.json';
/** The headers of a client behind a proxy. Without them the client is on this machine, and has no limit. */
const STRANGER = { 'x-forwarded-for': '203.0.113.7' };

/** Apps in all the states that it takes to provoke every documented answer. */
interface World {
  readonly app: TestApp;
  /** Its key has no request left. */
  readonly limited: TestApp;
  readonly exhaustedKey: string;
  /** Without a key nobody has a request left. */
  readonly crowded: TestApp;
  /** The app without its database. */
  readonly broken: HttpServer;
  readonly brokenPort: number;
  readonly project: GivenProject;
  readonly other: GivenProject;
  /** A project whose ping key nobody replaces. */
  readonly pinged: GivenProject;
  readonly pingKey: string;
  /** Tokens of the owner of the project: for everything, and for nothing. */
  readonly token: string;
  readonly powerlessToken: string;
  /** A token whose account has no request left. */
  readonly exhaustedToken: string;
  readonly document: OpenApi;
  readonly judge: Judge;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly reply: Reply;
  /** The request to another address. Absent for requests that go to another service. */
  readonly at?: (path: string) => Promise<Call>;
}

type Attempt = (world: World) => Promise<Call>;

async function call(app: TestApp, method: string, path: string, options: RequestOptions = {}): Promise<Call> {
  const at = (other: string) => call(app, method, other, options);
  return { method, path, reply: await app.request(method, path, options), at };
}

/** A GET also in the older versions of the API, whose answers differ. */
async function inAllVersions(made: Call): Promise<Call[]> {
  const { method, path, at } = made;
  const hasVersions = /^\/api\/v3\/(?!projects|openapi)/.test(path);
  if (method !== 'GET' || !hasVersions || at === undefined) return [made];
  return [made, ...(await Promise.all([1, 2].map((version) => at(path.replace('v3', `v${version}`)))))];
}

/** A call with the read-write key of the project. */
const own =
  (method: string, path: (world: World) => string | Promise<string>, body?: unknown): Attempt =>
  async (world) =>
    call(world.app, method, await path(world), {
      key: world.project.key,
      ...(body !== undefined && { body }),
    });

/** A call with a token of the owner. */
const byToken =
  (method: string, path: (world: World) => string | Promise<string>, body?: unknown): Attempt =>
  async (world) =>
    call(world.app, method, await path(world), {
      key: world.token,
      ...(body !== undefined && { body }),
    });

/** An address of the project in the API for accounts. */
const inProject =
  (rest = '') =>
  ({ project: { project } }: World) =>
    `/api/v3/projects/${project.uuid}${rest}`;

const aKey =
  (rest = '') =>
  async (world: World) => {
    const { deps } = world.app;
    const { uuid } = await deps.store.transaction((tx) =>
      tx.apiKeys.insert(apiKeyRecord(world.project.project.id)),
    );
    return inProject(`/keys/${uuid}${rest}`)(world);
  };

/** The address of a project of the owner, made for this call alone. */
const newProject =
  () =>
  async ({ app, project }: World) =>
    `/api/v3/projects/${(await app.givenProject({ ownerId: project.ownerId })).project.uuid}`;

const aMember =
  (query = '') =>
  async (world: World) => {
    const { store } = world.app.deps;
    const { uuid } = await store.transaction(async (tx) => {
      const account = await tx.accounts.insert(accountRecord());
      await tx.projects.addMember(world.project.project.id, account.id, 'member', 1);
      return account;
    });
    return inProject(`/members/${uuid}${query}`)(world);
  };

const theOwner = async (world: World) => {
  const owner = await world.app.deps.store.accounts.byId(world.project.ownerId);
  return inProject(`/members/${owner?.uuid}`)(world);
};

const anInvitation =
  (rest = '') =>
  async (world: World) => {
    const record = invitationRecord(world.project.project.id, {
      email: null,
      expiresAt: world.app.clock.now() + 1,
    });
    await world.app.deps.store.transaction((tx) => tx.invitations.insert(record));
    return inProject(`/invitations/${record.uuid}${rest}`)(world);
  };

/** A call in a project that has all the keys that it can have, by a token of its owner. */
const withAllKeys =
  (path: (uuid: string, keyUuid: string) => string, body: unknown): Attempt =>
  async ({ app }) => {
    const { project, ownerId } = await app.givenProject();
    const { secret } = await givenToken(app, ownerId);
    const key = await app.deps.store.transaction(async (tx) => {
      for (let n = 2; n < MAX_PROJECT_KEYS; n++) await tx.apiKeys.insert(apiKeyRecord(project.id));
      return (await tx.apiKeys.ofProject(project.id))[0];
    });
    return call(app, 'POST', path(project.uuid, key?.uuid ?? ''), { key: secret, body });
  };

/** A call without an API key. */
const open =
  (path: (world: World) => string | Promise<string>, headers: Record<string, string> = {}): Attempt =>
  async (world) =>
    call(world.app, 'GET', await path(world), { headers });

/** A call by a client that has the answer already. */
const unchanged =
  (path: (world: World) => string | Promise<string>): Attempt =>
  async (world) => {
    const url = await path(world);
    const { etag = '' } = (await world.app.request('GET', url)).headers;
    return open(() => url, { 'if-none-match': etag })(world);
  };

/** With the read-write key of the project. */
const ownUnchanged =
  (path: (world: World) => string | Promise<string>): Attempt =>
  async (world) => {
    const [url, key] = [await path(world), world.project.key];
    const { etag = '' } = (await world.app.request('GET', url, { key })).headers;
    return call(world.app, 'GET', url, { key, headers: { 'if-none-match': etag } });
  };

const withoutDatabase =
  (method: string, path: (world: World) => string | Promise<string>, options: RequestOptions = {}): Attempt =>
  async (world) => {
    const url = await path(world);
    const { statusCode, headers, body, rawPayload } = await injectInto(world.broken, {
      method: method as 'GET',
      url,
      headers: { 'x-api-key': world.project.key, ...options.headers },
      ...(options.body !== undefined && { payload: String(options.body) }),
    });
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return {
      method,
      path: url,
      reply: {
        status: statusCode,
        headers: texts,
        text: body,
        bytes: rawPayload,
        get json() {
          return JSON.parse(body || 'null');
        },
      },
    };
  };

const given = ({ app, project }: World, overrides: Partial<Check> = {}) =>
  app.givenCheck(project.project, overrides);

/** The address of a check of the project, made for this call alone. */
const aCheck =
  (rest = '', overrides: Partial<Check> = {}) =>
  async (world: World) =>
    `/api/v3/checks/${(await given(world, overrides)).uuid}${rest}`;

const aDownCheck =
  (rest = '') =>
  async (world: World) => {
    const check = await given(world);
    await world.app.receive(check, 'fail');
    return `/api/v3/checks/${check.uuid}${rest}`;
  };

const foreignCheck =
  (rest = '') =>
  async ({ app, other }: World) =>
    `/api/v3/checks/${(await app.givenCheck(other.project)).uuid}${rest}`;

const noCheck =
  (rest = '') =>
  () =>
    `/api/v3/checks/${NO_SUCH_UUID}${rest}`;

/** An address of a channel of the project, made for this call alone. */
const aChannel =
  (overrides: ChannelOverrides = {}, verb = 'test') =>
  async ({ app, project }: World) =>
    channelPath((await app.givenChannel(project.project, overrides)).uuid, verb);

function channelPath(uuid: string, verb: string): string {
  return `/api/v3/channels/${uuid}${verb === '' ? '' : `/${verb}`}`;
}

/** The path of a policy that no other attempt uses. */
async function aPolicy({ app, project }: World): Promise<string> {
  const policy = policyRecord(project.project.id, { name: randomUUID() });
  const { uuid } = await app.deps.store.transaction((tx) => tx.policies.insert(policy));
  return `/api/v3/policies/${uuid}`;
}

/** The path of a calendar that no other attempt uses. */
async function aCalendar({ app, project }: World): Promise<string> {
  const calendar = calendarRecord(project.project.id, { name: randomUUID() });
  const { uuid } = await app.deps.store.transaction((tx) => tx.calendars.insert(calendar));
  return `/api/v3/calendars/${uuid}`;
}

const NEW_CALENDAR = { name: 'night', schedule: '22:00', duration: 28_800 };

const QUIET_TIMES = '/api/v3/quiet-times/';
const NO_QUIET_TIME = `${QUIET_TIMES}${NO_SUCH_UUID}`;

/** A quiet time that covers no check here. */
const aQuietTime =
  (verb: '' | '/stop') =>
  async ({ app, project }: World) => {
    const record = quietTimeRecord(project.project.id, { tags: 'silent' });
    await app.deps.store.transaction((tx) => tx.quietTimes.insert(record));
    return `${QUIET_TIMES}${record.uuid}${verb}`;
  };

/** Everything but Pushover. */
const OFFER = { server: { ...SERVER, PUSHOVER_API_TOKEN: null }, hasMail: true };

const NEW_CHANNEL = { kind: 'email', name: 'On call', settings: { email: 'on-call@example.org' } };

/** The refusals of a call for a channel of others, or for none. */
const channelRefusals = (method: string, verb = ''): Record<403 | 404, Attempt[]> => ({
  403: [
    own(method, async ({ app, other }) => channelPath((await app.givenChannel(other.project)).uuid, verb)),
  ],
  404: [own(method, () => channelPath(NO_SUCH_UUID, verb))],
});

const actAttempts = (verb: string, body?: unknown): Record<number, Attempt[]> => ({
  200: [own('POST', aChannel({}, verb), body ?? {})],
  400: badBodies('POST', aChannel({}, verb)),
  403: [
    own(
      'POST',
      async ({ app, other }) => {
        const { uuid } = await app.givenChannel(other.project);
        return `/api/v3/channels/${uuid}/${verb}`;
      },
      body,
    ),
  ],
  404: [own('POST', () => `/api/v3/channels/${NO_SUCH_UUID}/${verb}`, body)],
});

const switchAttempts = (verb: 'enable' | 'disable'): Record<number, Attempt[]> => {
  const attempts = actAttempts(verb);
  return { ...attempts, 200: [own('POST', aChannel({ isOff: true }, verb)), ...(attempts[200] ?? [])] };
};

const UNCONFIRMED = { kind: 'sms', settings: { phone: '+15551234567' }, verified: false };
const CODE = { code: '123456' };

/** Everything that is due finds somebody to take it. */
async function deliverAll(app: TestApp): Promise<void> {
  const sender = {
    wants: () => true,
    needsBody: () => false,
    needsStory: () => false,
    needsDocument: () => false,
    buttons: () => ({ choice: 'none', needsTaps: false }) as const,
    destination: () => 'anywhere',
    limit: () => null,
    send: async () => DELIVERED,
  };
  await using notifier = new Notifier(app.deps, sender, {
    site: { ...SITE, name: 'Tocsin' },
    log: pino({ level: 'silent' }),
    maxConcurrent: 10,
    maxConcurrentPerDestination: 10,
  });
  await notifier.tick();
}

/** A mail server's report about an alert that nobody knows. */
function bounceOf({ deps }: TestApp): string {
  const to = bounceAddress(deps, '%s@bounces.example.org', { kind: 'delivery', uuid: NO_SUCH_UUID });
  return `To: ${to}\r\nStatus: 5.1.1\r\nAction: failed\r\n\r\n`;
}

/** Refusals that every operation on one check of one's own has. */
const refusals = (method: string, rest = ''): Record<number, Attempt[]> => ({
  403: [own(method, foreignCheck(rest))],
  404: [own(method, noCheck(rest))],
});

/** The path of a badge in the list of badges. */
const listedBadge = (tag: string, variant: string) => async (world: World) => {
  const { app, project } = world;
  await given(world, { tags: 'a/b', status: 'down' });
  const { json } = await app.request('GET', '/api/v3/badges/', { key: project.key });
  const { badges } = json as { badges: Record<string, Record<string, string>> };
  return (badges[tag]?.[variant] ?? '').replace(SITE.root, '');
};

const checkBadge = (format: string) => async (world: World) =>
  `/b/3/${(await given(world)).badgeKey}.${format}`;

const metricsPath = (rest: string) => () => `/projects/${NO_SUCH_UUID}${rest}`;
const keyedMetrics = (folder: string) => (key: (world: World) => string) => (world: World) =>
  `/projects/${NO_SUCH_UUID}${folder}/metrics/${key(world)}`;

function keyedScrapes(folder: string): Record<number, Attempt[]> {
  const path = keyedMetrics(folder);
  return {
    200: [open(path(({ project }) => project.readOnlyKey))],
    400: [open(path(() => 'short'))],
    403: [open(path(({ project }) => project.key))],
    404: [open(() => `/projects/nonsense${folder}/metrics/${'x'.repeat(32)}`)],
    503: [
      withoutDatabase(
        'GET',
        path(({ project }) => project.readOnlyKey),
      ),
    ],
  };
}

const bearer = (token: (world: World) => string): Attempt => {
  return (world) => open(metricsPath('/metrics/'), { authorization: `Bearer ${token(world)}` })(world);
};

const badgeAttempts = (
  formats: readonly string[],
  path: (format: string) => (world: World) => Promise<string>,
  wrong: string,
): Record<number, Attempt[]> => ({
  200: formats.map((format) => open(path(format))),
  304: formats.map((format) => unchanged(path(format))),
  404: [open(() => wrong)],
  503: [withoutDatabase('GET', path(formats[0] ?? ''))],
});

const badBodies = (method: string, path: (world: World) => string | Promise<string>): Attempt[] => [
  own(method, path, '{'),
  own(method, path, '[]'),
];

/** The calls that provoke each documented answer, by operation and status. */
const ATTEMPTS: Record<string, Record<number, Attempt[]>> = {
  listChecks: {
    200: [
      own('GET', () => '/api/v3/checks/'),
      own('GET', async (world) => {
        await given(world, { slug: 'nightly', tags: 'a b', kind: 'cron', schedule: '15 2 * * *' });
        return '/api/v3/checks/?slug=nightly&tag=a&tag=b';
      }),
      async (world) => {
        await given(world);
        return call(world.app, 'GET', '/api/v3/checks/', { key: world.project.readOnlyKey });
      },
    ],
    304: [ownUnchanged(() => '/api/v3/checks/')],
  },
  createCheck: {
    200: [
      own(
        'POST',
        async (world) => {
          await given(world, { name: 'There already' });
          return '/api/v3/checks/';
        },
        { name: 'There already', unique: ['name'] },
      ),
    ],
    201: [
      own('POST', () => '/api/v3/checks/'),
      own('POST', () => '/api/v3/checks/', { name: 'New', schedule: '12:34', tz: 'Europe/Riga' }),
      async ({ app, project }) =>
        call(app, 'POST', '/api/v3/checks/', { body: { api_key: project.key, tags: 'a b' } }),
    ],
    400: [
      ...badBodies('POST', () => '/api/v3/checks/'),
      own('POST', () => '/api/v3/checks/', { timeout: 1 }),
      own('POST', () => '/api/v3/checks/', { channels: 'nobody' }),
    ],
    403: [
      async ({ app }) => {
        const { key } = await app.givenProject({ limits: { checks: 0, pings: 100 } });
        return call(app, 'POST', '/api/v3/checks/', { key });
      },
    ],
  },
  getCheck: {
    200: [
      own('GET', aCheck()),
      own('GET', aCheck('', { kind: 'oncalendar', schedule: 'daily' })),
      own('GET', aCheck('', { lastDuration: 42_000_000, status: 'up', lastPingAt: 1_709_294_000_000_000 })),
      own('GET', async (world) => `/api/v3/checks/${(await given(world)).uniqueKey}`),
      async (world) => {
        const { uniqueKey } = await given(world, { lastStartAt: 1_709_294_400_000_000 });
        return call(world.app, 'GET', `/api/v3/checks/${uniqueKey}`, { key: world.project.readOnlyKey });
      },
    ],
    304: [ownUnchanged(aCheck())],
    ...refusals('GET'),
  },
  updateCheck: {
    200: [
      own('POST', aCheck(), { name: 'Renamed' }),
      async (world) => {
        await world.app.givenChannel(world.project.project);
        return own('POST', aCheck(), { channels: '*' })(world);
      },
    ],
    400: [...badBodies('POST', aCheck()), own('POST', aCheck(), { grace: 1 })],
    ...refusals('POST'),
  },
  deleteCheck: { 200: [own('DELETE', aCheck())], ...refusals('DELETE') },
  pauseCheck: {
    200: [own('POST', aCheck('/pause')), own('POST', aCheck('/pause'), null)],
    400: badBodies('POST', aCheck('/pause')),
    ...refusals('POST', '/pause'),
  },
  acknowledgeCheck: {
    200: [own('POST', aDownCheck('/acknowledge'))],
    400: badBodies('POST', aDownCheck('/acknowledge')),
    409: [own('POST', aCheck('/acknowledge'))],
    ...refusals('POST', '/acknowledge'),
  },
  unacknowledgeCheck: {
    200: [own('POST', aDownCheck('/unacknowledge'))],
    400: badBodies('POST', aDownCheck('/unacknowledge')),
    409: [own('POST', aCheck('/unacknowledge'))],
    ...refusals('POST', '/unacknowledge'),
  },
  snoozeCheck: {
    200: [own('POST', aCheck('/snooze'), { for: 3600 }), own('POST', aDownCheck('/snooze'), { for: 60 })],
    400: [
      ...badBodies('POST', aCheck('/snooze')),
      own('POST', aCheck('/snooze'), {}),
      own('POST', aCheck('/snooze'), { for: 2_592_001 }),
      own('POST', aCheck('/snooze'), { until: 1 }),
      own('POST', aCheck('/snooze'), { until: 253_402_300_799 }),
    ],
    ...refusals('POST', '/snooze'),
  },
  unsnoozeCheck: {
    200: [own('POST', aCheck('/unsnooze'))],
    400: badBodies('POST', aCheck('/unsnooze')),
    ...refusals('POST', '/unsnooze'),
  },
  resumeCheck: {
    200: [own('POST', aCheck('/resume', { status: 'paused' }))],
    400: badBodies('POST', aCheck('/resume')),
    409: [own('POST', aCheck('/resume'))],
    ...refusals('POST', '/resume'),
  },
  listPings: {
    200: [
      own('GET', async (world) => {
        const check = await given(world);
        await world.app.givenPing(check, { signal: 'start', rid: NO_SUCH_UUID });
        world.app.clock.advance({ seconds: 1.25 });
        await world.app.givenPing(check, { rid: NO_SUCH_UUID, method: 'POST', body: Buffer.from('done') });
        await world.app.givenPing(check, { scheme: 'email', method: '', remoteAddr: null, signal: 'ign' });
        return `/api/v3/checks/${check.uuid}/pings/`;
      }),
    ],
    ...refusals('GET', '/pings/'),
  },
  getPingBody: {
    200: [
      own('GET', async (world) => {
        const check = await given(world);
        await world.app.givenPing(check, { body: Buffer.from('Hello\u0001\u0099') });
        return `/api/v3/checks/${check.uuid}/pings/1/body`;
      }),
    ],
    403: [own('GET', foreignCheck('/pings/1/body'))],
    404: [own('GET', noCheck('/pings/1/body')), own('GET', aCheck('/pings/1/body'))],
  },
  listRuns: {
    200: [
      own('GET', async (world) => {
        const check = await given(world, { runRules: '{"exit_map":"24=warn"}' });
        const body = Buffer.from('done');
        const pings = [
          { signal: 'start' },
          { signal: 'fail', exitStatus: 24, body },
          { signal: 'fail' },
        ] as const;
        for (const ping of pings) await ingestPings(world.app.deps, [incomingPing(check, ping)]);
        await world.app.deps.store.transaction((tx) =>
          tx.pings.prune(check.id, 2, 10, Number.MAX_SAFE_INTEGER),
        );
        return `/api/v3/checks/${check.uuid}/runs/?limit=2`;
      }),
      own('GET', async (world) => {
        const lastPingAt = world.app.clock.now() - seconds(7_200);
        const silent = { status: 'down', timeoutSeconds: 60, graceSeconds: 60, lastPingAt } as const;
        const check = await given(world, silent);
        return `/api/v3/checks/${check.uuid}/runs/?result=missed`;
      }),
      async (world) => {
        const check = await given(world);
        await world.app.receive(check, 'success');
        const path = `/api/v3/checks/${check.uniqueKey}/runs/`;
        return call(world.app, 'GET', path, { key: world.project.readOnlyKey });
      },
    ],
    400: [own('GET', aCheck('/runs/?limit=0')), own('GET', aCheck('/runs/?cursor=x'))],
    ...refusals('GET', '/runs/'),
  },
  askWhy: {
    200: [
      own('GET', async (world) => {
        const check = await given(world, { status: 'up' });
        await world.app.assign(check, await world.app.givenChannel(world.project.project));
        return `/api/v3/checks/${check.uuid}/why?if=down_fail`;
      }),
      own('GET', async (world) => {
        const check = await given(world, { status: 'up' });
        await world.app.assign(check, await world.app.givenChannel(world.project.project));
        await world.app.givenChannel(world.project.project);
        await world.app.receive(check, 'fail');
        return `/api/v3/checks/${check.uuid}/why`;
      }),
    ],
    400: [own('GET', aCheck('/why?if=x')), own('GET', aCheck('/why?if=up&at=1'))],
    ...refusals('GET', '/why'),
  },
  listFlips: {
    200: [
      own('GET', async (world) => {
        const check = await given(world);
        await world.app.receive(check, 'success');
        await world.app.receive(check, 'fail');
        return `/api/v3/checks/${check.uuid}/flips/?seconds=3600`;
      }),
      async (world) => {
        const { uniqueKey } = await given(world);
        const path = `/api/v3/checks/${uniqueKey}/flips/`;
        return call(world.app, 'GET', path, { key: world.project.readOnlyKey });
      },
    ],
    400: [own('GET', aCheck('/flips/?start=soon'))],
    ...refusals('GET', '/flips/'),
  },
  listDeliveries: {
    200: [
      own('GET', async (world) => {
        const check = await given(world, { status: 'up' });
        await world.app.assign(check, await world.app.givenChannel(world.project.project));
        await world.app.receive(check, 'fail');
        await deliverAll(world.app);
        await world.app.receive(check, 'success');
        return `/api/v3/checks/${check.uuid}/deliveries/`;
      }),
    ],
    ...refusals('GET', '/deliveries/'),
  },
  listQuietTimes: {
    200: [
      own('GET', async (world) => {
        await aQuietTime('')(world);
        return QUIET_TIMES;
      }),
    ],
  },
  announceQuietTime: {
    200: [
      async (world) => {
        await aQuietTime('')(world);
        return own('POST', () => QUIET_TIMES, { name: 'deploy', tags: 'silent', duration: 90 })(world);
      },
    ],
    201: [own('POST', () => QUIET_TIMES, { reason: 'deploy 412', tags: 'silent', duration: 1800 })],
    400: [...badBodies('POST', () => QUIET_TIMES), own('POST', () => QUIET_TIMES, {})],
    403: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        await world.app.deps.store.transaction(async (tx) => {
          for (let n = 0; n < MAX_QUIET_TIMES; n++) await tx.quietTimes.insert(quietTimeRecord(project.id));
        });
        return call(world.app, 'POST', QUIET_TIMES, { key, body: { name: 'more', duration: 60 } });
      },
    ],
  },
  getQuietTime: { 200: [own('GET', aQuietTime(''))], 404: [own('GET', () => NO_QUIET_TIME)] },
  editQuietTime: {
    200: [own('POST', aQuietTime(''), { name: 'longer', tags: 'silent', duration: 120 })],
    400: [...badBodies('POST', aQuietTime('')), own('POST', aQuietTime(''), {})],
    404: [own('POST', () => NO_QUIET_TIME, { duration: 60 })],
  },
  deleteQuietTime: { 200: [own('DELETE', aQuietTime(''))], 404: [own('DELETE', () => NO_QUIET_TIME)] },
  stopQuietTime: {
    200: [own('POST', aQuietTime('/stop'))],
    400: badBodies('POST', aQuietTime('/stop')),
    404: [own('POST', () => `${NO_QUIET_TIME}/stop`)],
  },
  listChannels: {
    200: [
      own('GET', async ({ app, project }) => {
        await app.givenChannel(project.project);
        return '/api/v3/channels/';
      }),
      own('GET', () => '/api/v3/channels/?details=1'),
    ],
  },
  listChannelKinds: { 200: [own('GET', () => '/api/v3/channels/kinds/')] },
  createChannel: {
    201: [
      own('POST', () => '/api/v3/channels/', NEW_CHANNEL),
      own('POST', () => '/api/v3/channels/', { ...NEW_CHANNEL, name: 'X', events: ['up'], checks: '*' }),
    ],
    400: [
      ...badBodies('POST', () => '/api/v3/channels/'),
      own('POST', () => '/api/v3/channels/', { kind: 'email' }),
      own('POST', () => '/api/v3/channels/', { kind: 'email', settings: { email: 'nobody' } }),
      own('POST', () => '/api/v3/channels/', { ...NEW_CHANNEL, events: [] }),
      own('POST', () => '/api/v3/channels/', { ...NEW_CHANNEL, checks: [NO_SUCH_UUID] }),
      own('POST', () => '/api/v3/channels/', {
        kind: 'slack',
        settings: { url: 'https://a.example/••••••••' },
      }),
    ],
    403: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        await world.app.deps.store.transaction(async (tx) => {
          for (let n = 0; n < MAX_PROJECT_CHANNELS; n++) await tx.channels.insert(channelRecord(project.id));
        });
        return call(world.app, 'POST', '/api/v3/channels/', { key, body: NEW_CHANNEL });
      },
    ],
    409: [own('POST', () => '/api/v3/channels/', { kind: 'po', settings: { user_key: 'abc' } })],
  },
  getChannel: { 200: [own('GET', aChannel({}, ''))], ...channelRefusals('GET') },
  updateChannel: {
    200: [
      own('POST', aChannel({}, ''), { name: 'Second line' }),
      own('POST', aChannel({}, ''), { settings: { email: 'bob@example.org' }, events: ['up'], checks: '' }),
    ],
    400: [
      ...badBodies('POST', aChannel({}, '')),
      own('POST', aChannel({}, ''), { settings: { colour: 'red' } }),
      own('POST', aChannel({}, ''), { name: 7 }),
    ],
    ...channelRefusals('POST'),
  },
  deleteChannel: { 200: [own('DELETE', aChannel({}, ''))], ...channelRefusals('DELETE') },
  listPolicies: {
    200: [
      own('GET', async (world) => {
        await aPolicy(world);
        return '/api/v3/policies/';
      }),
    ],
  },
  createPolicy: {
    201: [own('POST', () => '/api/v3/policies/', { name: 'night', wait: 900, again: 3600, again_most: 3 })],
    400: [
      ...badBodies('POST', () => '/api/v3/policies/'),
      own('POST', () => '/api/v3/policies/', { name: 'a', again: 1 }),
      own('POST', () => '/api/v3/policies/', { name: 'a', agian: 1 }),
    ],
    403: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        await world.app.deps.store.transaction(async (tx) => {
          for (let n = 0; n < MAX_POLICIES; n++)
            await tx.policies.insert(policyRecord(project.id, { name: `${n}` }));
        });
        return call(world.app, 'POST', '/api/v3/policies/', { key, body: { name: 'a' } });
      },
    ],
    409: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        await world.app.deps.store.transaction((tx) => tx.policies.insert(policyRecord(project.id)));
        return call(world.app, 'POST', '/api/v3/policies/', { key, body: { name: 'patient' } });
      },
    ],
  },
  getPolicy: { 200: [own('GET', aPolicy)], 404: [own('GET', () => `/api/v3/policies/${NO_SUCH_UUID}`)] },
  updatePolicy: {
    200: [own('POST', aPolicy, { again: 600, wait: null })],
    400: [...badBodies('POST', aPolicy), own('POST', aPolicy, { again: 1 })],
    404: [own('POST', () => `/api/v3/policies/${NO_SUCH_UUID}`, {})],
    409: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        const { uuid } = await world.app.deps.store.transaction(async (tx) => {
          await tx.policies.insert(policyRecord(project.id, { name: 'first' }));
          return tx.policies.insert(policyRecord(project.id));
        });
        return call(world.app, 'POST', `/api/v3/policies/${uuid}`, { key, body: { name: 'first' } });
      },
    ],
  },
  deletePolicy: {
    200: [own('DELETE', aPolicy)],
    404: [own('DELETE', () => `/api/v3/policies/${NO_SUCH_UUID}`)],
    409: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        const { uuid } = await world.app.deps.store.transaction((tx) =>
          tx.policies.insert(policyRecord(project.id, { isDefault: true })),
        );
        return call(world.app, 'DELETE', `/api/v3/policies/${uuid}`, { key });
      },
    ],
  },
  listCalendars: {
    200: [
      own('GET', async (world) => {
        await aCalendar(world);
        return '/api/v3/calendars/';
      }),
    ],
  },
  createCalendar: {
    201: [own('POST', () => '/api/v3/calendars/', NEW_CALENDAR)],
    400: [
      ...badBodies('POST', () => '/api/v3/calendars/'),
      own('POST', () => '/api/v3/calendars/', { ...NEW_CALENDAR, duration: 1 }),
      own('POST', () => '/api/v3/calendars/', { ...NEW_CALENDAR, except: ['Sunday'] }),
    ],
    403: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        await world.app.deps.store.transaction(async (tx) => {
          for (let n = 0; n < MAX_CALENDARS; n++)
            await tx.calendars.insert(calendarRecord(project.id, { name: `${n}` }));
        });
        return call(world.app, 'POST', '/api/v3/calendars/', { key, body: NEW_CALENDAR });
      },
    ],
    409: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        await world.app.deps.store.transaction((tx) =>
          tx.calendars.insert(calendarRecord(project.id, { name: 'night' })),
        );
        return call(world.app, 'POST', '/api/v3/calendars/', { key, body: NEW_CALENDAR });
      },
    ],
  },
  getCalendar: {
    200: [own('GET', aCalendar)],
    404: [own('GET', () => `/api/v3/calendars/${NO_SUCH_UUID}`)],
  },
  updateCalendar: {
    200: [own('POST', aCalendar, { duration: 3600, except: [] })],
    400: [...badBodies('POST', aCalendar), own('POST', aCalendar, { duration: 1 })],
    404: [own('POST', () => `/api/v3/calendars/${NO_SUCH_UUID}`, {})],
    409: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        const { uuid } = await world.app.deps.store.transaction(async (tx) => {
          await tx.calendars.insert(calendarRecord(project.id, { name: 'first' }));
          return tx.calendars.insert(calendarRecord(project.id));
        });
        return call(world.app, 'POST', `/api/v3/calendars/${uuid}`, { key, body: { name: 'first' } });
      },
    ],
  },
  deleteCalendar: {
    200: [own('DELETE', aCalendar)],
    404: [own('DELETE', () => `/api/v3/calendars/${NO_SUCH_UUID}`)],
    409: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        const { uuid } = await world.app.deps.store.transaction(async (tx) => {
          const calendar = await tx.calendars.insert(calendarRecord(project.id));
          await tx.policies.insert(
            policyRecord(project.id, { rules: JSON.stringify({ hours: calendar.uuid }) }),
          );
          return calendar;
        });
        return call(world.app, 'DELETE', `/api/v3/calendars/${uuid}`, { key });
      },
    ],
  },
  getAlerting: { 200: [own('GET', () => '/api/v3/alerting/')] },
  setAlerting: {
    200: [
      async (world) => {
        const { key } = await world.app.givenProject();
        const body = { policy: 'patient', tags: [{ tag: 'db', policy: 'keep-reminding' }] };
        return call(world.app, 'POST', '/api/v3/alerting/', { key, body });
      },
    ],
    400: [
      ...badBodies('POST', () => '/api/v3/alerting/'),
      own('POST', () => '/api/v3/alerting/', { policy: 'nihgt' }),
    ],
    403: [
      async (world) => {
        const { project, key } = await world.app.givenProject();
        await world.app.deps.store.transaction(async (tx) => {
          for (let n = 0; n < MAX_POLICIES; n++)
            await tx.policies.insert(policyRecord(project.id, { name: `${n}` }));
        });
        return call(world.app, 'POST', '/api/v3/alerting/', { key, body: { policy: 'patient' } });
      },
    ],
  },
  previewChannel: {
    200: [
      own('POST', aChannel({}, 'preview')),
      own('POST', aChannel({}, 'preview'), { event: 'up' }),
      async (world) => {
        const check = await given(world);
        return own('POST', aChannel({}, 'preview'), { event: 'down_fail', check: check.uuid })(world);
      },
    ],
    400: [
      ...badBodies('POST', aChannel({}, 'preview')),
      own('POST', aChannel({}, 'preview'), { event: 'sideways' }),
      own('POST', aChannel({}, 'preview'), { check: 'nobody' }),
    ],
    403: [
      ...channelRefusals('POST', 'preview')[403],
      async (world) => {
        const { uuid } = await world.app.givenCheck(world.other.project);
        return own('POST', aChannel({}, 'preview'), { check: uuid })(world);
      },
    ],
    404: [
      ...channelRefusals('POST', 'preview')[404],
      own('POST', aChannel({}, 'preview'), { check: NO_SUCH_UUID }),
    ],
  },
  testChannel: {
    200: [own('POST', aChannel()), own('POST', aChannel({ name: BROKEN }), {})],
    400: badBodies('POST', aChannel()),
    403: [
      own('POST', async ({ app, other }) => {
        const { uuid } = await app.givenChannel(other.project);
        return `/api/v3/channels/${uuid}/test`;
      }),
    ],
    404: [own('POST', () => `/api/v3/channels/${NO_SUCH_UUID}/test`)],
  },
  getProject: {
    200: [own('GET', () => '/api/v3/project/')],
  },
  enableChannel: switchAttempts('enable'),
  disableChannel: switchAttempts('disable'),
  askForConfirmation: {
    ...actAttempts('confirmation'),
    200: [own('POST', aChannel(UNCONFIRMED, 'confirmation'), {}), own('POST', aChannel({}, 'confirmation'))],
    424: [own('POST', aChannel({ ...UNCONFIRMED, name: BROKEN }, 'confirmation'))],
  },
  confirmChannel: {
    ...actAttempts('confirm', CODE),
    400: [...badBodies('POST', aChannel({}, 'confirm')), own('POST', aChannel(UNCONFIRMED, 'confirm'), CODE)],
  },
  listBadges: {
    200: [
      own('GET', async (world) => {
        await given(world, { tags: 'db@dc1 __proto__' });
        return '/api/v3/badges/';
      }),
    ],
  },
  listProjects: { 200: [byToken('GET', () => '/api/v3/projects/')] },
  getAccountProject: { 200: [byToken('GET', inProject())] },
  createProject: {
    201: [byToken('POST', () => '/api/v3/projects/', { name: 'Backups' })],
    400: [byToken('POST', () => '/api/v3/projects/', { name: ' ' })],
  },
  renameProject: {
    200: [byToken('POST', inProject(), { name: 'Renamed' })],
    400: [byToken('POST', inProject(), {}), byToken('POST', inProject(), '{')],
  },
  deleteProject: { 200: [byToken('DELETE', newProject())] },
  restoreProject: {
    200: [
      byToken('POST', async (world) => {
        const path = await newProject()(world);
        await call(world.app, 'DELETE', path, { key: world.token });
        return `${path}/restore`;
      }),
    ],
    400: [byToken('POST', inProject('/restore'), '[]')],
    404: [byToken('POST', inProject('/restore'))],
  },
  listMembers: {
    200: [
      byToken('GET', async (world) => {
        await aMember()(world);
        return inProject('/members/')(world);
      }),
    ],
  },
  changeRole: {
    200: [
      byToken('POST', aMember(), { role: 'manager' }),
      byToken('POST', aMember(), { role: 'read_only', revoke: true }),
    ],
    400: [byToken('POST', aMember(), { role: 'owner' }), byToken('POST', theOwner, { role: 'member' })],
    404: [byToken('POST', inProject(`/members/${NO_SUCH_UUID}`), { role: 'member' })],
  },
  removeMember: {
    200: [byToken('DELETE', aMember()), byToken('DELETE', aMember('?revoke=true'))],
    400: [byToken('DELETE', theOwner), byToken('DELETE', aMember('?revoke=yes'))],
    404: [byToken('DELETE', inProject(`/members/${NO_SUCH_UUID}`))],
  },
  listInvitations: {
    200: [
      byToken('GET', async (world) => {
        await anInvitation()(world);
        return inProject('/invitations/')(world);
      }),
    ],
  },
  inviteMember: {
    201: [
      byToken('POST', inProject('/invitations/')),
      byToken('POST', inProject('/invitations/'), { email: 'new@example.org', role: 'read_only' }),
    ],
    400: [
      byToken('POST', inProject('/invitations/'), { role: 'owner' }),
      byToken('POST', inProject('/invitations/'), { email: 'nobody' }),
    ],
    409: [
      async (world) => {
        const owner = await world.app.deps.store.accounts.byId(world.project.ownerId);
        return byToken('POST', inProject('/invitations/'), { email: owner?.email })(world);
      },
    ],
  },
  renewInvitation: {
    200: [byToken('POST', anInvitation('/renew'))],
    400: [byToken('POST', anInvitation('/renew'), '{')],
    404: [byToken('POST', inProject(`/invitations/${NO_SUCH_UUID}/renew`))],
  },
  revokeInvitation: {
    204: [byToken('DELETE', anInvitation())],
    404: [byToken('DELETE', inProject(`/invitations/${NO_SUCH_UUID}`))],
  },
  listKeys: {
    200: [
      byToken('GET', async (world) => {
        await aKey()(world);
        return inProject('/keys/')(world);
      }),
    ],
  },
  createKey: {
    201: [
      byToken('POST', inProject('/keys/'), { name: 'CI', kind: 'read_write' }),
      byToken('POST', inProject('/keys/'), { name: 'CI', kind: 'read_only', expires: '2030-01-01T00:00Z' }),
    ],
    400: [
      byToken('POST', inProject('/keys/'), '{'),
      byToken('POST', inProject('/keys/'), {}),
      byToken('POST', inProject('/keys/'), { name: 'CI', kind: 'read_only', expires: '2020-01-01T00:00Z' }),
    ],
    403: [withAllKeys((uuid) => `/api/v3/projects/${uuid}/keys/`, { name: 'CI', kind: 'read_only' })],
  },
  rotateKey: {
    201: [byToken('POST', aKey('/rotate')), byToken('POST', aKey('/rotate'), { overlap_hours: 0 })],
    400: [byToken('POST', aKey('/rotate'), { overlap_hours: 1_000 })],
    403: [withAllKeys((uuid, key) => `/api/v3/projects/${uuid}/keys/${key}/rotate`, {})],
    404: [byToken('POST', inProject(`/keys/${NO_SUCH_UUID}/rotate`))],
  },
  revokeKey: {
    204: [byToken('DELETE', aKey())],
    404: [byToken('DELETE', inProject(`/keys/${NO_SUCH_UUID}`))],
  },
  getPingKey: { 200: [byToken('GET', inProject('/ping_key'))] },
  replacePingKey: {
    201: [byToken('POST', inProject('/ping_key')), byToken('POST', inProject('/ping_key'), {})],
    400: [byToken('POST', inProject('/ping_key'), '[]')],
  },
  revokePingKey: {
    204: [
      byToken('DELETE', async (world) => {
        await call(world.app, 'POST', inProject('/ping_key')(world), { key: world.token });
        return inProject('/ping_key')(world);
      }),
    ],
    404: [byToken('DELETE', inProject('/ping_key'))],
  },
  getStatus: {
    200: [open(() => '/api/v3/status/')],
    500: [withoutDatabase('GET', () => '/api/v3/status/')],
  },
  getReadiness: {
    200: [open(() => '/api/v3/ready/')],
    503: [withoutDatabase('GET', () => '/api/v3/ready/')],
  },
  getAcceptance: {
    200: [open(() => '/api/v3/accepts/')],
    503: [withoutDatabase('GET', () => '/api/v3/accepts/')],
  },
  getLiveness: { 200: [open(() => '/api/v3/live/'), withoutDatabase('GET', () => '/api/v3/live/')] },
  scrapeInstance: {
    200: [
      open(() => '/metrics', { 'x-metrics-key': METRICS_KEY }),
      open(() => '/metrics', { authorization: `Bearer ${METRICS_KEY}` }),
    ],
    403: [open(() => '/metrics')],
  },
  getMetrics: {
    200: [open(() => '/api/v3/metrics/', { 'x-metrics-key': METRICS_KEY })],
    403: [open(() => '/api/v3/metrics/')],
    503: [withoutDatabase('GET', () => '/api/v3/metrics/', { headers: { 'x-metrics-key': METRICS_KEY } })],
  },
  reportDelivery: {
    200: [
      ({ app }) =>
        call(app, 'POST', `/api/v3/notifications/${NO_SUCH_UUID}/status`, { body: 'error=Mailbox+is+full' }),
    ],
    404: [({ app }) => call(app, 'POST', '/api/v3/notifications/nonsense/status')],
    503: [
      withoutDatabase(
        'POST',
        ({ app }) => `/api/v3/notifications/${callbackId(app.deps, { id: 1 })}/status`,
        { body: 'error=Mailbox+is+full' },
      ),
    ],
  },
  reportBounce: {
    200: [
      ({ app }) => call(app, 'POST', '/api/v3/bounces/', { body: bounceOf(app) }),
      ({ app }) => call(app, 'POST', '/api/v3/bounces/', { body: 'To: nobody@example.org\r\n\r\n' }),
    ],
    503: [
      async (world) =>
        withoutDatabase('POST', () => '/api/v3/bounces/', { body: bounceOf(world.app) })(world),
    ],
  },
  getOpenApi: {
    200: [open(() => DOCUMENT)],
    304: [unchanged(() => DOCUMENT)],
  },
  getTagBadge: badgeAttempts(
    ['svg', 'json3', 'shields'],
    (variant) => listedBadge('a/b', variant),
    '/badge/nobody/12345678/prod.svg',
  ),
  getProjectBadge: badgeAttempts(
    ['svg3', 'json', 'shields3'],
    (variant) => listedBadge('*', variant),
    '/badge/nobody/12345678.svg',
  ),
  getCheckBadge: badgeAttempts(['svg', 'json', 'shields'], checkBadge, `/b/2/${NO_SUCH_UUID}.svg`),
  scrapeProject: {
    200: [bearer(({ project }) => project.readOnlyKey)],
    400: [bearer(() => 'short')],
    401: [open(metricsPath('/metrics/'))],
    403: [bearer(({ project }) => project.key)],
    404: [open(() => '/projects/nonsense/metrics/')],
    503: [
      (world) =>
        withoutDatabase('GET', metricsPath('/metrics/'), {
          headers: { authorization: `Bearer ${world.project.readOnlyKey}` },
        })(world),
    ],
  },
  scrapeProjectByUrl: keyedScrapes(''),
  scrapeChecksByUrl: keyedScrapes('/checks'),
};

const WITH_API_KEY = [
  'listChecks',
  'createCheck',
  'getCheck',
  'updateCheck',
  'deleteCheck',
  'pauseCheck',
  'resumeCheck',
  'acknowledgeCheck',
  'unacknowledgeCheck',
  'snoozeCheck',
  'unsnoozeCheck',
  'listPings',
  'getPingBody',
  'listRuns',
  'askWhy',
  'listFlips',
  'listDeliveries',
  'listQuietTimes',
  'announceQuietTime',
  'getQuietTime',
  'editQuietTime',
  'deleteQuietTime',
  'stopQuietTime',
  'listChannels',
  'listChannelKinds',
  'createChannel',
  'getChannel',
  'updateChannel',
  'deleteChannel',
  'listPolicies',
  'createPolicy',
  'getPolicy',
  'updatePolicy',
  'deletePolicy',
  'listCalendars',
  'createCalendar',
  'getCalendar',
  'updateCalendar',
  'deleteCalendar',
  'getAlerting',
  'setAlerting',
  'previewChannel',
  'testChannel',
  'getProject',
  'enableChannel',
  'disableChannel',
  'askForConfirmation',
  'confirmChannel',
  'listBadges',
];

const WITH_TOKEN = [
  'listProjects',
  'createProject',
  'getAccountProject',
  'renameProject',
  'deleteProject',
  'restoreProject',
  'listMembers',
  'changeRole',
  'removeMember',
  'listInvitations',
  'inviteMember',
  'renewInvitation',
  'revokeInvitation',
  'listKeys',
  'createKey',
  'rotateKey',
  'revokeKey',
  'getPingKey',
  'replacePingKey',
  'revokePingKey',
];

/** A call of the operation, whatever it is about. */
const anyCall =
  (id: string, send: (world: World, method: string, path: string) => Promise<Call>): Attempt =>
  (world) => {
    const { method, path } = located(world.document, id);
    const address = path
      .replace('{project_uuid}', world.project.project.uuid)
      .replace('{n}', '1')
      .replace(/{\w+}/, NO_SUCH_UUID);
    return send(world, method, address);
  };

/** Answers of every operation with a token of an account before its own. */
for (const id of WITH_TOKEN) {
  const attempt = (send: (world: World, method: string, path: string) => Promise<Call>) => anyCall(id, send);
  const own = ATTEMPTS[id] ?? {};
  const isInProject = id !== 'listProjects' && id !== 'createProject';
  ATTEMPTS[id] = {
    ...own,
    401: [
      attempt(({ app }, method, path) => call(app, method, path)),
      attempt(({ app, project }, method, path) => call(app, method, path, { key: project.key })),
      attempt(({ app }, method, path) => call(app, method, path, { key: `hct_${'x'.repeat(28)}` })),
    ],
    403: [
      ...(own[403] ?? []),
      attempt(({ app, powerlessToken }, method, path) => call(app, method, path, { key: powerlessToken })),
    ],
    ...(isInProject && {
      404: [
        ...(own[404] ?? []),
        attempt(({ app, token, project, other }, method, path) =>
          call(app, method, path.replace(project.project.uuid, other.project.uuid), { key: token }),
        ),
      ],
    }),
    429: [
      attempt(({ limited, exhaustedToken }, method, path) =>
        call(limited, method, path, { key: exhaustedToken }),
      ),
    ],
    503: [
      attempt((world, method, path) =>
        withoutDatabase(method, () => path, { headers: { 'x-api-key': world.token } })(world),
      ),
    ],
  };
}

/** Answers of every operation with an API key before its own. */
for (const id of WITH_API_KEY) {
  const attempt = (send: (world: World, method: string, path: string) => Promise<Call>) => anyCall(id, send);
  const own = ATTEMPTS[id] ?? {};
  const sendToken = (token: (world: World) => string, project: (world: World) => string) =>
    attempt((world, method, path) =>
      call(world.app, method, path, { key: token(world), headers: { 'x-project': project(world) } }),
    );
  ATTEMPTS[id] = {
    ...own,
    400: [
      ...(own[400] ?? []),
      attempt(({ app, token }, method, path) => call(app, method, path, { key: token })),
    ],
    403: [
      ...(own[403] ?? []),
      sendToken(
        ({ powerlessToken }) => powerlessToken,
        ({ project: { project } }) => project.uuid,
      ),
    ],
    404: [
      ...(own[404] ?? []),
      sendToken(
        ({ token }) => token,
        ({ other: { project } }) => project.uuid,
      ),
    ],
    401: [
      attempt(({ app }, method, path) => call(app, method, path)),
      attempt(({ app }, method, path) => call(app, method, path, { key: 'x'.repeat(32) })),
    ],
    429: [
      attempt(({ limited, exhaustedKey }, method, path) =>
        call(limited, method, path, { key: exhaustedKey }),
      ),
    ],
    503: [attempt((world, method, path) => withoutDatabase(method, () => path)(world))],
  };
}

/** A ping by the method of the operation, with a body where it takes one. */
const aPing =
  (isPost: boolean, path: (world: World) => Promise<string>): Attempt =>
  async (world) => {
    const address = await path(world);
    const reply = await world.app.ping(address, isPost ? { body: 'done' } : {});
    return { method: isPost ? 'POST' : 'GET', path: `/ping${address}`, reply };
  };

const aRefusedPing =
  (isPost: boolean, path: (world: World) => Promise<string>): Attempt =>
  async (world) => {
    const [address, method] = [`/ping${await path(world)}`, isPost ? 'POST' : 'GET'];
    const response = await fetch(`http://127.0.0.1:${world.brokenPort}${address}`, { method });
    const [{ status }, text] = [response, await response.text()];
    const headers = Object.fromEntries(response.headers);
    return { method, path: address, reply: { status, headers, text, bytes: Buffer.from(text), json: null } };
  };

let slugs = 0;

/** An address by slug, of so many checks. */
const bySlug =
  (rest: string, checks = 1) =>
  async (world: World) => {
    const slug = `slug-${++slugs}`;
    for (let n = 0; n < checks; n++) await world.app.givenCheck(world.pinged.project, { slug });
    return `/${world.pingKey}/${slug}${rest}`;
  };

const byUuid =
  (rest: string) =>
  async (world: World): Promise<string> =>
    `/${(await given(world)).uuid}${rest}`;

const pingAttempts = (isPost: boolean, rest: string): Record<number, Attempt[]> => ({
  200: [aPing(isPost, byUuid(rest)), aPing(isPost, byUuid(`${rest}?rid=${NO_SUCH_UUID}`))],
  400: [aPing(isPost, byUuid(`${rest}?rid=nonsense`))],
  404: [aPing(isPost, async () => `/${NO_SUCH_UUID}${rest}`)],
  503: [aRefusedPing(isPost, byUuid(rest))],
});

const slugPingAttempts = (isPost: boolean, rest: string): Record<number, Attempt[]> => ({
  200: [aPing(isPost, bySlug(rest)), ...(rest === '' ? [aPing(isPost, byUuid('/1'))] : [])],
  201: [aPing(isPost, bySlug(`${rest}?create=1`, 0))],
  400: [aPing(isPost, async ({ pingKey }) => `/${pingKey}/A${rest}`)],
  404: [aPing(isPost, bySlug(rest, 0)), aPing(isPost, async () => `/nobody/nothing${rest}`)],
  409: [aPing(isPost, bySlug(rest, 2))],
  503: [aRefusedPing(isPost, bySlug(rest))],
});

for (const [suffix, isPost] of [
  ['', false],
  ['WithBody', true],
] as const) {
  for (const signal of ['', 'start', 'progress', 'fail', 'log']) {
    const [name, rest] = [`${signal.charAt(0).toUpperCase()}${signal.slice(1)}`, signal && `/${signal}`];
    ATTEMPTS[`ping${name}${suffix}`] = pingAttempts(isPost, rest);
    if (signal !== '') ATTEMPTS[`ping${name}BySlug${suffix}`] = slugPingAttempts(isPost, rest);
  }
  ATTEMPTS[`pingBySlugOrExitStatus${suffix}`] = slugPingAttempts(isPost, '');
  ATTEMPTS[`pingExitStatusBySlug${suffix}`] = slugPingAttempts(isPost, '/0');
}

/** Operations that answer anybody before they look for a key, and those that look for a key of another sort. */
const LIMITED_BY_ADDRESS = Object.keys(ATTEMPTS).filter(
  (id) =>
    ![...WITH_API_KEY, ...WITH_TOKEN, 'getStatus', 'getReadiness', 'getAcceptance', 'getLiveness'].includes(
      id,
    ) && !/^ping(?![a-z])/.test(id),
);

for (const id of LIMITED_BY_ADDRESS) {
  ATTEMPTS[id] = {
    ...ATTEMPTS[id],
    429: [
      ({ crowded, document }) => {
        const { method, path } = located(document, id);
        const address = path
          .replace(/{(?:project|callback)}/, NO_SUCH_UUID)
          .replace('/b/{states}/{badge_key}', `/b/2/${NO_SUCH_UUID}`)
          .replace('{format}', 'svg')
          .replaceAll(/{\w+}/g, 'any');
        return call(crowded, method, address, { headers: STRANGER });
      },
    ],
  };
}

function located(document: OpenApi, id: string): Located {
  const found = operationsOf(document).find(({ operation }) => operation.operationId === id);
  if (found === undefined) throw new Error(`${id} is not in the document`);
  return found;
}

const storageAway = () =>
  new AppError('storage_unavailable', 'the database cannot be reached', { retryAfterSeconds: 1 });

/** Every use of the store fails as it does while the database restarts. */
function unavailableStore(): Store {
  const fail = () => {
    throw storageAway();
  };
  const anything: unknown = new Proxy(fail, { get: () => anything });
  return anything as Store;
}

async function createWorld(
  parts: AsyncDisposableStack,
  app: TestApp,
  limited: TestApp,
  crowded: TestApp,
): Promise<World> {
  await crowded.request('GET', DOCUMENT, { headers: STRANGER });
  const { key: exhaustedKey } = await limited.givenProject();
  for (let i = 0; i < 2; i++) await limited.request('GET', '/api/v3/badges/', { key: exhaustedKey });
  const { ownerId: exhausted } = await limited.givenProject();
  const { secret: exhaustedToken } = await givenToken(limited, exhausted);
  for (let i = 0; i < 2; i++) await limited.request('GET', '/api/v3/projects/', { key: exhaustedToken });
  const withoutStore = { ...app.deps, store: unavailableStore() };
  const refusing = parts.use(
    new PingWriter(async () => {
      throw storageAway();
    }, PING_WRITER_DEFAULTS),
  );
  const broken = createHttpServer(withoutStore, refusing, {
    ...app.node.http,
    reads: new LocalReads(
      { ...withoutStore, site: SITE, messageLimits: MESSAGE_LIMITS, isOnlyNode: false },
      app.clock,
    ),
    vitals: vitalsOf(withoutStore, refusing),
  });
  parts.defer(() => broken.close());
  const document = (await app.request('GET', DOCUMENT)).json as OpenApi;
  const limits = { checks: 1000, pings: 100 };
  const project = await app.givenProject({ limits });
  const pinged = await app.givenProject({ limits });
  return {
    app,
    limited,
    exhaustedKey,
    crowded,
    broken,
    brokenPort: await listen(broken),
    project,
    token: (await givenToken(app, project.ownerId)).secret,
    powerlessToken: (await givenToken(app, project.ownerId, { scopes: [] })).secret,
    exhaustedToken,
    other: await app.givenProject({ limits }),
    pinged,
    pingKey: await givenPingKey(app, pinged.project),
    document,
    judge: new Judge(document),
  };
}

forOneEngine((engine) => {
  const parts = new AsyncDisposableStack();
  const answers = new Transcript();
  let ready: World | undefined;
  const world = () => {
    if (ready === undefined) throw new Error('the world is there only while tests run');
    return ready;
  };

  before(async () => {
    const sendTest: SendTest = async ({ name }) =>
      name === BROKEN ? tryAgain('Received status code 500') : { kind: 'delivered' };
    const sendCode: SendCode = async ({ name }) =>
      name === BROKEN ? tryAgain('Received status code 500') : DELIVERED;
    const app = parts.use(
      await startTestApp(engine, { metricsKey: METRICS_KEY }, { sendTest, sendCode, offer: OFFER }),
    );
    const limited = parts.use(await startTestApp(engine, { rateLimitPerMinute: 1, rateBurst: 2 }));
    const crowded = parts.use(await startTestApp(engine, {}, { publicRateLimitPerMinute: 1 }));
    ready = await createWorld(parts, app, limited, crowded);
  });
  after(() => parts.disposeAsync());

  test('the document is valid OpenAPI 3.1', async () => {
    const validator = new Validator();

    const result = await validator.validate({ ...world().document });

    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.equal(validator.version, '3.1');
  });

  test('the document names the public address of the instance and may be read by any page', async () => {
    const { headers } = await world().app.request('GET', DOCUMENT, {
      headers: { origin: 'https://else.where' },
    });

    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['content-type'], 'application/json');
    assert.deepEqual(world().document.servers, [{ url: SITE.root }]);
  });

  test('every operation has a name of its own, a summary and a description', () => {
    const operations = operationsOf(world().document).map(({ operation }) => operation);

    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    for (const { operationId, summary, description } of operations) {
      assert.ok(summary !== '' && description !== '', operationId);
    }
  });

  test('every route of the API is documented, and everything documented is a route or a ping', () => {
    const { deps, node } = world().app;
    const paths = routesOf(deps, node.http, '').flatMap(addressesOf);
    const templates = new Set(paths.map(({ path }) => templateOf(path)));
    const isOfApi = (template: string) => /^\/(?:(?:api|badge|b|projects)\/|metrics$)/.test(template);

    // It answers only the command that made its path.
    const isPrivate = (template: string) => template.startsWith('/api/v3/doctor/');

    const mounted = [...templates].filter((path) => isOfApi(path) && !isPrivate(path)).map(shapeOf);
    const current = mounted.filter((path) => !/^\/api\/v[12]\//.test(path));
    const older = mounted.filter((path) => /^\/api\/v[12]\//.test(path));

    const documented = new Set(
      Object.keys(world().document.paths)
        .filter((path) => !path.startsWith('/ping/'))
        .map(shapeOf),
    );
    assert.deepEqual([...new Set(current)].sort(), [...documented].sort());
    const isOnlyInV3 = (path: string) => path === DOCUMENT || path.startsWith('/api/v3/projects/');
    const versioned = [...documented].filter((path) => path.startsWith('/api/v3/') && !isOnlyInV3(path));
    const expected = versioned.flatMap((path) => [1, 2].map((version) => path.replace('v3', `v${version}`)));
    assert.deepEqual([...new Set(older)].sort(), expected.sort());
  });

  test('no two paths differ in the names of their parameters alone', () => {
    const shapes = Object.keys(world().document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));

    assert.equal(new Set(shapes).size, shapes.length);
  });

  test('the document has nothing that generators of clients do not understand', () => {
    const faults: string[] = [];
    const look = (value: unknown, place: string) => {
      if (typeof value !== 'object' || value === null) return;
      // Models are made of either, and of two models none is chosen.
      if ('oneOf' in value && 'properties' in value) faults.push(`${place}: oneOf beside properties`);
      // Fields with a default are required, or always sent.
      if ('default' in value) faults.push(`${place}: a default`);
      for (const [name, inner] of Object.entries(value)) {
        if (name !== 'examples' && name !== 'example') look(inner, `${place}/${name}`);
      }
    };

    look(world().document.components.schemas, '');
    for (const { path, operation } of operationsOf(world().document)) {
      look(operation.requestBody, path);
      look(operation.parameters, path);
    }

    assert.deepEqual(faults, []);
  });

  test('every example is what its schema says', () => {
    const { document, judge } = world();
    for (const { operation } of operationsOf(document)) {
      const { operationId, parameters, requestBody, responses } = operation;
      for (const { name, schema, example } of parameters) {
        if (example !== undefined) judge.assertFits(schema, example, `${operationId} ${name}`);
      }
      const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
      for (const { schema, examples } of contents.flatMap((content) => Object.values(content ?? {}))) {
        for (const { value } of Object.values(examples)) judge.assertFits(schema, value, operationId);
      }
    }
  });

  test('what the schema of a new check refuses, the API refuses, and nothing else', async () => {
    const { app, project, document, judge } = world();
    const { schema } =
      located(document, 'createCheck').operation.requestBody?.content['application/json'] ?? {};
    assert.ok(schema !== undefined);
    const bodies: Record<string, unknown>[] = [
      {},
      { name: 'x'.repeat(100) },
      { name: 'x'.repeat(101) },
      { name: '😀'.repeat(100) },
      { name: null },
      { slug: 'a-b_9' },
      { slug: 'A' },
      { tags: 'x'.repeat(501) },
      { timeout: 59 },
      { timeout: 60, grace: 31_536_000 },
      { grace: 31_536_001 },
      { grace: '60' },
      { manual_resume: 1 },
      { filter_subject: true, filter_body: false },
      { methods: 'POST' },
      { methods: 'GET' },
      { start_kw: 'x'.repeat(201) },
      { unique: ['name', 'grace'] },
      { unique: ['status'] },
      { channels: '' },
      { channels: 5 },
      { schedule: 'x'.repeat(101) },
    ];
    for (const body of bodies) {
      const { status } = await app.request('POST', '/api/v3/checks/', { key: project.key, body });
      assert.equal(judge.faults(schema, body) === '', status !== 400, JSON.stringify(body).slice(0, 80));
    }
  });

  test('every documented operation and status is tried below, and nothing else', () => {
    const documented = operationsOf(world().document).flatMap(({ operation: { operationId, responses } }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
    const tried = Object.entries(ATTEMPTS).flatMap(([id, byStatus]) =>
      Object.entries(byStatus).flatMap(([status, attempts]) =>
        attempts.length > 0 ? [`${id} ${status}`] : [],
      ),
    );
    assert.deepEqual(tried.sort(), documented.sort());
  });

  for (const [id, byStatus] of Object.entries(ATTEMPTS)) {
    describe(id, () => {
      for (const [status, attempts] of Object.entries(byStatus)) {
        test(`answers ${status} as documented`, async () => {
          for (const attempt of attempts) {
            const made = await attempt(world());
            const { method, path, reply } = made;
            for (const one of await inAllVersions(made)) {
              const headers = Object.entries(one.reply.headers).map((header) => header.join(': '));
              answers.add(`${one.method} ${one.path}`, String(one.reply.status), headers, one.reply.text);
            }

            const { operation, ...place } = located(world().document, id);
            assert.equal(String(reply.status), status, reply.text);
            assert.equal(method, place.method);
            assert.match(path.split('?')[0] ?? '', patternOf(place.path));
            const response = operation.responses[status];
            assert.ok(response !== undefined);
            world().judge.assertReply(response, reply);
          }
        });
      }
    });
  }

  test('no answer changes unnoticed', (t) => {
    const golden = join(import.meta.dirname, 'openapi-answers.golden');
    t.assert.fileSnapshot(String(answers), golden, { serializers: [String] });
  });

  test('the document does not change unnoticed', (t) => {
    const { paths, components, ...rest } = world().document;
    const parts: [string, unknown][] = [
      ['document', rest],
      ...Object.entries(components.schemas),
      ...operationsOf({ ...rest, paths, components }).map(
        ({ method, path, operation }): [string, unknown] => [`${method} ${path}`, operation],
      ),
    ];
    const texts = parts.map(([name, part]) => `${name} ${sha256(JSON.stringify(part)).slice(0, 12)}`);

    // A digest, because the texts themselves are in the sources.
    t.assert.fileSnapshot(texts.join('\n'), join(import.meta.dirname, 'openapi-document.golden'), {
      serializers: [String],
    });
  });

  test('the reference page allows nothing but what it is served with', async () => {
    const { app } = world();
    const moved = await app.request('GET', '/docs/api');
    const page = await app.request('GET', '/docs/api/');
    const files = [...page.text.matchAll(/(?:src|href)="([\w-]+\.[\w-]+\.(?:js|css))"/g)].map(
      ([, name]) => name,
    );

    assert.equal(moved.status, 301);
    assert.equal(moved.headers.location, '/docs/api/');
    assert.match(
      page.headers['content-security-policy'] ?? '',
      /default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    assert.doesNotMatch(page.text, /<style|style=|<script(?! src)|\son\w+=|https?:/);
    assert.equal(files.length, 4);
    for (const name of files) {
      const file = await app.request('GET', `/docs/api/${name}`, { headers: { 'accept-encoding': 'gzip' } });
      assert.equal(file.status, 200);
      assert.equal(file.headers['content-encoding'], 'gzip');
      assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable');
    }
  });

  test('the document and the reference page are kept for minutes, and 304 tells that they are the same', async () => {
    const { app } = world();
    for (const path of [DOCUMENT, '/docs/api/']) {
      const { headers } = await app.request('GET', path);
      const again = await app.request('GET', path, { headers: { 'if-none-match': headers.etag ?? '' } });

      assert.equal(headers['cache-control'], 'public, max-age=300');
      assert.equal(again.status, 304);
      assert.equal(again.text, '');
      assert.equal(again.headers['cache-control'], 'public, max-age=300');
    }
  });

  test('the reference page has no other files and no other methods', async () => {
    const { app } = world();

    assert.equal((await app.request('GET', '/docs/api/swagger-ui.js')).status, 404);
    assert.equal((await app.request('POST', '/docs/api/')).status, 405);
    assert.equal((await app.request('HEAD', '/docs/api/')).status, 200);
  });
});

function patternOf(template: string): RegExp {
  const literal = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/\{\w+\}/g, '[^/]+')}$`);
}
