import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { rotateSecret } from '../src/cli/rotate-secret.ts';
import type { Project } from '../src/domain/people/project.ts';
import { systemRandom } from '../src/lib/random.ts';
import { createVault } from '../src/lib/vault.ts';
import { authenticate, PROGRAM_ITSELF } from '../src/services/core/actor.ts';
import { forgetForeignSecrets, keepForeignSecret } from '../src/services/core/foreign-secrets.ts';
import { resealAll } from '../src/services/instance/secret-rotation.ts';
import { importKey, projectOfKey } from '../src/services/project/imported-keys.ts';
import { startTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { TEST_SECRET } from './node-parts.ts';

// Healthchecks made these.
const SECRET = 'fixture-secret-0123456789-abcdef';
const WRITE = {
  secret: 'hcw_9NIYbFSttgyyggTzl2HkcbhktIHf',
  kind: 'read_write' as const,
  stored: '9NIYbFSt.7f7176645128b7fe1534be910c66bbd5668d1254fdc6d404c7ff93c0f2e090c6',
};
const READ = {
  secret: 'hcr_cw8wvYeLrLTtjX8KGS8ttjssdcSH',
  kind: 'read_only' as const,
  stored: 'cw8wvYeL.88180516c1116dff5d4bb7dbe7c4973bdafb1a3bbee984855e9912ea763ac55e',
};

function imported(app: TestApp, project: Project, { kind, stored }: typeof WRITE | typeof READ) {
  const [lookup = '', digest = ''] = stored.split('.');
  const key = { kind, name: 'imported', lookup, digest, by: PROGRAM_ITSELF };
  return app.deps.store.transaction((tx) => importKey(app.deps, tx, project, key));
}

function keep(app: TestApp, secret = SECRET): Promise<void> {
  return app.deps.store.transaction((tx) => keepForeignSecret(app.deps, tx, secret));
}

async function givenImported(app: TestApp, secret: string | null = SECRET): Promise<Project> {
  const { project } = await app.givenProject();
  for (const key of [WRITE, READ]) assert.equal(await imported(app, project, key), 'imported');
  if (secret !== null) await keep(app, secret);
  return project;
}

async function statusOf(app: TestApp, key: string, version = 3): Promise<number> {
  return (await app.request('GET', `/api/v${version}/checks/`, { key })).status;
}

async function keysOf(app: TestApp, project: Project): Promise<(string | null)[]> {
  const keys = await app.deps.store.apiKeys.ofProject(project.id);
  return keys.filter(({ name }) => name === 'imported').map(({ secretId }) => secretId);
}

/** Runs the command beside the service. */
async function forget(app: TestApp): Promise<string> {
  const { database } = app;
  const url = database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url;
  const printed = new PassThrough({ encoding: 'utf8' });
  const code = await rotateSecret.run(['--forget-foreign'], {
    stdin: process.stdin,
    stdout: printed,
    stderr: printed,
    environment: () => ({ DATABASE_URL: url, SECRET_KEY: TEST_SECRET }),
    stopSignal: () => new Promise(() => undefined),
    exit: (ended) => assert.fail(`it ends with ${ended}`),
  });
  assert.equal(code, 0);
  return String(printed.read());
}

forEachEngine((engine) => {
  test('keys that another program digested open their project, and have a digest of ours from then on', async () => {
    await using app = await startTestApp(engine);
    const project = await givenImported(app);

    for (const version of [1, 2, 3]) assert.equal(await statusOf(app, WRITE.secret, version), 200);
    const made = await app.request('POST', '/api/v3/checks/', { key: READ.secret, body: {} });

    assert.equal(made.status, 401);
    assert.equal(await statusOf(app, `${WRITE.secret.slice(0, -1)}x`), 401);
    const { secretId } = app.deps.vault;
    assert.deepEqual(await keysOf(app, project), [secretId, secretId]);
    await forgetForeignSecrets(app.deps);
    assert.equal(await statusOf(app, WRITE.secret), 200);
    assert.equal(await statusOf(app, READ.secret), 200);
  });

  test('without the secret, or with another one, such keys open nothing', async () => {
    await using app = await startTestApp(engine);
    const project = await givenImported(app, null);

    assert.equal(await statusOf(app, WRITE.secret), 401);
    await keep(app, `${SECRET}!`);
    assert.equal(await statusOf(app, WRITE.secret), 401);
    assert.equal(await projectOfKey(app.deps, app.deps.store, WRITE.secret), null);
    await keep(app);
    assert.equal((await projectOfKey(app.deps, app.deps.store, WRITE.secret))?.uuid, project.uuid);
    assert.equal(await projectOfKey(app.deps, app.deps.store, 'a'), null);
    assert.deepEqual(await keysOf(app, project), ['foreign', 'foreign']);
  });

  test('the same key comes once, a later one takes its place, and one of another project is refused', async () => {
    await using app = await startTestApp(engine);
    const project = await givenImported(app);
    await statusOf(app, WRITE.secret);
    const { project: other } = await app.givenProject();

    assert.equal(await imported(app, project, WRITE), 'known');
    assert.equal(await imported(app, project, READ), 'known');
    assert.equal(await imported(app, other, READ), 'taken');
    const later = `hcr_later${'x'.repeat(23)}`;
    const digest = createHmac('sha256', SECRET).update(later).digest('hex');
    assert.equal(await imported(app, project, { ...READ, stored: `laterxxx.${digest}` }), 'imported');
    assert.equal(await statusOf(app, READ.secret), 401);
    assert.equal(await statusOf(app, later), 200);
    assert.equal(await statusOf(app, WRITE.secret), 200);
  });

  test('another secret of the server changes nothing about that', async () => {
    await using app = await startTestApp(engine);
    await givenImported(app);
    const { store, clock } = app.deps;
    const next = createVault('the next secret of the server', systemRandom, [TEST_SECRET]);

    const { apiKeysLeft } = await resealAll({ store, vault: next });

    assert.equal(apiKeysLeft, 2);
    const alone = createVault('the next secret of the server', systemRandom);
    const keyUses = { note: () => undefined };
    const actor = await authenticate({ store, vault: alone, clock, keyUses }, WRITE.secret, null);
    assert.equal(actor.caller.kind, 'api_key');
  });

  test('badge addresses that another program gave away show the badge, unless its secret is short', async () => {
    for (const [secret, expected] of [
      [SECRET, 200],
      ['---', 404],
      ['fifteen letters', 404],
    ] as const) {
      await using app = await startTestApp(engine);
      const { project } = await app.givenProject();
      await app.givenCheck(project, { tags: 'backup' });
      const { badgeKey } = project;
      const signature = createVault(secret, systemRandom).badgeSignature(badgeKey, 'backup');
      const path = `/badge/${badgeKey}/${signature}/backup.svg`;

      assert.equal((await app.request('GET', path)).status, 404);
      await keep(app, secret);
      assert.equal((await app.request('GET', path)).status, expected, secret);
      assert.equal((await app.request('GET', path.replace('backup.svg', 'other.svg'))).status, 404);
      await forgetForeignSecrets(app.deps);
      assert.equal((await app.request('GET', path)).status, 404);
    }
  });

  test('nothing else that was made with the secret of another program is accepted', async () => {
    await using app = await startTestApp(engine);
    await givenImported(app);
    const foreign = createVault(SECRET, systemRandom);
    const { vault, store } = app.deps;

    assert.equal(vault.unseal(foreign.seal('text')), null);
    assert.equal(vault.isSigned(foreign.sign('unsubscribe', 'x', 16), 'unsubscribe', 'x', 16), false);
    assert.equal(vault.unsealNumber(foreign.sealNumber(7)), null);
    assert.equal(vault.knowsSecret(foreign.secretId), false);
    const row = await store.instance.get('foreign_secrets');
    assert.ok(row !== null && !row.includes(SECRET));
    // A key of ours under the foreign secret is no key.
    const { project } = await app.givenProject();
    const secret = `hcw_forged${'x'.repeat(22)}`;
    const digest = foreign.digest(secret);
    await imported(app, project, { ...WRITE, stored: `forgedxx.${digest}` });
    const [key] = (await store.apiKeys.ofProject(project.id)).slice(-1);
    assert.ok(key !== undefined);
    await store.transaction((tx) => tx.apiKeys.setDigest(key, { digest, secretId: vault.secretId }));
    assert.equal(await statusOf(app, secret), 401);
  });

  test('the command forgets the secret while the service runs, and names the keys that needed it', async () => {
    await using app = await startTestApp(engine);
    const project = await givenImported(app);
    await statusOf(app, WRITE.secret);

    const printed = await forget(app);

    assert.equal(
      printed,
      `Secret keys of other programs are accepted no longer, nor badge URLs made with them.
These API keys were not used since the import and are invalid:
  ${project.name}  hcr_cw8wvYeL********************
`,
    );
    assert.equal(await statusOf(app, WRITE.secret), 200);
    assert.equal(await statusOf(app, READ.secret), 401);
  });

  test('a request with a key of ours never asks for secrets of other programs', async () => {
    await using app = await startTestApp(engine);
    const { key, project } = await app.givenProject();
    await givenImported(app);
    await app.givenCheck(project, { tags: 'backup' });
    const { instance } = app.deps.store;
    const asked: string[] = [];
    const get = instance.get.bind(instance);
    instance.get = (row) => {
      asked.push(row);
      return get(row);
    };
    const signature = app.deps.vault.badgeSignature(project.badgeKey, 'backup');

    assert.equal(await statusOf(app, key), 200);
    assert.equal(await statusOf(app, `${key.slice(0, -1)}!`), 401);
    const badge = await app.request('GET', `/badge/${project.badgeKey}/${signature}/backup.svg`);

    assert.equal(badge.status, 200);
    assert.deepEqual(asked, []);
    assert.equal(await statusOf(app, WRITE.secret), 200);
    assert.deepEqual(asked, ['foreign_secrets']);
  });
});
