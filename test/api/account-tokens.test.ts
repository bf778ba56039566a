import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import pino from 'pino';
import { apiKeyFault } from '../../src/domain/people/api-key.ts';
import {
  isGranted,
  MEMBER_ROLES,
  type PERMISSIONS,
  SCOPES,
  type Scope,
} from '../../src/domain/people/permission.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { givenAccount } from '../dashboard/browser.ts';
import { forEachEngine } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { projectRecord } from '../records.ts';
import { assertCors, assertError, assertStatus, checksOf } from './answers.ts';
import { givenToken, type TokenOptions } from './tokens.ts';

const CHECKS = '/api/v3/checks/';
const NO_SUCH_UUID = '00000000-0000-4000-8000-000000000000';

async function givenOwner(app: TestApp, options: TokenOptions = {}) {
  const owner = await givenAccount(app);
  const project = await app.deps.store.transaction((tx) => tx.projects.insert(projectRecord(owner.id)));
  return { owner, project, ...(await givenToken(app, owner.id, options)) };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine, {}, { publicRateLimitPerMinute: 0 });

  test('a token works in the project that X-Project names, in either header', async () => {
    const { secret, project } = await givenOwner(app());
    await app().givenCheck(project, { name: 'Nightly' });
    const named = { 'x-project': project.uuid };

    const replies = [
      await app().request('GET', CHECKS, { key: secret, headers: named }),
      await app().request('GET', CHECKS, { headers: { ...named, authorization: `Bearer ${secret}` } }),
      await app().request('GET', CHECKS, {
        headers: { 'x-project': project.uuid.toUpperCase(), authorization: `Bearer ${secret}` },
      }),
    ];

    for (const reply of replies)
      assert.deepEqual(
        checksOf(reply).map(({ name }) => name),
        ['Nightly'],
      );
    const created = await app().request('POST', CHECKS, {
      key: secret,
      headers: named,
      body: { name: 'Made by a token' },
    });
    assertStatus(created, 201);
    const path = new URL(String((created.json as { update_url: string }).update_url)).pathname;
    assertStatus(await app().request('GET', path, { key: secret, headers: named }), 200);
    assertStatus(await app().request('DELETE', path, { key: secret, headers: named }), 200);
  });

  test('without a project that it works in, a token says what is missing', async () => {
    const { secret } = await givenOwner(app());
    const { project: foreign } = await givenOwner(app());
    const ask = (project?: string) =>
      app().request('GET', CHECKS, {
        key: secret,
        headers: project === undefined ? {} : { 'x-project': project },
      });

    assertError(await ask(), 400, 'name the project in X-Project');
    for (const uuid of [foreign.uuid, NO_SUCH_UUID, 'nonsense', '', '\u00e9']) {
      assertError(await ask(uuid), 404, 'project not found', uuid);
    }
  });

  test('a key of a project is not taken from Authorization, nor X-Project heeded', async () => {
    const { key } = await app().givenProject();

    const bearer = await app().request('GET', CHECKS, { headers: { authorization: `Bearer ${key}` } });
    const named = await app().request('GET', CHECKS, { key, headers: { 'x-project': NO_SUCH_UUID } });

    assertError(bearer, 401, 'missing api key');
    assertStatus(named, 200);
  });

  test('X-Api-Key goes before Authorization', async () => {
    const { secret, project } = await givenOwner(app());
    const headers = { 'x-project': project.uuid, authorization: `Bearer ${secret}` };

    assertError(await app().request('GET', CHECKS, { key: 'x'.repeat(32), headers }), 401, 'wrong api key');
  });

  test('a wrong, a short, an expired and a revoked token are refused as keys are', async () => {
    const { owner, project, secret, token } = await givenOwner(app());
    const expired = await givenToken(app(), owner.id, { expiresAt: app().clock.now() });
    const headers = { 'x-project': project.uuid };
    const ask = (key: string) => app().request('GET', CHECKS, { key, headers });

    assertError(await ask(`${secret.slice(0, -1)}_`), 401, 'wrong api key');
    assertError(await ask(`hct_${'\u0001'.repeat(28)}`), 401, 'wrong api key');
    assertError(await ask('hct_'), 401, 'missing api key');
    assertError(await ask(expired.secret), 401, 'wrong api key');
    assertStatus(await ask(secret), 200);
    await app().deps.store.transaction((tx) => tx.accountTokens.remove(owner.id, token.uuid));
    assertError(await ask(secret), 401, 'wrong api key');
  });

  test('errors of a POST come in the order of keys: the body first', async () => {
    const { secret, project } = await givenOwner(app());
    const headers = { 'x-project': project.uuid };

    const wrong = await app().request('POST', CHECKS, { key: `${secret.slice(0, -1)}_`, headers, body: '{' });
    const valid = await app().request('POST', CHECKS, { key: secret, headers, body: '{' });

    assertError(wrong, 400, 'could not parse request body');
    assertError(valid, 400, 'could not parse request body');
  });

  test('a token opens what its scopes and the role of its account open together', async () => {
    const { project } = await givenOwner(app());
    const { uuid } = await app().givenCheck(project);
    const channel = await app().givenChannel(project);
    const operations: [method: string, path: string, permission: (typeof PERMISSIONS)[number]][] = [
      ['GET', CHECKS, 'checks.view'],
      ['GET', `${CHECKS}${uuid}`, 'checks.view'],
      ['POST', `${CHECKS}${uuid}`, 'checks.edit'],
      ['GET', `${CHECKS}${uuid}/pings/`, 'pings.view'],
      ['GET', `${CHECKS}${uuid}/deliveries/`, 'deliveries.view'],
      ['GET', '/api/v3/channels/', 'channels.view'],
      ['POST', `/api/v3/channels/${channel.uuid}/disable`, 'channels.edit'],
      ['GET', '/api/v3/project/', 'project.view'],
    ];
    for (const role of MEMBER_ROLES) {
      const member = await givenAccount(app());
      await app().deps.store.transaction((tx) => tx.projects.addMember(project.id, member.id, role, 1));
      for (const scopes of [
        SCOPES,
        ['checks.view'],
        ['checks.view', 'checks.edit', 'channels.view'],
      ] as Scope[][]) {
        const { secret } = await givenToken(app(), member.id, { scopes });
        for (const [method, path, permission] of operations) {
          const reply = await app().request(method, path, {
            key: secret,
            headers: { 'x-project': project.uuid },
          });
          const isOpen = scopes.includes(permission) && isGranted(role, permission);
          assert.equal(reply.status, isOpen ? 200 : 403, `${role} ${scopes.length} ${method} ${path}`);
          if (!isOpen) assertError(reply, 403, 'permission denied');
        }
      }
    }
  });

  test('without the scope for addresses, a token sees checks as a read-only key does', async () => {
    const { owner, project } = await givenOwner(app());
    await app().givenCheck(project);
    const headers = { 'x-project': project.uuid };
    const see = async (scopes: Scope[]) => {
      const { secret } = await givenToken(app(), owner.id, { scopes });
      const [check = {}] = checksOf(await app().request('GET', CHECKS, { key: secret, headers }));
      return 'ping_url' in check;
    };

    assert.equal(await see(['checks.view']), false);
    assert.equal(await see(['checks.view', 'checks.view_addresses']), true);
  });

  test('the token of a removed member loses access at the next request, one of a changed role what it lost', async () => {
    const { project } = await givenOwner(app());
    const member = await givenAccount(app());
    const { secret } = await givenToken(app(), member.id);
    const { store } = app().deps;
    await store.transaction((tx) => tx.projects.addMember(project.id, member.id, 'member', 1));
    const make = async () =>
      (await app().request('POST', CHECKS, { key: secret, headers: { 'x-project': project.uuid } })).status;
    assert.equal(await make(), 201);

    await store.transaction((tx) => tx.projects.setRole(project.id, member.id, 'read_only'));
    assert.equal(await make(), 403);
    await store.transaction((tx) => tx.projects.removeMember(project.id, member.id));
    assert.equal(await make(), 404);
  });

  test('a token for some projects works in no other', async () => {
    const { owner, project } = await givenOwner(app());
    const other = await app().deps.store.transaction((tx) => tx.projects.insert(projectRecord(owner.id)));
    const { secret } = await givenToken(app(), owner.id, { projectIds: [project.id] });
    const ask = (uuid: string) =>
      app().request('GET', CHECKS, { key: secret, headers: { 'x-project': uuid } });

    assertStatus(await ask(project.uuid), 200);
    assertError(await ask(other.uuid), 404, 'project not found');
  });

  test('what a token does is in the audit log with its name', async () => {
    const { owner, project, secret } = await givenOwner(app());

    const reply = await app().request('POST', `/api/v3/projects/${project.uuid}/keys/`, {
      key: secret,
      body: { name: 'CI', kind: 'read_only' },
    });

    assertStatus(reply, 201);
    const [act] = await app().deps.store.auditLog.ofAccount(owner.id, Number.MAX_SAFE_INTEGER, 1);
    assert.deepEqual(
      [act?.action, act?.means, act?.actor, act?.projectId],
      ['key.created', 'account_token', `${owner.email} (Terraform)`, project.id],
    );
  });

  test('the use of a token is noted like that of a key', async () => {
    const { owner, project, secret } = await givenOwner(app());
    await app().request('GET', CHECKS, {
      key: secret,
      headers: { 'x-project': project.uuid, 'x-forwarded-for': '198.51.100.9' },
    });

    await app().node.keyUses.tick();

    const [token] = await app().deps.store.accountTokens.ofAccount(owner.id);
    assert.deepEqual([token?.lastUsedAt, token?.lastUsedAddr], [app().clock.now(), '198.51.100.9']);
  });
});

