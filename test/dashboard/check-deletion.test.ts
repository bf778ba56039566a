import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_RESTORABLE_CHECKS } from '../../src/domain/check/check-deletion.ts';
import { checkDeletions, purgeDuePiece } from '../../src/services/check/check-deletion.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { deleteDuePiece } from '../../src/services/project/project-deletion.ts';
import { deleteProject } from '../../src/services/project/projects.ts';
import { sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { forOneEngine, openTestDriver } from '../engines.ts';
import { deleteAll, longBody, moveAll } from '../objects/bodies.ts';
import { MemoryStore } from '../objects/memory-store.ts';
import { actsIn, givenTeam } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);
  const byUuid = (uuid: string) => app().deps.store.checks.byUuid(uuid);

  test('a deleted check answers no ping, is in no list, alerts nobody, and is restored with its history', async () => {
    const { project, browser, path, account } = await givenTeam(app());
    const channel = await app().givenChannel(project);
    const check = await app().givenCheck(project, { name: 'Backup', slug: 'backup', tags: 'db' });
    await app().assign(check, channel);
    await app().receive(check, 'success');
    const before = await byUuid(check.uuid);
    app().clock.advance({ days: 8 });

    const reply = await browser.post(`/checks/${check.uuid}/do/deleteCheck`);

    assert.equal(reply.status, 204);
    const { store } = app().deps;
    assert.equal((await app().ping(`/${check.uuid}`)).status, 404);
    assert.equal(await byUuid(check.uuid), null);
    assert.deepEqual(await store.checks.ofProject(project.id), []);
    assert.deepEqual(await store.checks.tagsOfProject(project.id), []);
    assert.equal(await store.checks.byBadgeKey(check.badgeKey), null);
    assert.equal(await store.accounts.checkCount(account.id), 0);
    assert.equal((await browser.get(`/checks/${check.uuid}/read/editedCheck`)).json.code, 'check_not_found');
    await flipOverdue({ ...app().deps, onPoison: () => assert.fail() });
    assert.equal((await store.checks.byId(check.id))?.status, 'up');
    assert.deepEqual(await store.deliveries.ofCheck(check.id, 10), []);
    const checks = (await browser.get(`${path}/read/deletedChecks`)).json;
    assert.deepEqual(
      checks.map(({ uuid, name, tags }: Record<string, unknown>) => ({ uuid, name, tags })),
      [{ uuid: check.uuid, name: 'Backup', tags: 'db' }],
    );

    const restored = await browser.post(`${path}/do/restoreChecks`, { checks: [check.uuid] });

    assert.deepEqual(restored.json, { done: [check.uuid], refused: [] });
    const after = (await byUuid(check.uuid)) ?? assert.fail();
    const { deadlineAt, excusedUntilAt } = after;
    assert.deepEqual(
      { ...after, deadlineAt: 0, excusedUntilAt: 0 },
      { ...before, deadlineAt: 0, excusedUntilAt: 0 },
    );
    // Its pings were refused meanwhile. It has its grace time again.
    assert.equal(deadlineAt, app().clock.now() + check.graceSeconds * 1_000_000);
    assert.equal(excusedUntilAt, deadlineAt);
    assert.deepEqual(await store.checks.channelsOf(check.id), [channel.uuid]);
    assert.deepEqual(await store.checks.tagsOfProject(project.id), ['db']);
    assert.equal((await store.pings.latest(check.id, 10)).length, 1);
    assert.equal(await store.accounts.checkCount(account.id), 1);
    assert.equal((await app().ping(`/${check.uuid}`)).status, 200);
    const acts = await actsIn(app(), project);
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['check.deleted', 'check.restored'],
    );
  });

  test('a check that is restored at once is as it was, with its deadline', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    await app().receive(check, 'success');
    const before = await byUuid(check.uuid);
    const name = check.name || check.slug || check.uniqueKey.slice(0, 8);
    assert.equal(
      (await browser.post(`/checks/${check.uuid}/do/deleteCheck`, { typedName: name })).status,
      204,
    );

    await browser.post(`${path}/do/restoreChecks`, { checks: [check.uuid] });

    assert.deepEqual(await byUuid(check.uuid), before);
  });

  test('a check that was pinged within seven days is deleted by whoever types its name', async () => {
    const { project, browser } = await givenTeam(app());
    const check = await app().givenCheck(project, { name: 'Backup', lastReceivedAt: app().clock.now() });
    const remove = (body: object) => browser.post(`/checks/${check.uuid}/do/deleteCheck`, body);

    const asked = await remove({});
    assert.deepEqual([asked.status, asked.json.code, asked.json.name], [409, 'name_required', 'Backup']);
    assert.equal(asked.json.lastPing, '2024-03-01T12:00:00+00:00');
    const wrong = await remove({ typedName: 'backup' });
    assert.deepEqual([wrong.status, wrong.json.code, wrong.json.field], [400, 'invalid_field', 'name']);
    assert.ok((await byUuid(check.uuid)) !== null);
    assert.equal((await remove({ typedName: 'Backup' })).status, 204);
  });

  test('a message that waits when its check is deleted is not sent', async () => {
    const { project, browser } = await givenTeam(app());
    const channel = await app().givenChannel(project);
    const check = await app().givenCheck(project, { status: 'up' });
    await app().assign(check, channel);
    await app().receive(check, 'fail');
    const { store } = app().deps;
    assert.deepEqual(
      (await store.deliveries.ofCheck(check.id, 9)).map(({ state }) => state),
      ['open'],
    );

    app().clock.advance({ days: 8 });
    await browser.post(`/checks/${check.uuid}/do/deleteCheck`);

    const [ended] = await store.deliveries.ofCheck(check.id, 9);
    assert.deepEqual([ended?.state, ended?.error], ['skipped', 'The check was deleted']);
  });

  test('another project neither sees nor restores it, and nothing is left after seven days', async () => {
    const { project, browser, path } = await givenTeam(app());
    const other = await givenTeam(app());
    const check = await app().givenCheck(project);
    await app().givenPing(check);
    await browser.post(`/checks/${check.uuid}/do/deleteCheck`);
    const restore = async (where: string, by = browser) =>
      (await by.post(`${where}/do/restoreChecks`, { checks: [check.uuid] })).json;

    assert.deepEqual((await other.browser.get(`${other.path}/read/deletedChecks`)).json, []);
    assert.equal((await restore(other.path, other.browser)).refused[0].error, 'check not found');
    app().clock.advance({ days: 7 });
    await browser.signIn((await app().deps.store.accounts.byId(project.ownerId))?.email ?? '');
    assert.equal((await restore(path)).refused[0].error, 'check not found');
    assert.deepEqual((await browser.get(`${path}/read/deletedChecks`)).json, []);
    const deletions = checkDeletions(app().deps);
    assert.equal(await deletions.tick(), false);
    app().clock.advance({ hours: 1 });
    while (await deletions.tick());
    assert.equal(await app().deps.store.checks.byId(check.id), null);
    assert.deepEqual(await app().deps.store.pings.latest(check.id, 9), []);
  });

  test('restoring needs room for one more check', async () => {
    const { project, browser, path, account } = await givenTeam(app());
    const check = await app().givenCheck(project);
    await browser.post(`/checks/${check.uuid}/do/deleteCheck`);
    await app().deps.store.transaction((tx) => tx.accounts.setLimits(account.id, { checks: 0, pings: 100 }));

    const { refused } = (await browser.post(`${path}/do/restoreChecks`, { checks: [check.uuid] })).json;

    assert.equal(refused[0].error, 'check limit reached');
    assert.equal(await byUuid(check.uuid), null);
  });

  test('a project has so many checks to restore, and with one more the first is due', async () => {
    const { project } = await givenTeam(app());
    const { store } = app().deps;
    const now = app().clock.now();
    for (let n = 0; n < 4; n++) {
      const { id, uuid } = await app().givenCheck(project);
      const deleted = { id, projectId: project.id, uuid, channelIds: [], deletesAt: now + 1 + n };
      await store.transaction((tx) => tx.deletedChecks.insert({ ...deleted, declaration: null }));
    }
    await store.transaction((tx) => tx.deletedChecks.expireBeyond(project.id, 3, now));

    assert.equal((await store.deletedChecks.ofProject(project.id, now, MAX_RESTORABLE_CHECKS)).length, 3);
  });

  test('the project in which deleted checks wait is in no list of projects', async () => {
    const { project, browser, account } = await givenTeam(app());
    const count = await app().deps.store.projects.count(1_000);
    await browser.post(`/checks/${(await app().givenCheck(project)).uuid}/do/deleteCheck`);

    const { store } = app().deps;
    assert.equal(await store.projects.count(1_000), count);
    assert.deepEqual(
      (await store.projects.ownedBy(account.id)).map(({ id }) => id),
      [project.id],
    );
    assert.deepEqual(await store.projects.restorableOf(account.id, 0), []);
    const { projects, deleted } = (await browser.get('/read/ownProjects')).json;
    assert.deepEqual([projects.length, deleted.length], [1, 0]);
  });
});

