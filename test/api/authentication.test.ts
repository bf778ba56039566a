import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiKeyKind, generateApiKey } from '../../src/domain/people/api-key.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { addApiKey } from '../../src/services/project/projects.ts';
import { sharedTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { storedChecks } from '../records.ts';
import { assertError, assertStatus, checkOf, checksOf } from './answers.ts';
import { type OpenApi, operationsOf } from './openapi-document.ts';

const CHECKS = '/api/v3/checks/';
const NOWHERE = '00000000-0000-4000-8000-000000000000';

async function givenKey(app: TestApp, project: Project, kind: ApiKeyKind, key: string): Promise<string> {
  await app.deps.store.transaction((tx) => addApiKey(app.deps, tx, project, { kind, name: key, key }));
  return key;
}

/** A project with one check, which nothing in these tests may change or remove. */
async function givenOneCheck(app: TestApp) {
  const given = await app.givenProject();
  const check = await app.givenCheck(given.project);
  const assertUntouched = async () =>
    assert.deepEqual(await storedChecks(app.deps.store, given.project), [check]);
  return { ...given, check, path: `/api/v3/checks/${check.uuid}`, assertUntouched };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a key of any length but 32 counts as missing', async () => {
    const { key } = await givenOneCheck(app());

    assertError(await app().request('GET', CHECKS), 401, 'missing api key');
    for (const wrong of [key.slice(1), `${key}0`, '', ` ${key}`, `${key},${key}`, 'hcw_', '0'.repeat(5000)]) {
      assertError(await app().request('GET', CHECKS, { key: wrong }), 401, 'missing api key', wrong);
    }
  });

  test('a key from before the prefixes, of 32 characters of any kind, opens its project', async () => {
    const { project } = await app().givenProject();
    const key = await givenKey(app(), project, 'read_write', 'X'.repeat(32));
    const readOnlyKey = await givenKey(app(), project, 'read_only', 'R'.repeat(32));
    const wrong = 'Y'.repeat(32);
    const post = (options: { key?: string; body: unknown }) => app().request('POST', CHECKS, options);

    assertStatus(await app().request('GET', CHECKS, { key }), 200);
    assertStatus(await app().request('GET', CHECKS, { key: readOnlyKey }), 200);
    assertError(await post({ key: readOnlyKey, body: {} }), 401, 'wrong api key');
    assertError(await app().request('GET', CHECKS, { key: wrong }), 401, 'wrong api key', '29');
    assertError(await app().request('GET', CHECKS, { key: 'x'.repeat(32) }), 401, 'wrong api key', '30');
    assertStatus(await post({ body: { api_key: key } }), 201, '31');
    assertError(await post({ body: { api_key: wrong } }), 401, 'wrong api key', '32');
    assertError(await post({ key: wrong, body: { api_key: key } }), 401, 'wrong api key', '33');
    assertError(await post({ key: '', body: { api_key: key } }), 401, 'missing api key', '34');
    assertError(await post({ body: { api_key: null } }), 401, 'missing api key', '35');
    assertStatus(await post({ key, body: { api_key: null } }), 201, '36');
    assert.equal(checksOf(await app().request('GET', CHECKS, { key })).length, 2);
  });

  test('an older key may begin with the letters of either prefix, and is what it was made to be', async () => {
    const { project } = await app().givenProject();
    const key = await givenKey(app(), project, 'read_write', 'hcw_old-key-with-other-signs-in!');
    const readOnlyKey = await givenKey(app(), project, 'read_only', 'hcr_old-key-with-other-signs-in!');

    assertStatus(await app().request('POST', CHECKS, { key }), 201);
    assertStatus(await app().request('GET', CHECKS, { key: readOnlyKey }), 200);
    assertError(await app().request('POST', CHECKS, { key: readOnlyKey }), 401, 'wrong api key');
  });

  test('the body may carry the key wherever a POST changes something', async () => {
    const { key, path, check } = await givenOneCheck(app());
    const body = { api_key: key };

    assertStatus(await app().request('POST', path, { body: { ...body, name: 'renamed' } }), 200);
    assertStatus(await app().request('POST', `${path}/pause`, { body }), 200);
    assertStatus(await app().request('POST', `${path}/resume`, { body }), 200);
    assert.equal((await app().deps.store.checks.byUuid(check.uuid))?.name, 'renamed');
  });

  test('whatever a body holds in place of a key is no key', async () => {
    const { readOnlyKey, key, assertUntouched } = await givenOneCheck(app());
    const wrong = [
      '\0'.repeat(32),
      `hcw_${'\0'.repeat(28)}`,
      'ä'.repeat(32),
      '\ud800'.repeat(32),
      readOnlyKey,
    ];
    const missing = ['', key.slice(1), 5, 1e31, true, [], [key], { 0: key }, null];

    for (const value of wrong) {
      const reply = await app().request('POST', CHECKS, { body: { api_key: value } });
      assertError(reply, 401, 'wrong api key', JSON.stringify(value));
    }
    for (const value of missing) {
      const reply = await app().request('POST', CHECKS, { body: { api_key: value } });
      assertError(reply, 401, 'missing api key', JSON.stringify(value));
    }
    await assertUntouched();
  });

  test('only the header and the body of a POST are looked at for the key', async () => {
    const { key, path, assertUntouched } = await givenOneCheck(app());
    const body = { api_key: key };

    const replies = [
      await app().request('GET', CHECKS, { body }),
      await app().request('GET', path, { body }),
      await app().request('DELETE', path, { body }),
      await app().request('GET', `${CHECKS}?api_key=${key}`),
      await app().request('POST', `${CHECKS}?api_key=${key}`),
      await app().request('GET', CHECKS, { headers: { authorization: `Bearer ${key}` } }),
      await app().request('POST', CHECKS, { headers: { authorization: `Bearer ${key}` } }),
      await app().request('GET', CHECKS, { headers: { cookie: `api_key=${key}` } }),
    ];

    for (const [index, reply] of replies.entries()) {
      assertError(reply, 401, 'missing api key', `request ${index}`);
    }
    await assertUntouched();
  });

  test('a read-only key reads checks, flips, runs, badges and the project', async () => {
    const { readOnlyKey: key, check } = await givenOneCheck(app());
    const paths = [
      CHECKS,
      CHECKS + check.uuid,
      CHECKS + check.uniqueKey,
      `${CHECKS}${check.uuid}/flips/`,
      `${CHECKS}${check.uniqueKey}/flips/`,
      `${CHECKS}${check.uuid}/runs/`,
      `${CHECKS}${check.uniqueKey}/runs/`,
      '/api/v3/badges/',
      '/api/v3/project/',
    ];

    for (const path of paths) assertStatus(await app().request('GET', path, { key }), 200, path);
  });

  test('to a read-only key everything else is closed as if the key were unknown', async () => {
    const { readOnlyKey: key, path, assertUntouched } = await givenOneCheck(app());
    const rows: [method: string, path: string][] = [
      ['POST', CHECKS],
      ['POST', path],
      ['DELETE', path],
      ['POST', `${path}/pause`],
      ['POST', `${path}/resume`],
      ['GET', `${path}/pings/`],
      ['GET', `${path}/pings/1/body`],
      ['GET', '/api/v3/channels/'],
      ['POST', `${CHECKS}${NOWHERE}`],
    ];

    for (const [method, url] of rows) {
      assertError(await app().request(method, url, { key }), 401, 'wrong api key', `${method} ${url}`);
    }
    await assertUntouched();
  });

  test('whatever changes something is closed to a read-only key, in the header or the body, in every version', async () => {
    const { project, key, readOnlyKey } = await app().givenProject();
    const check = await app().givenCheck(project, { status: 'up', slug: 'db' });
    const make = async (path: string, body: object) => {
      const reply = await app().request('POST', `/api/v3/${path}/`, { key, body });
      assertStatus(reply, 201, path);
      return (reply.json as { uuid: string }).uuid;
    };
    const named: Readonly<Record<string, string>> = {
      check: check.uuid,
      channel: (await app().givenChannel(project)).uuid,
      policy: await make('policies', { name: 'night', wait: 900 }),
      calendar: await make('calendars', { name: 'day', schedule: '0 8 * * *', duration: 3600 }),
      quiet_time: await make('quiet-times', { schedule: 'Sun 01:00', duration: 3600 }),
    };
    const shown = async () => {
      const lists = [
        'checks/',
        'channels/?details=1',
        'policies/',
        'calendars/',
        'quiet-times/',
        'alerting/',
      ];
      const one = [`checks/${check.uuid}/deliveries/`, `checks/${check.uuid}/flips/`];
      const replies = [...lists, ...one].map((path) => app().request('GET', `/api/v3/${path}`, { key }));
      return (await Promise.all(replies)).map(({ text }) => text);
    };
    const before = await shown();
    const document = (await app().request('GET', '/api/v3/openapi.json')).json as OpenApi;
    const writing = operationsOf(document).filter(
      ({ method, operation }) => method !== 'GET' && operation.security.some((one) => 'apiKey' in one),
    );

    for (const { method, path } of writing)
      for (const version of [1, 2, 3]) {
        const url = path
          .replace('/v3/', `/v${version}/`)
          .replaceAll(/{(\w+)}/g, (_, name: string) => named[name] ?? assert.fail(name));
        const about = `${method} ${url}`;
        const refused = await app().request(method, url, { key: readOnlyKey });
        assertError(refused, 401, 'wrong api key', about);
        if (method !== 'POST') continue;
        const reply = await app().request(method, url, { body: { api_key: readOnlyKey } });
        assertError(reply, 401, 'wrong api key', `${about}, by the body`);
      }

    assert.deepEqual(await shown(), before);
    const verbs = new Set(writing.map(({ path }) => path.replace(/^.*}\//, '')));
    for (const verb of ['acknowledge', 'unacknowledge', 'snooze', 'unsnooze', 'stop'])
      assert.ok(verbs.has(verb), verb);
  });

  test('a freshly generated read-write key lists and creates', async () => {
    const { project } = await app().givenProject();
    const key = generateApiKey('read_write', systemRandom.bytes);
    await givenKey(app(), project, 'read_write', key);

    assert.match(key, /^hcw_[A-Za-z0-9]{28}$/);
    assertStatus(await app().request('GET', CHECKS, { key }), 200);
    assertStatus(await app().request('POST', CHECKS, { key }), 201);
  });

  test('a freshly generated read-only key lists without UUIDs, and creates nothing', async () => {
    const { project, assertUntouched, check } = await givenOneCheck(app());
    const key = generateApiKey('read_only', systemRandom.bytes);
    await givenKey(app(), project, 'read_only', key);

    const list = await app().request('GET', CHECKS, { key });
    const create = await app().request('POST', CHECKS, { key });

    assert.match(key, /^hcr_[A-Za-z0-9]{28}$/);
    assertStatus(list, 200);
    assert.equal(checksOf(list)[0]?.unique_key, check.uniqueKey);
    assert.equal(list.text.includes(check.uuid), false);
    assertError(create, 401, 'wrong api key');
    await assertUntouched();
  });

  test('a key that differs in one character or in its prefix is unknown', async () => {
    const { key } = await app().givenProject();
    const altered = [
      key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a'),
      `hcr_${key.slice(4)}`,
      `hcx_${key.slice(4)}`,
      key.toUpperCase(),
      `${key.slice(4)}hcw_`,
    ];

    for (const wrong of altered) {
      assertError(await app().request('GET', CHECKS, { key: wrong }), 401, 'wrong api key', wrong);
    }
  });

  test('of a key only eight characters and a digest are kept, and neither opens anything', async () => {
    const { key, project } = await app().givenProject();

    const stored = (await app().deps.store.apiKeys.ofProject(project.id)).find(
      ({ kind }) => kind === 'read_write',
    );

    assert.ok(stored);
    assert.equal(stored.lookup, key.slice(4, 12));
    assert.match(stored.digest, /^[0-9a-f]{64}$/);
    assert.equal(JSON.stringify(stored).includes(key.slice(12)), false);
    const { lookup, digest } = stored;
    for (const wrong of [digest.slice(0, 32), `${lookup}.${digest}`.slice(0, 32), `hcw_${lookup}${digest}`]) {
      const presented = wrong.slice(0, 32);
      assertError(await app().request('GET', CHECKS, { key: presented }), 401, 'wrong api key', presented);
    }
  });

  test('a revoked key opens nothing, while the others still do', async () => {
    const { key, readOnlyKey, project } = await app().givenProject();
    const keys = await app().deps.store.apiKeys.ofProject(project.id);
    const revoked = keys.find(({ kind }) => kind === 'read_write');
    assertStatus(await app().request('GET', CHECKS, { key }), 200);

    await app().deps.store.transaction((tx) => tx.apiKeys.delete(project.id, revoked?.id ?? 0));

    assertError(await app().request('GET', CHECKS, { key }), 401, 'wrong api key');
    assertError(await app().request('POST', CHECKS, { key }), 401, 'wrong api key');
    assertStatus(await app().request('GET', CHECKS, { key: readOnlyKey }), 200);
  });

  test('the check of another project is denied before anything else is looked at', async () => {
    const { key, readOnlyKey } = await app().givenProject();
    const { path, assertUntouched } = await givenOneCheck(app());
    const rows: [method: string, path: string, body?: unknown][] = [
      ['GET', path],
      ['POST', path, { timeout: 1 }],
      ['POST', path, { name: 'stolen' }],
      ['POST', path, { channels: 'nope' }],
      ['DELETE', path],
      ['POST', `${path}/pause`],
      ['POST', `${path}/resume`],
      ['GET', `${path}/pings/`],
      ['GET', `${path}/pings/1/body`],
      ['GET', `${path}/flips/`],
      ['GET', `${path}/flips/?start=x`],
      ['GET', `${path}/runs/?limit=x`],
      ['GET', `${path}/why?if=x`],
    ];

    for (const [method, url, body] of rows) {
      const reply = await app().request(method, url, { key, body });
      assertError(reply, 403, 'access denied', `${method} ${url}`);
    }
    assertError(await app().request('GET', path, { key: readOnlyKey }), 403, 'access denied');
    await assertUntouched();
  });

  test('another project of the same owner is another project, too', async () => {
    const { key, ownerId } = await app().givenProject();
    const sibling = await app().givenProject({ ownerId });
    const check = await app().givenCheck(sibling.project);

    assertError(await app().request('GET', CHECKS + check.uuid, { key }), 403, 'access denied');
    assert.deepEqual(checksOf(await app().request('GET', CHECKS, { key })), []);
  });

  test('by its unique key the check of another project is not found', async () => {
    const { key } = await app().givenProject();
    const { check } = await givenOneCheck(app());

    for (const path of ['', '/flips/', '/runs/'].map((rest) => CHECKS + check.uniqueKey + rest)) {
      assertError(await app().request('GET', path, { key }), 404, 'check not found', path);
    }
  });

  test('a check that exists nowhere is told only to those who have a key', async () => {
    const { key } = await app().givenProject();
    const rows: [method: string, path: string, body?: unknown][] = [
      ['GET', CHECKS + NOWHERE],
      ['POST', CHECKS + NOWHERE, { timeout: 1 }],
      ['DELETE', CHECKS + NOWHERE],
      ['POST', `${CHECKS}${NOWHERE}/pause`],
      ['POST', `${CHECKS}${NOWHERE}/resume`],
      ['GET', `${CHECKS}${NOWHERE}/pings/`],
      ['GET', `${CHECKS}${NOWHERE}/pings/1/body`],
      ['GET', `${CHECKS}${NOWHERE}/flips/`],
      ['GET', `${CHECKS}${NOWHERE}/runs/`],
      ['GET', `${CHECKS}${NOWHERE}/why`],
    ];

    for (const [method, url, body] of rows) {
      assertError(await app().request(method, url, { body }), 401, 'missing api key', `${method} ${url}`);
      const reply = await app().request(method, url, { key, body });
      assertError(reply, 404, 'check not found', `${method} ${url}`);
    }
  });

  test('a key shows the checks of its own project only', async () => {
    const one = await givenOneCheck(app());
    const other = await givenOneCheck(app());

    const uuids = async (key: string) =>
      checksOf(await app().request('GET', CHECKS, { key })).map(({ uuid }) => uuid);

    assert.deepEqual(await uuids(one.key), [one.check.uuid]);
    assert.deepEqual(await uuids(other.key), [other.check.uuid]);
    assert.equal(checkOf(await app().request('GET', one.path, { key: one.key })).uuid, one.check.uuid);
  });
});