test('no key of a file can look like a token', () => {
  assert.match(apiKeyFault(`hct_${'x'.repeat(28)}`, 'read_write') ?? '', /token of an account/);
});

forEachEngine((engine) => {
  const app = sharedTestApp(engine, { rateLimitPerMinute: 6, rateBurst: 12 });

  test('all tokens of an account share so many requests, in whatever project, and keys have their own', async () => {
    const { owner, project, secret } = await givenOwner(app());
    const { secret: second } = await givenToken(app(), owner.id);
    const other = await app().givenProject({ ownerId: owner.id });
    const ask = (key: string, uuid: string) =>
      app().request('GET', CHECKS, { key, headers: { 'x-project': uuid } });
    for (let n = 0; n < 6; n++) {
      assertStatus(await ask(secret, project.uuid), 200);
      assertStatus(await ask(second, other.project.uuid), 200);
    }

    const refused = await ask(secret, other.project.uuid);

    assertError(refused, 429, 'too many requests');
    assert.equal(refused.headers['retry-after'], '10');
    assertStatus(await app().request('GET', CHECKS, { key: other.key }), 200);
  });

  test('a long body costs a token’s account several requests, before it is parsed', async () => {
    const { project, secret } = await givenOwner(app());
    const headers = { 'x-project': project.uuid };

    await app().request('POST', CHECKS, { key: secret, headers, body: 'x'.repeat(11 * 4096) });

    assertStatus(await app().request('GET', CHECKS, { key: secret, headers }), 200);
    assertStatus(await app().request('GET', CHECKS, { key: secret, headers }), 429);
  });
});

