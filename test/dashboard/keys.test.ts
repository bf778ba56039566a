import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import pino from 'pino';
import { API_KEY_LENGTH, MAX_PROJECT_KEYS } from '../../src/domain/people/api-key.ts';
import { MEMBER_ROLES } from '../../src/domain/people/permission.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { buildNode } from '../../src/node/node.ts';
import { KeyUses, MAX_WAITING_USES } from '../../src/services/core/key-uses.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { assertError } from '../api/answers.ts';
import { sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { forOneEngine, openTestDriver } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { testDatabase, testParts } from '../node-parts.ts';
import { apiKeyRecord, projectRecord } from '../records.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';

const CHECKS = '/api/v3/checks/';

interface Owner {
  readonly browser: Browser;
  readonly email: string;
  readonly project: Project;
  /** The project's path below `/dashboard/api`. */
  readonly path: string;
}

async function givenOwner(app: TestApp): Promise<Owner> {
  const { id, email } = await givenAccount(app);
  const project = await app.deps.store.transaction((tx) => tx.projects.insert(projectRecord(id)));
  const browser = newBrowser(app);
  assert.equal((await browser.signIn(email)).status, 204);
  return { browser, email, project, path: `/projects/${project.uuid}` };
}

/** Makes a key. Returns it as the list shows it, and its secret. */
async function makeKey({ browser, path }: Owner, body: object = {}) {
  const reply = await browser.post(`${path}/do/createKey`, { name: 'Deploy', kind: 'read_write', ...body });
  assert.equal(reply.status, 200, reply.text);
  const { secret }: { secret: string } = reply.json;
  const list: { uuid: string; key: string }[] = (await browser.get(`${path}/read/projectKeys`)).json;
  const listed = list.find(({ key }) => key.startsWith(secret.slice(0, 12))) ?? assert.fail();
  return { ...listed, secret };
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);
  const statusOf = async (key: string) => (await app().request('GET', CHECKS, { key })).status;

  test('a key is shown once, and afterwards its first characters alone', async () => {
    const owner = await givenOwner(app());

    const made = await makeKey(owner, { expires: '2024-04-01T02:00:00+02:00' });

    assert.match(made.secret, /^hcw_[A-Za-z0-9]{28}$/);
    const { secret, ...listed } = made;
    assert.deepEqual(listed, {
      uuid: made.uuid,
      name: 'Deploy',
      kind: 'read_write',
      key: `${secret.slice(0, 12)}********************`,
      created: '2024-03-01T12:00:00+00:00',
      createdBy: owner.email,
      madeBy: 'session',
      expires: '2024-04-01T00:00:00+00:00',
      isExpired: false,
      lastUsed: null,
      lastUsedAddress: null,
    });
    const list = await owner.browser.get(`${owner.path}/read/projectKeys`);
    assert.deepEqual(list.json, [listed]);
    assert.equal(list.text.includes(secret.slice(12)), false);
    assert.equal(await statusOf(secret), 200);
  });

  test('a read-only key shows checks without their addresses', async () => {
    const owner = await givenOwner(app());
    await app().givenCheck(owner.project);

    const { secret } = await makeKey(owner, { kind: 'read_only' });

    assert.match(secret, /^hcr_[A-Za-z0-9]{28}$/);
    const { text } = await app().request('GET', CHECKS, { key: secret });
    assert.match(text, /"unique_key"/);
    assert.doesNotMatch(text, /"ping_url"|"uuid"/);
    assertError(await app().request('POST', CHECKS, { key: secret }), 401, 'wrong api key');
  });

  test('a revoked key is refused at once, and others stay', async () => {
    const owner = await givenOwner(app());
    const [first, second] = [await makeKey(owner), await makeKey(owner)];

    const reply = await owner.browser.post(`${owner.path}/do/revokeKey`, { key: first.uuid });

    assert.equal(reply.status, 204);
    assertError(await app().request('GET', CHECKS, { key: first.secret }), 401, 'wrong api key');
    assert.equal(await statusOf(second.secret), 200);
    const again = await owner.browser.post(`${owner.path}/do/revokeKey`, { key: first.uuid });
    assert.deepEqual([again.status, again.json.code], [404, 'key_not_found']);
  });

  test('a key is accepted until it expires, and then is as wrong as any other', async () => {
    const owner = await givenOwner(app());
    const { secret } = await makeKey(owner, { expires: '2024-03-01T12:10:00Z' });
    app().clock.advance({ seconds: 599.999 });
    assert.equal(await statusOf(secret), 200);

    app().clock.advance({ seconds: 0.001 });

    assertError(await app().request('GET', CHECKS, { key: secret }), 401, 'wrong api key');
    assertError(await app().request('POST', CHECKS, { key: secret }), 401, 'wrong api key');
    const scrape = await app().request('GET', `/projects/${owner.project.uuid}/metrics/`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    assert.equal(scrape.status, 403);
    assert.equal((await owner.browser.get(`${owner.path}/read/projectKeys`)).json[0].isExpired, true);
  });

  test('while a key is rotated both are valid, then the old one is refused', async () => {
    const owner = await givenOwner(app());
    const old = await makeKey(owner);

    const reply = await owner.browser.post(`${owner.path}/do/rotateKey`, { key: old.uuid, overlapHours: 2 });

    assert.equal(reply.status, 200);
    const { secret, name } = reply.json;
    assert.equal(name, 'Deploy');
    const [, { kind, expires }] = (await owner.browser.get(`${owner.path}/read/projectKeys`)).json;
    assert.deepEqual([kind, expires], ['read_write', null]);
    assert.deepEqual([await statusOf(old.secret), await statusOf(secret)], [200, 200]);
    app().clock.advance({ hours: 2 });
    assert.deepEqual([await statusOf(old.secret), await statusOf(secret)], [401, 200]);
  });

  test('a rotation never lengthens the life of the old key, and may end it at once', async () => {
    const owner = await givenOwner(app());
    const soon = await makeKey(owner, { expires: '2024-03-01T13:00:00Z' });
    const other = await makeKey(owner);

    await owner.browser.post(`${owner.path}/do/rotateKey`, { key: soon.uuid, overlapHours: 48 });
    await owner.browser.post(`${owner.path}/do/rotateKey`, { key: other.uuid, overlapHours: 0 });

    assert.deepEqual([await statusOf(soon.secret), await statusOf(other.secret)], [200, 401]);
    app().clock.advance({ hours: 1 });
    assert.equal(await statusOf(soon.secret), 401);
  });

  test('a project has so many keys, and those that expired long ago make room', async () => {
    const owner = await givenOwner(app());
    await makeKey(owner, { expires: '2024-03-01T12:01:00Z' });
    await app().deps.store.transaction(async (tx) => {
      for (let n = 1; n < MAX_PROJECT_KEYS; n++) await tx.apiKeys.insert(apiKeyRecord(owner.project.id));
    });
    const attempt = () =>
      owner.browser.post(`${owner.path}/do/createKey`, { name: 'One more', kind: 'read_only' });

    const refused = await attempt();

    assert.deepEqual([refused.status, refused.json.code], [403, 'key_limit_reached']);
    app().clock.advance({ days: 30, minutes: 1 });
    await owner.browser.signIn(owner.email);
    assert.equal((await attempt()).status, 403);
    app().clock.advance({ minutes: 1 });
    assert.equal((await attempt()).status, 200);
  });

  test('the ping key is made, seen again, replaced and taken away', async () => {
    const { browser, path, project } = await givenOwner(app());
    await app().givenCheck(project, { slug: 'nightly' });
    const ping = async (key: string) => (await app().ping(`/${key}/nightly`)).status;
    const shown = async () => (await browser.get(`${path}/read/pingKey`)).json.key;
    assert.equal(await shown(), null);
    assert.deepEqual((await browser.post(`${path}/do/revokePingKey`)).status, 404);

    assert.equal((await browser.post(`${path}/do/replacePingKey`)).status, 204);

    const first = await shown();
    assert.match(first, /^[a-z0-9]{22}$/);
    assert.equal(await shown(), first);
    assert.equal(await ping(first), 200);
    await browser.post(`${path}/do/replacePingKey`);
    const second = await shown();
    assert.deepEqual([await ping(first), await ping(second)], [404, 200]);
    assert.equal((await browser.post(`${path}/do/revokePingKey`)).status, 204);
    assert.equal(await ping(second), 404);
    assert.equal(await shown(), null);
  });

  test('a read-only member reaches no key, others do, and strangers find no project', async () => {
    const owner = await givenOwner(app());
    const { uuid } = await makeKey(owner);
    const { browser: stranger } = await givenOwner(app());
    assert.equal((await stranger.get(`${owner.path}/read/projectKeys`)).status, 404);
    for (const role of MEMBER_ROLES) {
      const member = await givenAccount(app());
      await app().deps.store.transaction((tx) => tx.projects.addMember(owner.project.id, member.id, role, 1));
      const browser = newBrowser(app());
      await browser.signIn(member.email);

      const statuses = [
        (await browser.get(`${owner.path}/read/projectKeys`)).status,
        (await browser.get(`${owner.path}/read/pingKey`)).status,
        (await browser.post(`${owner.path}/do/createKey`, { name: 'x', kind: 'read_only' })).status,
        (await browser.post(`${owner.path}/do/rotateKey`, { key: uuid, overlapHours: 24 })).status,
      ];

      assert.deepEqual(statuses, role === 'read_only' ? [403, 403, 403, 403] : [200, 200, 200, 200], role);
    }
  });

  test('a key of another project cannot be reached through a project of one’s own', async () => {
    const [owner, other] = [await givenOwner(app()), await givenOwner(app())];
    const { uuid, secret } = await makeKey(other);

    const revoked = await owner.browser.post(`${owner.path}/do/revokeKey`, { key: uuid });
    const rotated = await owner.browser.post(`${owner.path}/do/rotateKey`, { key: uuid, overlapHours: 0 });

    assert.deepEqual([revoked.status, rotated.status], [404, 404]);
    assert.equal(await statusOf(secret), 200);
  });

  test('a file’s keys work on, and the list says that a file made them', async () => {
    const owner = await givenOwner(app());
    await app().deps.store.transaction((tx) =>
      tx.apiKeys.insert(apiKeyRecord(owner.project.id, { name: 'provisioned', madeBy: 'file' })),
    );

    const [key] = (await owner.browser.get(`${owner.path}/read/projectKeys`)).json;

    assert.deepEqual([key.name, key.madeBy, key.createdBy], ['provisioned', 'file', null]);
    // Such a key may have no prefix.
    assert.match(key.key, /^[0-9a-f]{8}\*{24}$/);
  });

  test('hostile bodies are refused with the field that is wrong', async () => {
    const owner = await givenOwner(app());
    const { uuid } = await makeKey(owner);
    const valid = { name: 'x', kind: 'read_only' };
    const rows: [field: string, body: unknown][] = [
      ['name', { kind: 'read_only' }],
      ['name', { ...valid, name: '' }],
      ['name', { ...valid, name: ' \n\t' }],
      ['name', { ...valid, name: 'x'.repeat(101) }],
      ['name', { ...valid, name: '\u0000' }],
      ['name', { ...valid, name: ['x'] }],
      ['kind', { name: 'x' }],
      ['kind', { ...valid, kind: 'owner' }],
      ['kind', { ...valid, kind: '__proto__' }],
      ['expires', { ...valid, expires: 'soon' }],
      ['expires', { ...valid, expires: 1_900_000_000 }],
      ['expires', { ...valid, expires: '2024-03-01T12:00:00Z' }],
      ['expires', { ...valid, expires: '+275760-09-13T00:00:00Z' }],
      ['expires', { ...valid, expires: '2030-01-01' }],
      ['expires', { ...valid, expires: `2030-01-01T00:00:00Z${' '.repeat(100)}` }],
    ];
    for (const [field, body] of rows) {
      const reply = await owner.browser.post(`${owner.path}/do/createKey`, body);
      assert.deepEqual([reply.status, reply.json.field], [400, field], JSON.stringify(body));
    }
    for (const overlap of [-1, 721, 1.5, '24', null, Number.MAX_VALUE]) {
      const reply = await owner.browser.post(`${owner.path}/do/rotateKey`, {
        key: uuid,
        overlapHours: overlap,
      });
      assert.deepEqual([reply.status, reply.json.field], [400, 'overlapHours'], String(overlap));
    }
  });

  test('the audit log has every act with the masked key, and no secret', async () => {
    const owner = await givenOwner(app());
    const { uuid, secret, key } = await makeKey(owner);
    const rotated = (await owner.browser.post(`${owner.path}/do/rotateKey`, { key: uuid, overlapHours: 24 }))
      .json;
    await owner.browser.post(`${owner.path}/do/revokeKey`, { key: uuid });
    await owner.browser.post(`${owner.path}/do/replacePingKey`);
    const { key: pingKey } = (await owner.browser.get(`${owner.path}/read/pingKey`)).json;
    await owner.browser.post(`${owner.path}/do/revokePingKey`);

    const acts = await app().deps.store.auditLog.ofAccount(
      owner.project.ownerId,
      Number.MAX_SAFE_INTEGER,
      100,
    );

    const ofProject = acts.filter(({ projectId }) => projectId === owner.project.id).reverse();
    assert.deepEqual(
      ofProject.map(({ action, subject }) => [action, subject.name]),
      [
        ['key.created', 'Deploy'],
        ['key.rotated', 'Deploy'],
        ['key.revoked', 'Deploy'],
        ['ping_key.created', owner.project.name],
        ['ping_key.revoked', owner.project.name],
      ],
    );
    assert.equal(ofProject[0]?.details.key, key);
    assert.deepEqual(ofProject[1]?.details.after, { expires: '2024-03-02T12:00:00+00:00' });
    const text = JSON.stringify(acts);
    for (const part of [secret.slice(12), rotated.secret.slice(12), pingKey]) {
      assert.equal(text.includes(part), false, part);
    }
  });

  test('the use of a key is written once a minute, behind the requests, with where it came from', async () => {
    const owner = await givenOwner(app());
    const { secret } = await makeKey(owner);
    const { keyUses } = app().node;
    const use = () =>
      app().request('GET', CHECKS, { key: secret, headers: { 'x-forwarded-for': '198.51.100.9' } });
    const lastUsed = async () => {
      const [key] = (await owner.browser.get(`${owner.path}/read/projectKeys`)).json;
      return [key.lastUsed, key.lastUsedAddress];
    };
    await use();
    assert.deepEqual(await lastUsed(), [null, null]);

    await keyUses.tick();

    assert.deepEqual(await lastUsed(), ['2024-03-01T12:00:00+00:00', '198.51.100.9']);
    app().clock.advance({ seconds: 59 });
    await use();
    await keyUses.tick();
    assert.deepEqual(await lastUsed(), ['2024-03-01T12:00:00+00:00', '198.51.100.9']);
    app().clock.advance({ seconds: 1 });
    await use();
    await keyUses.tick();
    assert.deepEqual(await lastUsed(), ['2024-03-01T12:01:00+00:00', '198.51.100.9']);
  });

  test('a thousand requests of two keys cost one transaction', async () => {
    const owner = await givenOwner(app());
    const keys = await Promise.all([makeKey(owner), makeKey(owner)]);
    const stored = await app().deps.store.apiKeys.ofProject(owner.project.id);
    let transactions = 0;
    const { store } = app().deps;
    const counted = {
      transaction: (work: Parameters<Store['transaction']>[0]) => {
        transactions++;
        return store.transaction(work);
      },
    } as unknown as Store;
    const uses = new KeyUses({ store: counted });

    for (let n = 0; n < 500; n++) for (const key of stored) uses.note('apiKeys', key, n, '192.0.2.1');
    await uses.tick();
    await uses.tick();

    assert.equal(transactions, 1);
    const used = await store.apiKeys.ofProject(owner.project.id);
    assert.deepEqual(
      used.map(({ lastUsedAt }) => lastUsedAt),
      keys.map(() => 0),
    );
  });

  test('what cannot be written waits for the next tick, and no request fails for it', async () => {
    const owner = await givenOwner(app());
    await makeKey(owner);
    const [key = assert.fail()] = await app().deps.store.apiKeys.ofProject(owner.project.id);
    const { store } = app().deps;
    let isBroken = true;
    const failing = {
      transaction: (work: Parameters<Store['transaction']>[0]) =>
        isBroken ? Promise.reject(new Error('the disk is full')) : store.transaction(work),
    } as unknown as Store;
    const uses = new KeyUses({ store: failing });
    uses.note('apiKeys', key, 7, null);
    await assert.rejects(uses.tick(), /the disk is full/);

    isBroken = false;
    await uses.tick();

    assert.equal((await store.apiKeys.ofProject(owner.project.id))[0]?.lastUsedAt, 7);
  });
});

