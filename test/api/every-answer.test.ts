import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PageFiles } from '../../src/http/pages/page-files.ts';
import { sharedTestApp, type TestApp } from '../app.ts';
import { givenAccount, PASSWORD } from '../dashboard/browser.ts';
import { givenPingKey } from '../ping/answers.ts';
import { Wire } from '../ping/wire.ts';
import { statusPageRecord } from '../records.ts';
import { Transcript } from '../transcript.ts';
import { type OpenApi, operationsOf } from './openapi-document.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const METRICS_KEY = 'a metrics key for tests only';
const ORIGIN = 'http://testserver';
/** A client that the limit of addresses is counted for: the machine itself has none. */
const STRANGER = { 'X-Forwarded-For': '203.0.113.7' };
/** Their texts change with the documentation. */
const IS_DOCUMENTATION = /^\/docs\//;

const PAGES: PageFiles = {
  document: Buffer.from('<!doctype html><title>Tocsin</title>'),
  files: new Map(
    ['theme.js', 'assets/index-1234.js'].map((path) => [
      path,
      {
        bytes: Buffer.from('let a = "ä";'),
        encodings: [{ name: 'br', bytes: Buffer.from('short') }],
        contentType: 'text/javascript; charset=utf-8',
        isHashed: path.startsWith('assets/'),
        etag: '"tag"',
      },
    ]),
  ),
};

/** Sends requests through a socket, each on a connection of its own, and keeps what comes back. */
class Client {
  readonly transcript = new Transcript();
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  async ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body = '',
  ): Promise<{ headers: readonly string[]; body: string }> {
    const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const lines = Object.entries({ Host: 'testserver', ...headers, ...length }).map((one) => one.join(': '));
    const shownHeaders = Object.entries(headers).map(([name, value]) =>
      name === 'Cookie' ? 'signed in' : `${name}: ${value}`,
    );
    const shown = [`${method} ${path}`, ...shownHeaders, body];
    return this.send(
      `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`,
      shown.filter((part) => part !== '').join(' | '),
      IS_DOCUMENTATION.test(path) || headers['Accept-Encoding'] === 'gzip',
    );
  }

  /** The client closes its side, so that the connection ends with the answer. */
  async send(
    text: string,
    shown: string,
    isHeadOnly = false,
  ): Promise<{ headers: readonly string[]; body: string }> {
    using wire = new Wire(this.#port);
    wire.socket.end(text);
    const received = Buffer.from(await wire.untilClosed(), 'latin1')
      .toString()
      .replaceAll(/\r\nDate: .*/g, '');
    const end = received.indexOf('\r\n\r\n');
    const [status = '', ...headers] = received.slice(0, end).split('\r\n');
    const body = received.slice(end + 4).replaceAll('\r\n', '\n');
    const steady = isHeadOnly ? headers.filter((line) => !/^(?:etag|content-length):/.test(line)) : headers;
    this.transcript.add(shown, status, steady, isHeadOnly ? '(not shown)' : body);
    return { headers, body };
  }
}

/** The answers of each path to a request with a key, and every refusal that comes before the key. */
async function askEveryPath(client: Client, document: OpenApi, key: string): Promise<void> {
  const paths = new Map<string, string[]>();
  for (const { method, path } of operationsOf(document)) {
    if (path.startsWith('/ping/')) continue;
    const address = path
      .replace('{format}', 'svg')
      .replace('{states}', '2')
      .replace('/{n}/', '/1/')
      .replaceAll(/{\w+}/g, NOWHERE);
    paths.getOrInsertComputed(address, () => []).push(method);
  }
  for (const [path, methods] of paths) {
    const isVersioned = path.startsWith('/api/v3/') && !/^\/api\/v3\/(?:projects|openapi)/.test(path);
    for (const version of isVersioned ? [1, 2, 3] : [3]) {
      const url = path.replace('/api/v3/', `/api/v${version}/`);
      for (const method of ['HEAD', 'OPTIONS', 'PROPFIND']) await client.ask(method, url);
      if (url.endsWith('/')) await client.ask('GET', `${url.slice(0, -1)}?a=b%20c?`);
      for (const method of methods) {
        await client.ask(method, url);
        await client.ask(method, url, { 'X-Api-Key': 'x'.repeat(32) });
        if (method === 'POST') await client.ask(method, url, { 'X-Api-Key': key }, '{');
      }
    }
  }
}