test('wrong tokens are counted for their address, valid ones are not', async () => {
  await using app = await startTestApp('sqlite', {}, { publicRateLimitPerMinute: 3 });
  const { secret } = await givenOwner(app);
  const ask = async (key: string, address: string) =>
    (await app.request('GET', '/api/v3/projects/', { key, headers: { 'x-forwarded-for': address } })).status;
  const wrong = `${secret.slice(0, -1)}_`;

  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push(await ask(wrong, '203.0.113.7'));
  for (let n = 0; n < 4; n++) statuses.push(await ask(secret, '203.0.113.8'));

  assert.deepEqual(statuses, [401, 401, 401, 429, 200, 200, 200, 200]);
});

test('scripts of other origins may use tokens as they use keys', async () => {
  await using app = await startTestApp('sqlite');
  const { secret, project } = await givenOwner(app);
  const path = `/api/v3/projects/${project.uuid}/keys/`;

  assertCors(await app.request('OPTIONS', path), ['GET', 'POST', 'OPTIONS']);
  assertCors(await app.request('GET', path, { key: secret }), ['GET', 'POST', 'OPTIONS']);
  const refused = await app.request('DELETE', path, { key: secret });
  assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, POST, OPTIONS']);
  assertStatus(await app.request('GET', path.replace('v3', 'v2'), { key: secret }), 404);
});

test('no token reaches the log, whatever happens with it', async () => {
  const lines: string[] = [];
  const log = pino(
    { level: 'trace' },
    new Writable({ write: (line, _encoding, done) => done(void lines.push(String(line)) as undefined) }),
  );
  await using app = await startTestApp('sqlite', {}, { log });
  const { secret, project } = await givenOwner(app);
  for (const path of ['/api/v3/projects/', `/api/v3/projects/${project.uuid}/keys/`, CHECKS]) {
    await app.request('GET', path, { key: secret });
    await app.request('POST', path, { headers: { authorization: `Bearer ${secret}` }, body: '{' });
    await app.request('POST', path, { body: { api_key: secret } });
  }

  assert.equal(lines.join('').includes(secret.slice(4)), false);
});

test('nodes share the requests of an account by its tokens', async () => {
  const rule = { rateLimitPerMinute: 6, rateBurst: 12 };
  await using app = await startTestApp('postgres', rule);
  const { project, secret } = await givenOwner(app);
  const second = createHttpServer(app.deps, app.pings, app.node.http);
  await using _closing = { [Symbol.asyncDispose]: () => second.close() };
  const headers = { 'x-api-key': secret, 'x-project': project.uuid };
  const statuses: number[] = [];

  for (let n = 0; n < 14; n++) {
    const server = n % 2 === 0 ? app.server : second;
    statuses.push((await injectInto(server, { url: CHECKS, headers })).statusCode);
  }

  assert.deepEqual(statuses, [...Array(12).fill(200), 429, 429]);
});
