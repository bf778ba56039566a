import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KumaFixture, type KumaVersion, kumaFacts } from '../../src/import/kuma/fixture.test-support.ts';
import { readKuma } from '../../src/import/kuma/import.ts';
import type { ServerSettings } from '../../src/integrations/registry.ts';
import { fromIso } from '../../src/lib/instant.ts';
import { resumeCheck, updateCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import {
  ImportRefusedError,
  type ImportResult,
  importInstallation,
} from '../../src/services/importing/installation.ts';
import { knownChecks } from '../../src/services/importing/known-checks.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { APPLY } from './small-import.ts';

const NOW = fromIso('2026-11-17T00:10:00Z') ?? 0;
const OWNER = 'kuma@example.org';

async function startApp(engine: Parameters<typeof startTestApp>[0]): Promise<TestApp> {
  const app = await startTestApp(engine);
  app.clock.set(NOW);
  return app;
}

async function bring(app: TestApp, { path }: KumaFixture, owner = OWNER): Promise<ImportResult> {
  using source = await readKuma({
    path,
    owner,
    project: 'Uptime Kuma',
    // Settings that are absent are unset.
    instance: { server: {} as ServerSettings, hasMail: false },
    now: app.clock.now(),
    knownChecks: (identity, project) => knownChecks(app.deps, identity, project),
  });
  return await importInstallation(app.deps, source, APPLY);
}

async function projectOf({ deps: { store } }: TestApp) {
  const account = (await store.accounts.byEmail(OWNER)) ?? assert.fail();
  const [project = assert.fail()] = await store.projects.ownedBy(account.id);
  return project;
}

async function checksOf(app: TestApp) {
  const project = await projectOf(app);
  const names = await app.deps.store.transaction((tx) => tx.checks.namesOfProject(project.id));
  return app.deps.store.checks.byIds(names.map(({ id }) => id));
}

async function checkNamed(app: TestApp, name: string) {
  return (await checksOf(app)).find((check) => check.name === name) ?? assert.fail(name);
}

async function person(app: TestApp) {
  const { id } = await projectOf(app);
  return systemActor(id, { accountId: null, name: 'alice', means: 'session', remoteAddr: null });
}

const push = (app: TestApp, token: string, query = '') =>
  app.ping(`/${token}${query}`, { door: '/api/push' });

function nothing({ changes, carried }: ImportResult): void {
  assert.deepEqual(changes, []);
  assert.deepEqual(
    Object.entries(carried).filter(([, count]) => count > 0),
    [],
  );
}

const VERSIONS: readonly KumaVersion[] = ['1.23', '2'];

forEachEngine((engine) => {
  for (const version of VERSIONS)
    test(`jobs of Uptime Kuma ${version} go on pushing to their old addresses`, async () => {
      await using app = await startApp(engine);
      using fixture = new KumaFixture(version);

      const { carried } = await bring(app, fixture);

      const monitors = kumaFacts(version).monitors.filter(({ here }) => here.carried);
      assert.equal(carried.checks, monitors.length);
      for (const { name, token = '', here } of monitors) {
        const known = (await checksOf(app)).filter((check) => check.name === name);
        assert.ok(
          known.every(({ status }) => status === here.status),
          name,
        );
        const before = known.reduce((sum, { pingCount }) => sum + pingCount, 0);
        const { status, text } = await push(app, token, '?msg=done&ping=12');
        assert.deepEqual([status, text], [200, '{"ok":true}']);
        const after = (await checksOf(app)).filter((check) => check.name === name);
        assert.equal(
          after.reduce((sum, { pingCount }) => sum + pingCount, 0),
          before + 1,
        );
      }
      assert.equal((await checkNamed(app, 'Failing job')).status, 'up');
      const paused = await checkNamed(app, 'Paused job');
      assert.equal(paused.status, 'paused');
      await resumeCheck(app.deps, await person(app), paused.id);
      const token = monitors.find(({ name }) => name === 'Paused job')?.token ?? '';
      await push(app, token);
      assert.equal((await checkNamed(app, 'Paused job')).status, 'up');
    });

  test('a token of ten characters goes on working', async () => {
    await using app = await startApp(engine);
    using fixture = new KumaFixture('2');
    const token = 'aB3-_fGh9Z';
    fixture.run("update monitor set push_token = ? where name = 'Failing job'", token);
    await bring(app, fixture);

    const { status, text } = await push(app, token);

    assert.deepEqual([status, text], [200, '{"ok":true}']);
    assert.equal((await checkNamed(app, 'Failing job')).status, 'up');
  });

  test('a second import follows Uptime Kuma where nobody has changed anything here', async () => {
    await using app = await startApp(engine);
    using fixture = new KumaFixture('2');
    await bring(app, fixture);
    const slugs = async () => new Map((await checksOf(app)).map(({ uuid, slug }) => [uuid, slug]));
    const before = await slugs();

    nothing(await bring(app, fixture));

    fixture.run("update monitor set name = 'Nightly dump' where id = 3");
    fixture.run("update monitor set name = 'Pulse' where id = 4");
    fixture.run('delete from monitor where id = 5');
    fixture.run(
      "insert into monitor (id, name, type, interval, push_token) values (5, 'Twin', 'push', 60, 'aNewToken123')",
    );
    const heartbeat = await checkNamed(app, 'Heartbeat');
    await updateCheck(app.deps, await person(app), heartbeat.id, { edit: { name: 'My heartbeat' } });
    fixture.run('delete from monitor where id = 9');

    const { kept } = await bring(app, fixture);

    const names = (await checksOf(app)).map(({ name }) => name);
    assert.ok(names.includes('Nightly dump') && names.includes('My heartbeat') && !names.includes('Pulse'));
    assert.ok(names.includes('Twenty-four days'), 'what is gone there stays');
    assert.ok(kept.some(({ reason }) => reason.includes('gone')));
    for (const [uuid, slug] of await slugs()) if (before.has(uuid)) assert.equal(slug, before.get(uuid));
  });

  test('a second import for another owner makes no account, and tells that the project has one', async () => {
    await using app = await startApp(engine);
    using fixture = new KumaFixture('2');
    await bring(app, fixture);

    const again = await bring(app, fixture, 'other@example.org');

    nothing(again);
    assert.deepEqual(again.kept, [
      { entry: 'project Uptime Kuma', field: 'owner', reason: 'another one here' },
    ]);
    assert.equal(await app.deps.store.accounts.byEmail('other@example.org'), null);
    assert.equal((await projectOf(app)).name, 'Uptime Kuma');
  });

  test('pings go on where they were, also after Uptime Kuma has removed old ones', async () => {
    await using app = await startApp(engine);
    using fixture = new KumaFixture('2');
    await bring(app, fixture);
    fixture.run('delete from heartbeat where monitor_id = 3 and id < 20');
    for (const second of ['01', '02', '03'])
      fixture.run(
        "insert into heartbeat (monitor_id, time, status, msg) values (3, ?, 1, 'later')",
        `2026-11-17 00:05:${second}.000`,
      );

    const { carried } = await bring(app, fixture);

    assert.equal(carried.pings, 3);
    const token = kumaFacts('2').monitors.find(({ id }) => id === 3)?.token ?? '';
    assert.equal((await push(app, token)).status, 200);
    const { id, pingCount } = await checkNamed(app, 'Nightly backup');
    const numbers = (await app.deps.store.pings.latest(id, 100)).map(({ n }) => n);
    assert.deepEqual([pingCount, numbers], [10, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]]);
  });

  test('an owner who may not have as many checks is told the number', async () => {
    await using app = await startApp(engine);
    using fixture = new KumaFixture('2');
    const { defaultLimits } = app.deps;
    fixture.work((database) => {
      const insert = database.prepare("insert into monitor (name, type, push_token) values (?, 'push', ?)");
      database.exec('begin');
      for (let n = 0; n < defaultLimits.checks; n++) insert.run(`Job ${n}`, `token-number-${n}`);
      database.exec('commit');
    });
    await assert.rejects(bring(app, fixture), (error) => {
      assert.ok(error instanceof ImportRefusedError);
      assert.match(error.reasons.join('\n'), new RegExp(`${defaultLimits.checks + 11}`));
      return true;
    });
    assert.equal(await app.deps.store.accounts.byEmail(OWNER), null);
  });
});