async function askOnChecks(client: Client, app: TestApp, version: number): Promise<void> {
  const { project, key, readOnlyKey } = await app.givenProject();
  const own = { 'X-Api-Key': key };
  const base = `/api/v${version}/checks/`;
  const created = await client.ask('POST', base, own, '{"name":"Nächtlich","tags":"a b","timeout":60}');
  const { uuid = '', ping_url: pingUrl = '' } = JSON.parse(created.body) as Record<string, string>;
  await client.ask('GET', new URL(pingUrl).pathname);
  await client.ask('POST', base, own, '{"name":"Nächtlich","unique":["name"]}');
  await client.ask('POST', base, {}, JSON.stringify({ api_key: key, name: 'By body' }));
  await client.ask('POST', base, { 'X-Api-Key': readOnlyKey }, '{}');
  await client.ask('POST', base, own, '{"timeout":1}');
  await client.ask('POST', base, { ...own, 'Content-Type': 'text/plain; nonsense' }, '{"grace":"x"}');
  await client.ask('POST', base, { ...own, 'Content-Type': '/' }, '[]');
  const one = base + uuid;
  const { headers } = await client.ask('GET', one, own);
  const etag = headers.find((line) => line.startsWith('etag:'))?.slice(6) ?? '';
  await client.ask('GET', one, { ...own, 'If-None-Match': etag });
  await client.ask('GET', one, { 'X-Api-Key': readOnlyKey });
  await client.ask('GET', `${one}?anything=1`, own);
  await client.ask('GET', one, { ...own, 'Content-Type': 'application/json' }, '{"a":1}');
  await client.ask('GET', one, { ...own, Connection: 'close' });
  await client.ask('POST', `${one}/pause`, own);
  await client.ask('POST', `${one}/resume`, own, '{}');
  await client.ask('POST', `${one}/resume`, own);
  await client.ask('POST', one, own, '{"desc":"new"}');
  for (const rest of ['/pings/', '/pings/1/body', '/flips/', '/deliveries/', '/runs/'])
    await client.ask('GET', one + rest, own);
  const { uniqueKey } = await app.givenCheck(project);
  for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) await client.ask(method, base + uniqueKey, own);
  for (const rest of ['/flips/', '/runs/']) await client.ask('GET', base + uniqueKey + rest, own);
  await client.ask('GET', base, own);
  await client.ask('GET', `${base}?tag=nothing`, own);
  await client.ask('DELETE', one, own);
  await client.ask('GET', one, own);
}

