import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpServer } from '../../src/http/server.ts';
import type { Store } from '../../src/storage/store.ts';
import { listen, type Reply, type RequestOptions, startTestApp, type TestApp } from '../app.ts';
import { Browser, givenAccount } from '../dashboard/browser.ts';
import { forEachEngine } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { assertCors, assertStatus } from './answers.ts';

const PER_MINUTE = 6;
const NOBODY = '00000000-0000-4000-8000-000000000000';
const WRONG_KEY = 'x'.repeat(32);
const STATUS = '/api/v3/status/';
const CHECKS = '/api/v3/checks/';
const METRICS = `/projects/${NOBODY}/metrics/`;
const FROM_OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** Requests that reach the service without a valid key, each with the status that it has within the limit. */
const WITHOUT_KEY: readonly [method: string, path: string, status: number, options?: RequestOptions][] = [
  ['GET', '/badge/nobody/12345678/prod.svg', 404],
  ['GET', '/badge/nobody/12345678.svg', 404],
  ['GET', `/b/2/${NOBODY}.svg`, 404],
  ['GET', `/integrations/${NOBODY}/unsub/token/`, 404],
  ['GET', `/buttons/${NOBODY}/pause/${'0'.repeat(40)}/`, 404],
  ['POST', `/buttons/${NOBODY}/acknowledge/${'0'.repeat(40)}/`, 404],
  ['POST', `/accounts/${NOBODY}/unsubscribe/reports/token/`, 404],
  ['GET', '/api/v3/openapi.json', 200],
  ['GET', '/docs/api/', 200],
  ['GET', '/docs/api', 301],
  ['GET', '/docs/api/none.js', 404],
  ['POST', `/api/v3/notifications/${NOBODY}/status`, 200],
  ['POST', '/api/v3/bounces/', 200, { body: 'To: nobody@example.org\r\n\r\n' }],
  ['GET', '/nowhere', 404],
  ['OPTIONS', CHECKS, 204],
  ['PUT', CHECKS, 405],
  ['GET', CHECKS, 401],
  ['GET', CHECKS, 401, { key: WRONG_KEY }],
  ['POST', CHECKS, 401, { body: { api_key: WRONG_KEY } }],
  ['POST', CHECKS, 400, { body: '{' }],
  ['GET', '/metrics', 403],
  ['GET', '/api/v3/metrics/', 403, { headers: { 'x-metrics-key': 'wrong' } }],
  ['GET', METRICS, 403, { headers: { authorization: `Bearer ${WRONG_KEY}` } }],
  ['GET', `${METRICS}${WRONG_KEY}`, 403],
  ['GET', `/projects/${NOBODY}/checks/metrics/short`, 400],
  ['GET', '/dashboard/api/read/entrance', 200],
  ['POST', '/dashboard/api/do/signInByLink', 403, { body: { token: 'wrong' }, headers: FROM_OWN_PAGE }],
  ['POST', '/dashboard/api/do/signOut', 403],
  ['GET', '/dashboard/api/read/signedIn', 401],
  ['GET', '/dashboard/api/read/signedIn', 401, { headers: { cookie: 'tocsin_session=wrong' } }],
  ['POST', '/dashboard/api/do/endOtherSessions', 403, { headers: { cookie: 'tocsin_session=wrong' } }],
];

/** The request of a client that comes through a proxy on this machine. */
const behindProxy = (address: string, { headers }: Pick<RequestOptions, 'headers'> = {}) => ({
  headers: { ...headers, 'x-forwarded-for': address },
});

