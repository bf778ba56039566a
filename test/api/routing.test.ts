import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpServer } from '../../src/http/server.ts';
import { LocalReads } from '../../src/reading/local-reads.ts';
import { SITE, sharedTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { MESSAGE_LIMITS } from '../node-parts.ts';
import { assertCors, assertError, assertStatus, checkOf, checksOf } from './answers.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const VERSIONS = ['v1', 'v2', 'v3'];

/** A project with one check, and the two addresses of that check. */
async function givenOneCheck(app: TestApp) {
  const given = await app.givenProject();
  const check = await app.givenCheck(given.project);
  const path = `/api/v3/checks/${check.uuid}`;
  return { ...given, check, path, byUniqueKey: `/api/v3/checks/${check.uniqueKey}` };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('OPTIONS on the list is answered without a key and without a body', async () => {
    const reply = await app().request('OPTIONS', '/api/v3/checks/');

    assertStatus(reply, 204);
    assert.equal(reply.text, '');
    assertCors(reply, ['GET', 'POST', 'OPTIONS']);
  });

  test('OPTIONS tells the methods of every path, also for a check that does not exist', async () => {
    const { check, path, byUniqueKey } = await givenOneCheck(app());
    const rows: [path: string, methods: string[]][] = [
      [path, ['GET', 'POST', 'DELETE', 'OPTIONS']],
      [`/api/v3/checks/${NOWHERE}`, ['GET', 'POST', 'DELETE', 'OPTIONS']],
      [`${path}/pause`, ['POST', 'OPTIONS']],
      [`/api/v3/checks/${NOWHERE}/pause`, ['POST', 'OPTIONS']],
      [`/api/v3/checks/${NOWHERE}/resume`, ['POST', 'OPTIONS']],
      [byUniqueKey, ['GET', 'OPTIONS']],
      [`${path}/pings/`, ['GET', 'OPTIONS']],
      [`${path}/pings/1/body`, ['GET', 'OPTIONS']],
      [`${path}/flips/`, ['GET', 'OPTIONS']],
      [`${byUniqueKey}/flips/`, ['GET', 'OPTIONS']],
      [`${byUniqueKey}/runs/`, ['GET', 'OPTIONS']],
      [`${path}/why`, ['GET', 'OPTIONS']],
      ['/api/v3/channels/', ['GET', 'OPTIONS', 'POST']],
      ['/api/v3/badges/', ['GET', 'OPTIONS']],
      ['/api/v3/project/', ['GET', 'OPTIONS']],
      [`/api/v1/checks/${check.uuid}`, ['GET', 'POST', 'DELETE', 'OPTIONS']],
    ];

    for (const [url, methods] of rows) {
      const reply = await app().request('OPTIONS', url);

      assertStatus(reply, 204, url);
      assert.equal(reply.text, '', url);
      assertCors(reply, methods, url);
    }
  });

  test('HEAD is refused on the list', async () => {
    const { key } = await givenOneCheck(app());

    const reply = await app().request('HEAD', '/api/v3/checks/', { key });

    assertStatus(reply, 405);
    assertCors(reply, ['GET', 'POST', 'OPTIONS']);
  });

  test('a method that a path does not know is refused before the key is asked for', async () => {
    const reply = await app().request('PUT', '/api/v3/checks/', { body: '{' });

    assertError(reply, 405, 'method not allowed');
    assertCors(reply, ['GET', 'POST', 'OPTIONS']);
    assert.equal(reply.headers.allow, 'GET, POST, OPTIONS');
  });

  test('methods that a path does not know are refused', async () => {
    const { key, path, byUniqueKey, check } = await givenOneCheck(app());
    const rows: [method: string, path: string][] = [
      ['PATCH', path],
      ['PUT', path],
      ['HEAD', path],
      ['DELETE', '/api/v3/checks/'],
      ['PATCH', '/api/v3/checks/'],
      ['POST', byUniqueKey],
      ['DELETE', byUniqueKey],
      ['HEAD', byUniqueKey],
      ['GET', `${path}/pause`],
      ['GET', `${path}/resume`],
      ['DELETE', `${path}/resume`],
      ['POST', `${path}/pings/`],
      ['POST', `${path}/pings/1/body`],
      ['POST', `${path}/flips/`],
      ['POST', `${byUniqueKey}/flips/`],
      ['DELETE', `${path}/flips/`],
      ['DELETE', '/api/v3/channels/'],
      ['POST', '/api/v3/badges/'],
      ['POST', '/api/v3/project/'],
      ['TRACE', path],
      ['PROPFIND', path],
      ['SEARCH', '/api/v3/checks/'],
      ['QUERY', '/api/v3/checks/'],
    ];

    for (const [method, url] of rows) {
      const reply = await app().request(method, url, { key });

      assertStatus(reply, 405, `${method} ${url}`);
      if (method !== 'HEAD') assertError(reply, 405, 'method not allowed', `${method} ${url}`);
      assert.equal(reply.headers['access-control-allow-origin'], '*', `${method} ${url}`);
    }

    assert.deepEqual(await app().deps.store.checks.byUuid(check.uuid), check);
  });

  test('a path that takes no API key names its methods, and is closed to scripts of other origins but for badges', async () => {
    const { check } = await givenOneCheck(app());
    const rows: [path: string, methods: string, cors: '*' | undefined][] = [
      ['/metrics', 'GET, HEAD, OPTIONS', undefined],
      ['/api/v1/status/', 'GET, HEAD, OPTIONS', undefined],
      ['/api/v2/ready/', 'GET, HEAD, OPTIONS', undefined],
      ['/api/v3/metrics/', 'GET, HEAD, OPTIONS', undefined],
      ['/api/v3/bounces/', 'POST', undefined],
      [`/api/v3/notifications/${NOWHERE}/status`, 'POST', undefined],
      [`/projects/${NOWHERE}/metrics/`, 'GET, HEAD, OPTIONS', undefined],
      [`/projects/${NOWHERE}/metrics/key`, 'GET, HEAD, OPTIONS', undefined],
      [`/projects/${NOWHERE}/checks/metrics/key`, 'GET, HEAD, OPTIONS', undefined],
      [`/integrations/${NOWHERE}/unsub/token/`, 'GET, POST', undefined],
      [`/accounts/${NOWHERE}/unsubscribe/reports/token/`, 'GET, POST', undefined],
      [`/accounts/${NOWHERE}/unsubscribe/reminders/token/`, 'GET, POST', undefined],
      ['/docs/api/', 'GET, HEAD', undefined],
      ['/docs/api/page.css', 'GET, HEAD', undefined],
      ['/api/v3/openapi.json', 'GET, OPTIONS', '*'],
      [`/b/2/${check.badgeKey}.svg`, 'GET, OPTIONS', '*'],
      ['/badge/key/signature', 'GET, OPTIONS', '*'],
      ['/badge/key/signature/tag.svg', 'GET, OPTIONS', '*'],
    ];

    for (const [url, methods, cors] of rows) {
      const refused = await app().request('PROPFIND', url, { body: '{' });
      assertError(refused, 405, 'method not allowed', url);
      assert.equal(refused.headers.allow, methods, url);
      for (const method of ['PROPFIND', ...methods.split(', ')]) {
        const { status, headers } = await app().request(method, url);
        assert.equal(status === 405, method === 'PROPFIND', `${method} ${url}`);
        assert.equal(headers['access-control-allow-origin'], cors, `${method} ${url}`);
      }
    }
  });

  test('without its slash a path redirects, keeping the query, whatever the method and key', async () => {
    const { path, byUniqueKey } = await givenOneCheck(app());
    const rows = [
      '/api/v3/checks',
      '/api/v3/channels',
      '/api/v3/badges',
      '/api/v3/project',
      '/api/v3/status',
      '/api/v3/metrics',
      '/api/v1/checks',
      `${path}/pings`,
      `${path}/flips`,
      `${byUniqueKey}/flips`,
    ];

    for (const url of rows) {
      for (const method of ['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS']) {
        const reply = await app().request(method, `${url}?tag=a&tag=b%20c?`);

        assertStatus(reply, 301, `${method} ${url}`);
        assert.equal(reply.headers.location, `${url}/?tag=a&tag=b%20c?`, `${method} ${url}`);
        assert.equal(reply.headers['access-control-allow-origin'], undefined, `${method} ${url}`);
      }
      assert.equal((await app().request('GET', url)).headers.location, `${url}/`);
    }
  });

  test('what is no path of the API is not found, with a key or without', async () => {
    const given = await app().givenProject();
    const uuid = '31365bce-8da9-4729-8ff3-aaa71d56b712';
    const { uniqueKey } = await app().givenCheck(given.project, { uuid });
    const checks = '/api/v3/checks';
    const rows: [method: string, path: string][] = [
      ['GET', `${checks}/${uuid}/`],
      ['GET', `${checks}/${uniqueKey}/`],
      ['POST', `${checks}/${uuid}/pause/`],
      ['POST', `${checks}/${uuid}/resume/`],
      ['GET', `${checks}/${uuid}/pings/1/body/`],
      ['GET', '/api/v4/checks/'],
      ['GET', '/api/v0/checks/'],
      ['GET', '/api/v33/checks/'],
      ['GET', '/api/V3/checks/'],
      ['GET', '/api/v3/Checks/'],
      ['GET', '/api/v3/'],
      ['GET', '/api/v3'],
      ['GET', '/api/'],
      ['GET', '/'],
      ['GET', '//api/v3/checks/'],
      ['GET', '/api/v3/checks//'],
      ['GET', `${checks}/not-a-uuid`],
      ['GET', `${checks}/${uuid.toUpperCase()}`],
      ['GET', `${checks}/${uuid.replaceAll('-', '')}`],
      ['GET', `${checks}/{${uuid}}`],
      ['GET', `${checks}/${uuid}%0A`],
      ['GET', `${checks}/%00`],
      ['GET', `${checks}/${uniqueKey}0`],
      ['GET', `${checks}/${uniqueKey.slice(1)}`],
      ['POST', `${checks}/${uniqueKey}/pause`],
      ['POST', `${checks}/${uniqueKey}/resume`],
      ['GET', `${checks}/${uniqueKey}/pings/`],
      ['GET', `${checks}/${uuid}/pings/-1/body`],
      ['GET', `${checks}/${uuid}/pings/x/body`],
      ['GET', `${checks}/${uuid}/pings/1`],
      ['GET', `${checks}/${uuid}/surprise`],
      ['GET', '/api/v3/__proto__/'],
    ];

    for (const [method, url] of rows) {
      assertError(await app().request(method, url), 404, 'not found', `${method} ${url}`);
      assertError(await app().request(method, url, { key: given.key }), 404, 'not found', `${method} ${url}`);
    }
  });

  test('browsers of any origin may read every kind of answer', async () => {
    const { key, path, byUniqueKey, project } = await givenOneCheck(app());
    await app().givenChannel(project);
    const stranger = await givenOneCheck(app());
    const rows: [status: number, method: string, path: string, key?: string, body?: unknown][] = [
      [200, 'GET', '/api/v3/checks/', key],
      [200, 'GET', path, key],
      [200, 'GET', byUniqueKey, key],
      [200, 'GET', `${path}/pings/`, key],
      [200, 'GET', `${path}/flips/`, key],
      [200, 'GET', `${byUniqueKey}/flips/`, key],
      [200, 'GET', '/api/v3/channels/', key],
      [200, 'GET', '/api/v3/badges/', key],
      [200, 'GET', '/api/v3/project/', key],
      [201, 'POST', '/api/v3/checks/', key],
      [200, 'POST', path, key],
      [409, 'POST', `${path}/resume`, key],
      [200, 'POST', `${path}/pause`, key],
      [200, 'POST', `${path}/resume`, key],
      [400, 'POST', '/api/v3/checks/', key, '{'],
      [400, 'POST', '/api/v3/checks/', key, { timeout: 1 }],
      [400, 'POST', '/api/v3/checks/', key, { channels: 'nope' }],
      [400, 'POST', path, key, { timeout: 1 }],
      [400, 'GET', `${path}/flips/?start=x`, key],
      [401, 'GET', '/api/v3/checks/'],
      [401, 'POST', '/api/v3/checks/'],
      [401, 'GET', path],
      [401, 'DELETE', path, 'y'.repeat(32)],
      [401, 'POST', `${path}/pause`],
      [401, 'GET', `${path}/pings/`],
      [401, 'GET', '/api/v3/channels/'],
      [401, 'GET', '/api/v3/badges/'],
      [401, 'GET', '/api/v3/project/'],
      [403, 'GET', path, stranger.key],
      [403, 'POST', `${path}/pause`, stranger.key],
      [403, 'GET', `${path}/flips/`, stranger.key],
      [404, 'GET', `/api/v3/checks/${NOWHERE}`, key],
      [404, 'GET', byUniqueKey, stranger.key],
      [404, 'GET', `${path}/pings/1/body`, key],
      [200, 'DELETE', path, key],
    ];

    for (const [status, method, url, presented, body] of rows) {
      const reply = await app().request(method, url, {
        ...(presented !== undefined && { key: presented }),
        body,
      });

      assertStatus(reply, status, `${method} ${url}`);
      assert.equal(reply.headers['access-control-allow-origin'], '*', `${method} ${url}`);
      assert.equal(reply.headers['content-type'], 'application/json', `${method} ${url}`);
    }
  });

  test('every version serves the same calls and names itself in the addresses it gives', async () => {
    const { key, check } = await givenOneCheck(app());

    for (const version of VERSIONS) {
      const base = `/api/${version}/checks/`;
      const list = await app().request('GET', base, { key });
      const one = await app().request('GET', base + check.uuid, { key });
      const created = await app().request('POST', base, { key, body: { name: version } });

      assert.deepEqual([list.status, one.status, created.status], [200, 200, 201], version);
      for (const shown of [checksOf(list)[0] ?? {}, checkOf(one), checkOf(created)]) {
        const updateUrl = `http://testserver${base}${shown.uuid}`;
        assert.equal(shown.update_url, updateUrl);
        assert.equal(shown.pause_url, `${updateUrl}/pause`);
        assert.equal(shown.resume_url, `${updateUrl}/resume`);
        assert.equal(shown.ping_url, `http://testserver/ping/${shown.uuid}`);
      }
    }
  });

  test('a broken percent encoding is the fault of the client', async () => {
    for (const path of ['/api/v3/checks/%zz', '/api/v3/%', '/api/v3/checks/%e0%a4']) {
      const reply = await app().request('GET', path);

      assert.ok(reply.status >= 400 && reply.status < 500, `${path}: ${reply.status}`);
      assert.equal(reply.headers['content-type'], 'application/json', path);
    }
  });

  test('a query may hold anything', async () => {
    const { key } = await givenOneCheck(app());

    for (const query of [
      'slug=%00',
      'tag=%00',
      'slug=%ed%a0%80',
      'slug=%zz',
      'tag=%zz',
      '&&=&',
      '__proto__=1',
    ]) {
      assertStatus(await app().request('GET', `/api/v3/checks/?${query}`, { key }), 200, query);
    }
  });

  test('the first page of a site with a path is at the path, with a slash or without', async () => {
    const site = { ...SITE, root: 'http://testserver/some/prefix' };
    const pages = { document: Buffer.from('<title>first</title>'), files: new Map() };
    await using server = createHttpServer(app().deps, app().pings, { ...app().node.http, site, pages });

    for (const url of ['/some/prefix', '/some/prefix/']) {
      const reply = await injectInto(server, { url });
      assert.deepEqual([reply.statusCode, reply.body], [200, '<title>first</title>'], url);
    }
  });

  for (const prefix of ['/some/prefix', '/%C3%BCber%20all/a:b']) {
    test(`an address with the path ${prefix} has everything below it, and nothing beside it`, async () => {
      const { key, check } = await givenOneCheck(app());
      const root = `http://testserver${prefix}`;
      const site = { ...SITE, root, pingEndpoint: `${root}/ping/` };
      await using server = createHttpServer(app().deps, app().pings, {
        ...app().node.http,
        site,
        reads: new LocalReads(
          { ...app().deps, site, messageLimits: MESSAGE_LIMITS, isOnlyNode: false },
          app().clock,
        ),
      });
      const get = (url: string) => injectInto(server, { method: 'GET', url, headers: { 'x-api-key': key } });

      const one = await get(`${prefix}/api/v3/checks/${check.uuid}`);
      const badges = await get(`${prefix}/api/v2/badges/`);
      const redirect = await get(`${prefix}/api/v3/checks?tag=a`);

      assert.equal(one.statusCode, 200);
      const shown = one.json();
      assert.equal(shown.update_url, `${root}/api/v3/checks/${check.uuid}`);
      assert.equal(shown.ping_url, `${root}/ping/${check.uuid}`);
      assert.equal(shown.badge_url, `${root}/b/2/${check.badgeKey}.svg`);
      assert.equal(redirect.statusCode, 301);
      assert.equal(redirect.headers.location, `${prefix}/api/v3/checks/?tag=a`);
      const addresses = Object.values<string>(badges.json().badges['*']);
      for (const address of [shown.update_url, shown.badge_url, ...addresses]) {
        const { pathname } = new URL(address);
        assert.equal((await get(pathname)).statusCode, 200, pathname);
        assert.equal((await get(pathname.replace(prefix, ''))).statusCode, 404, pathname);
      }
      assert.equal((await get(`${prefix}/api/v3/status/`)).statusCode, 200);
      assert.equal((await get(prefix)).statusCode, 404);
      assert.equal((await get('/other/prefix/api/v3/status/')).statusCode, 404);
    });
  }
});