forOneEngine((engine) => {
  test('with a project its deleted checks go for good, and with them their bodies in object storage', async () => {
    const objects = new MemoryStore();
    await using app = await startTestApp(engine, {}, {}, objects);
    const { project, browser } = await givenTeam(app);
    const purged = await app.givenCheck(project);
    const doomed = await app.givenCheck(project);
    for (const { uuid } of [purged, doomed]) await app.ping(`/${uuid}`, { body: longBody(1) });
    await moveAll(app.deps);
    app.clock.advance({ days: 8 });
    await browser.signIn((await app.deps.store.accounts.byId(project.ownerId))?.email ?? '');
    await browser.post(`/checks/${purged.uuid}/do/deleteCheck`);
    assert.equal(objects.objects.size, 2);

    app.clock.advance({ days: 7 });
    while (await purgeDuePiece(app.deps, app.clock.now()));
    await deleteAll(app.deps);
    assert.equal(objects.objects.size, 1);

    await browser.signIn((await app.deps.store.accounts.byId(project.ownerId))?.email ?? '');
    await browser.post(`/checks/${doomed.uuid}/do/deleteCheck`);
    await deleteProject(app.deps, systemActor(project.id), project.name);
    app.clock.advance({ days: 7 });
    while (await deleteDuePiece(app.deps));
    await deleteAll(app.deps);
    assert.equal(objects.objects.size, 0);
    assert.equal(await rowsOf(app), 0);
  });
});

async function rowsOf({ database }: TestApp): Promise<number> {
  await using driver = await openTestDriver(database);
  let rows = 0;
  for (const table of ['projects', 'checks', 'deleted_checks', 'pings'])
    rows += (await driver.all(`select 1 as one from ${table}`)).length;
  return rows;
}