forEachEngine((engine) => {
  const start = () =>
    startTestApp(engine, { metricsKey: 'a key for tests' }, { publicRateLimitPerMinute: PER_MINUTE });

  const from = (address: string, options: RequestOptions = {}) => ({
    ...options,
    ...behindProxy(address, options),
  });

  async function useUp(app: TestApp, address: string): Promise<void> {
    for (let n = 0; n < PER_MINUTE; n++) {
      assertStatus(await app.request('GET', '/nowhere', from(address)), 404, `request ${n}`);
    }
  }

  const assertRefused = (reply: Reply, about: string) => {
    assertStatus(reply, 429, about);
    assert.equal(JSON.parse(reply.text).error, 'too many requests from this address', about);
    assert.match(reply.headers['retry-after'] ?? '', /^[1-9]\d*$/, about);
  };

  test('all that needs no key, and all that has a wrong one, counts for the address it comes from', async () => {
    await using app = await start();
    for (const [index, [method, path, status, options]] of WITHOUT_KEY.entries()) {
      const address = `203.0.113.${index}`;
      const about = `${method} ${path}`;
      for (let n = 0; n < PER_MINUTE; n++) {
        assertStatus(await app.request(method, path, from(address, options)), status, about);
      }

      assertRefused(await app.request(method, path, from(address, options)), about);
      assertRefused(await app.request('GET', '/nowhere', from(address)), `${about}, then another address`);
    }
  });

  test('after the wait one request is served, and other addresses never wait', async () => {
    await using app = await start();
    await useUp(app, '203.0.113.7');

    const refused = await app.request('GET', '/nowhere', from('203.0.113.7'));
    assert.equal(refused.headers['retry-after'], '10');
    assertStatus(await app.request('GET', '/nowhere', from('203.0.113.8')), 404);
    app.clock.advance({ seconds: 10 });
    assertStatus(await app.request('GET', '/nowhere', from('203.0.113.7')), 404);
    assertRefused(await app.request('GET', '/nowhere', from('203.0.113.7')), 'the second');
  });

  test('addresses of one IPv6 network count together, however they are written', async () => {
    await using app = await start();
    for (let n = 0; n < PER_MINUTE; n++) {
      assertStatus(await app.request('GET', '/nowhere', from(`2001:db8::${n}:1`)), 404);
    }

    assertRefused(await app.request('GET', '/nowhere', from('2001:DB8:0:0:ffff::9')), 'the same network');
    assertStatus(await app.request('GET', '/nowhere', from('2001:db8:0:1::9')), 404);
  });

  test('the port that some proxies add makes no other address', async () => {
    await using app = await start();
    for (let n = 0; n < PER_MINUTE; n++) {
      assertStatus(await app.request('GET', '/nowhere', from(`203.0.113.7:${40_000 + n}`)), 404);
    }

    assertRefused(await app.request('GET', '/nowhere', from('203.0.113.7:50000')), 'another port');
  });

  test('pings, probes and clients on this machine are not counted', async () => {
    await using app = await start();
    const { uuid } = await app.givenCheck((await app.givenProject()).project);
    const address = '203.0.113.7';
    await useUp(app, address);

    for (let n = 0; n <= PER_MINUTE; n++) {
      assertStatus(await app.ping(`/${uuid}`, behindProxy(address)), 200, 'ping');
      assertStatus(await app.request('GET', STATUS, from(address)), 200, 'status');
      assertStatus(await app.request('GET', '/api/v3/ready/', from(address)), 200, 'readiness');
      assertStatus(await app.request('GET', '/nowhere'), 404, 'without a proxy');
    }
  });

  test('a valid key is not counted, and works beside a program with a wrong one', async () => {
    await using app = await start();
    const { key, readOnlyKey } = await app.givenProject();
    const address = '203.0.113.7';
    const prometheus = { headers: { authorization: `Bearer ${readOnlyKey}` } };
    for (let n = 0; n <= PER_MINUTE; n++) {
      assertStatus(await app.request('GET', CHECKS, from(address, { key })), 200);
      assertStatus(await app.request('POST', CHECKS, from(address, { key, body: '{' })), 400);
      assertStatus(await app.request('POST', CHECKS, from(address, { body: { api_key: key } })), 201);
      assertStatus(await app.request('GET', METRICS, from(address, prometheus)), 200);
    }
    await useUp(app, address);

    assertRefused(await app.request('GET', CHECKS, from(address, { key: WRONG_KEY })), 'the wrong key');
    assertStatus(await app.request('GET', CHECKS, from(address, { key })), 200);
    assertStatus(await app.request('GET', METRICS, from(address, prometheus)), 200);
  });

  test('a session is not counted, and works beside browsers without one', async () => {
    await using app = await start();
    const { email } = await givenAccount(app);
    const browser = new Browser(app, { address: '203.0.113.7' });
    assert.equal((await browser.signIn(email)).status, 204);
    for (let n = 0; n <= PER_MINUTE; n++) assert.equal((await browser.get('/read/signedIn')).status, 200);

    const stranger = new Browser(app, { address: browser.address });
    for (let n = 1; n < PER_MINUTE; n++) assert.equal((await stranger.get('/read/signedIn')).status, 401);
    assert.equal((await stranger.get('/read/signedIn')).status, 429);
    assert.equal((await browser.get('/read/signedIn')).status, 200);
  });

  test('a refusal has the headers of its path: any page may read it, and no badge is kept', async () => {
    await using app = await start();
    await useUp(app, '203.0.113.7');

    const badge = await app.request('GET', `/b/2/${NOBODY}.svg`, from('203.0.113.7'));
    const list = await app.request('GET', CHECKS, from('203.0.113.7'));

    assertCors(badge, ['GET', 'OPTIONS']);
    assertCors(list, ['GET', 'POST', 'OPTIONS']);
    assert.match(badge.headers['cache-control'] ?? '', /no-store/);
  });

  test('a refused request reads nothing from the database', async () => {
    await using app = await start();
    const { badgeKey } = await app.givenCheck((await app.givenProject()).project);
    const fail = () => assert.fail('the database is asked');
    const untouched = new Proxy(app.deps.store, { get: fail });
    const options = { ...app.node.http, publicRateLimitPerMinute: 1 };
    const server = createHttpServer({ ...app.deps, store: untouched }, app.pings, options);
    const ask = (url: string) =>
      injectInto(server, { url, headers: { 'x-forwarded-for': '203.0.113.7', 'x-api-key': WRONG_KEY } });

    const first = await ask('/nowhere');
    const refused = [await ask(`/b/2/${badgeKey}.svg`), await ask(CHECKS), await ask(METRICS)];
    await server.close();

    assert.equal(first.statusCode, 404);
    assert.deepEqual(
      refused.map(({ statusCode }) => statusCode),
      [429, 429, 429],
    );
  });

  test('badges that are asked for at the same moment are counted each', async () => {
    await using app = await startTestApp(engine, {}, { publicRateLimitPerMinute: 1 });
    const { badgeKey } = await app.givenCheck((await app.givenProject()).project);
    const url = `http://127.0.0.1:${await app.port()}/b/2/${badgeKey}.svg`;

    const asked = [1, 2].map(() => fetch(url, behindProxy('203.0.113.7')));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);

    assert.deepEqual(statuses.sort(), [200, 429]);
  });

  test('a refused request for a single check looks no key up either', async () => {
    await using app = await start();
    const { uuid } = await app.givenCheck((await app.givenProject()).project);
    let lookUps = 0;
    const apiKeys = new Proxy(app.deps.store.apiKeys, {
      get(target, name) {
        lookUps++;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const store: Store = Object.create(app.deps.store, { apiKeys: { value: apiKeys } });
    const options = { ...app.node.http, publicRateLimitPerMinute: 1 };
    const server = createHttpServer({ ...app.deps, store }, app.pings, options);
    const port = await listen(server);
    const ask = async () => {
      const headers = { 'x-forwarded-for': '203.0.113.7', 'x-api-key': WRONG_KEY };
      const reply = await fetch(`http://127.0.0.1:${port}${CHECKS}${uuid}`, { headers });
      await reply.bytes();
      return reply.status;
    };

    const first = await ask();
    const lookUpsOfFirst = lookUps;
    const second = await ask();
    await server.close();

    assert.deepEqual([first, second], [401, 429]);
    assert.ok(lookUpsOfFirst > 0);
    assert.equal(lookUps, lookUpsOfFirst);
  });

  test('zero turns the limit off', async () => {
    await using app = await startTestApp(engine, {}, { publicRateLimitPerMinute: 0 });

    for (let n = 0; n < 50; n++) {
      assertStatus(await app.request('GET', '/nowhere', from('203.0.113.7')), 404);
    }
  });
});