async function askStrangely(client: Client, app: TestApp): Promise<void> {
  const { project, key } = await app.givenProject();
  const own = { 'X-Api-Key': key };
  const uuid = 'abcdefab-cdef-4abc-8def-abcdefabcdef';
  await app.givenCheck(project, { uuid });
  const checks = '/api/v3/checks/';
  for (const path of [
    '/api/v3/checks/%zz',
    '/api/v3/%',
    '/api/v3/checks/%e0%a4',
    '/api/v3/%63hecks/',
    '/api/v3/checks%2F',
    `${checks}${uuid.replace('-', '%2D')}`,
    `${checks}${uuid.toUpperCase()}`,
    `${checks}${uuid}/`,
    `${checks}${uuid};a=b`,
    `${checks}${uuid}#fragment`,
    '/API/v3/checks/',
    '//api/v3/checks/',
    '/api/v3/checks//',
    '/api/v4/checks/',
    '/api/v3/../v3/checks/',
    '*',
    'http://elsewhere/api/v3/status/',
    'http://elsewhere',
    '/api/v3/__proto__/',
    `/badge/${'x'.repeat(10_001)}/signature/tag.svg`,
    `/badge/${'%41'.repeat(3_400)}/signature/tag.svg`,
  ]) {
    await client.ask('GET', path, own);
  }
  for (const path of [
    '/',
    '/nothing',
    '/api/v3/nothing',
    '/docs/nothing/',
    '/docs-files/nothing',
    '/badge/x',
  ])
    for (const method of ['GET', 'HEAD', 'POST']) {
      await client.ask(method, path);
      await client.ask(method, path, { Accept: 'text/html' });
    }
  const get = `GET ${checks} HTTP/1.1\r\nHost: x\r\n`;
  for (const text of [
    'nonsense\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    `GET ${checks} HTTP/1.0\r\nX-Api-Key: ${key}\r\n\r\n`,
    `GET ${checks} HTTP/1.1\r\nX-Api-Key: ${key}\r\n\r\n`,
    `CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
    `${get}Expect: something\r\n\r\n`,
    `POST ${checks} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
    `POST ${checks} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `POST ${checks} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Length: 99999999\r\n\r\n`,
    `POST ${checks} HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n${' '.repeat(99_999)}`,
    `${get}X-Api-Key: ${key}\r\n\r\n${get}X-Api-Key: wrong\r\n\r\n`,
    `${get}\r\nPOST ${checks} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`,
    `${get}A: ${'x'.repeat(20_000)}\r\n\r\n`,
  ]) {
    await client.send(text, JSON.stringify(text.length > 300 ? `${text.slice(0, 80)}…` : text));
  }
}

async function askForPings(client: Client, app: TestApp): Promise<void> {
  const { project } = await app.givenProject();
  const pingKey = await givenPingKey(app, project);
  const { uuid } = await app.givenCheck(project, { slug: 'nightly' });
  await app.givenCheck(project, { slug: 'twice' });
  await app.givenCheck(project, { slug: 'twice' });
  for (const path of [uuid, `${pingKey}/nightly`]) {
    for (const rest of ['', '/', '/start', '/fail', '/log', '/0', '/7', '/256', '/nonsense'])
      await client.ask('GET', `/ping/${path}${rest}`);
    for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
      await client.ask(method, `/ping/${path}`, {}, method === 'POST' ? 'done' : '');
    await client.ask('GET', `/ping/${path}?rid=${NOWHERE}`);
    await client.ask('GET', `/ping/${path}?rid=nonsense`);
  }
  for (const rest of ['twice', 'none', 'new?create=1', 'Upper'])
    await client.ask('GET', `/ping/${pingKey}/${rest}`);
  for (const rest of ['', NOWHERE, 'x/y', `${NOWHERE}/start`]) await client.ask('GET', `/ping/${rest}`);
}

async function askForPublicThings(client: Client, app: TestApp): Promise<void> {
  const { project, key, readOnlyKey } = await app.givenProject({
    badgeKey: '11111111-2222-4333-8444-555555555555',
  });
  const check = await app.givenCheck(project, { tags: 'a', name: 'Watched', status: 'up' });
  const { body } = await client.ask('GET', '/api/v3/badges/', { 'X-Api-Key': key });
  const { badges } = JSON.parse(body) as { badges: Record<string, Record<string, string>> };
  for (const address of Object.values(badges).flatMap((one) => Object.values(one)))
    await client.ask('GET', new URL(address).pathname);
  for (const rest of ['2', '3', '4'].flatMap((states) =>
    ['svg', 'json', 'shields', 'png'].map((one) => `${states}/${check.badgeKey}.${one}`),
  ))
    await client.ask('GET', `/b/${rest}`);
  for (const method of ['HEAD', 'OPTIONS', 'POST']) await client.ask(method, `/b/2/${check.badgeKey}.svg`);
  const metrics = `/projects/${project.uuid}/metrics/`;
  for (const auth of [{}, { Authorization: `Bearer ${readOnlyKey}` }, { Authorization: 'Bearer short' }])
    for (const method of ['GET', 'HEAD', 'OPTIONS']) await client.ask(method, metrics, auth);
  for (const rest of [readOnlyKey, 'short', 'x'.repeat(32)]) {
    await client.ask('GET', metrics + rest);
    await client.ask('GET', `/projects/${project.uuid}/checks/metrics/${rest}`);
  }
  for (const path of ['/api/v3/status/', '/api/v1/ready/', '/api/v3/metrics/'])
    for (const method of ['GET', 'HEAD', 'POST']) await client.ask(method, path);
  await client.ask('HEAD', '/metrics', { 'X-Metrics-Key': METRICS_KEY });
  await client.ask('GET', '/api/v3/metrics/', { 'X-Metrics-Key': 'wrong' });
  const page = statusPageRecord(project.id, { slug: 'watched', isPublished: true });
  await app.deps.store.transaction((tx) => tx.statusPages.insert(page));
  for (const path of [
    '/status/watched/',
    '/status/watched',
    '/status/watched/feed.xml',
    '/status/none/',
    '/status/Watched/',
  ])
    for (const method of ['GET', 'HEAD', 'POST']) await client.ask(method, path);
  await client.ask('GET', '/status/watched/', { 'Accept-Encoding': 'gzip' });
  for (const path of [
    '/docs',
    '/docs/',
    '/docs/api/',
    '/docs/cron/',
    '/docs/integrations/slack/',
    '/docs/nothing/',
    '/tv/',
  ])
    for (const method of ['GET', 'HEAD', 'DELETE']) await client.ask(method, path);
  for (const path of [
    '/',
    '/all-checks',
    '/all-checks/',
    '/theme.js',
    '/assets/index-1234.js',
    '/assets/none.js',
    `/checks/${check.uuid}/`,
    `/cloaked/${check.uniqueKey}/`,
  ])
    for (const method of ['GET', 'HEAD', 'POST']) await client.ask(method, path);
  await client.ask('GET', '/theme.js', { 'If-None-Match': '"tag"' });
  await client.ask('GET', '/assets/index-1234.js', { 'Accept-Encoding': 'gzip, br' });
  await client.ask('GET', `/integrations/${NOWHERE}/unsub/token/`);
  await client.ask('POST', `/integrations/${NOWHERE}/unsub/token/`, {}, 'List-Unsubscribe=One-Click');
  await client.ask('POST', `/api/v3/notifications/${NOWHERE}/status`, {}, 'MessageStatus=failed');
}

async function askForTheDashboard(client: Client, app: TestApp): Promise<void> {
  const { email } = await givenAccount(app);
  const base = '/dashboard/api';
  const here = { Origin: ORIGIN };
  const credentials = JSON.stringify({ email, password: PASSWORD });
  const { headers } = await client.ask('POST', `${base}/do/signInWithPassword`, here, credentials);
  const cookie = headers.flatMap((line) => /^set-cookie: ([^;]+)/.exec(line)?.[1] ?? []).join('; ');
  const signedIn = { ...here, Cookie: cookie };
  for (const [method, path] of [
    ['GET', '/read/signedIn'],
    ['POST', '/do/signInWithPassword'],
    ['GET', `/projects/${NOWHERE}/read/checkRows`],
    ['POST', `/checks/${NOWHERE}/do/moveCheck`],
    ['GET', '/read/instanceSettings'],
    ['DELETE', '/read/signedIn'],
    ['PROPFIND', '/read/signedIn'],
    ['HEAD', '/read/signedIn'],
    ['OPTIONS', '/read/signedIn'],
    ['GET', '/nothing'],
    ['GET', '/read/signedIn/'],
  ] as const) {
    const body = method === 'POST' ? '{"email":7}' : '';
    await client.ask(method, base + path, here, body);
    await client.ask(method, base + path, signedIn, body);
    await client.ask(method, base + path, { ...signedIn, Origin: 'https://evil.example' }, body);
    if (method === 'POST') await client.ask(method, base + path, signedIn, 'no JSON');
  }
  await client.ask('POST', `${base}/do/signOut`, signedIn, '{}');
}

/** Nobody has a request left, with a key or without one. */
async function askInVain(client: Client, app: TestApp): Promise<void> {
  const { project, key } = await app.givenProject();
  const { uuid } = await app.givenCheck(project);
  for (let n = 0; n < 3; n++)
    await client.ask('GET', `/api/v3/checks/${uuid}`, { 'X-Api-Key': key, ...STRANGER });
  for (let n = 0; n < 3; n++) await client.ask('POST', '/api/v3/checks/', { 'X-Api-Key': key }, '{}');
  for (const [method, path] of [
    ['GET', '/api/v3/checks/'],
    ['GET', '/api/v3/nothing'],
    ['GET', '/api/v3/checks'],
    ['PROPFIND', '/api/v3/checks/'],
    ['GET', '/api/v3/status/'],
    ['GET', `/b/2/${NOWHERE}.svg`],
    ['GET', '/dashboard/api/read/signedIn'],
  ] as const) {
    for (let n = 0; n < 3; n++) await client.ask(method, path, STRANGER);
  }
}

const openapi = async (app: TestApp) => (await app.request('GET', '/api/v3/openapi.json')).json as OpenApi;

describe('no answer to a client changes unnoticed', () => {
  const app = sharedTestApp('sqlite', { metricsKey: METRICS_KEY }, { pages: PAGES });
  const limited = sharedTestApp(
    'sqlite',
    { rateLimitPerMinute: 1, rateBurst: 2 },
    { publicRateLimitPerMinute: 2 },
  );

  const cases: Record<string, (client: Client) => Promise<void>> = {
    paths: async (client) => askEveryPath(client, await openapi(app()), (await app().givenProject()).key),
    checks: async (client) => {
      for (const version of [1, 2, 3]) await askOnChecks(client, app(), version);
    },
    strange: (client) => askStrangely(client, app()),
    pings: (client) => askForPings(client, app()),
    public: (client) => askForPublicThings(client, app()),
    dashboard: (client) => askForTheDashboard(client, app()),
    limited: (client) => askInVain(client, limited()),
  };
  for (const [name, ask] of Object.entries(cases)) {
    test(name, async (t) => {
      const client = new Client(await (name === 'limited' ? limited() : app()).port());

      await ask(client);

      const golden = join(import.meta.dirname, 'every-answer', `${name}.golden`);
      t.assert.fileSnapshot(String(client.transcript), golden, { serializers: [String] });
    });
  }
});