test('only so many uses wait', async () => {
  let written = 0;
  const uses = new KeyUses({
    store: {
      transaction: async (work: (tx: unknown) => Promise<void>) =>
        work({
          apiKeys: {
            noteUses: async (all: readonly unknown[]) => {
              written += all.length;
            },
          },
          accountTokens: { noteUses: async () => undefined },
        }),
    } as unknown as Store,
  });

  for (let id = 0; id < MAX_WAITING_USES + 10; id++) uses.note('apiKeys', { id, lastUsedAt: null }, 1, null);
  await uses.tick();

  assert.equal(written, MAX_WAITING_USES);
});

test('a key that one node revokes is refused by another at its next request', async () => {
  await using parts = new AsyncDisposableStack();
  const app = parts.use(await startTestApp('postgres'));
  const store = createSqlStore(parts.use(await openTestDriver(app.database)));
  const node = parts.use(await buildNode(testParts(testDatabase(store, 'postgres'), app.clock)));
  const other = createHttpServer(node.deps, node.pings, node.http);
  parts.defer(() => other.close());
  const owner = await givenOwner(app);
  const { uuid, secret } = await makeKey(owner);
  const ask = async () =>
    (await injectInto(other, { url: CHECKS, headers: { 'x-api-key': secret } })).statusCode;
  assert.equal(await ask(), 200);

  await owner.browser.post(`${owner.path}/do/revokeKey`, { key: uuid });

  assert.equal(await ask(), 401);
});

test('no key reaches the log, whatever happens with it', async () => {
  const lines: string[] = [];
  const log = pino(
    { level: 'trace' },
    new Writable({ write: (line, _encoding, done) => done(void lines.push(String(line)) as undefined) }),
  );
  await using app = await startTestApp('sqlite', {}, { log });
  const owner = await givenOwner(app);
  const { uuid, secret } = await makeKey(owner);
  await app.request('GET', CHECKS, { key: secret });
  await app.request('GET', `/projects/x/metrics/${secret}`);
  await owner.browser.post(`${owner.path}/do/rotateKey`, '{');
  await owner.browser.post(`${owner.path}/do/revokeKey`, { key: uuid });
  await app.request('GET', CHECKS, { key: secret });

  assert.equal(secret.length, API_KEY_LENGTH);
  assert.equal(lines.join('').includes(secret.slice(4)), false);
});
