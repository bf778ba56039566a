import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VISIT_SPAN } from '../../src/services/people/visits.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { givenAccount } from './browser.ts';
import { UUID } from './endpoints.ts';
import { actsIn, givenMember, givenPerson, givenTeam, signedIn } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  const statusOf = async (uuid: string) => (await app().deps.store.checks.byUuid(uuid))?.status;

  test('a member pauses and resumes a check by its UUID or its unique key, and the log says who', async () => {
    const { project } = await givenTeam(app());
    const { browser, account } = await givenMember(app(), project, 'member');
    const check = await app().givenCheck(project, { name: 'Backup', status: 'up' });

    assert.equal((await browser.post(`/checks/${check.uuid}/do/pauseCheck`)).status, 204);
    assert.equal(await statusOf(check.uuid), 'paused');
    assert.equal((await browser.post(`/checks/${check.uniqueKey}/do/resumeCheck`)).status, 204);
    assert.equal(await statusOf(check.uuid), 'new');

    const acts = await actsIn(app(), project);
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['check.paused', 'check.resumed'],
    );
    const page = { after: null, from: 0, before: Number.MAX_SAFE_INTEGER, most: 10 };
    const log = await app().deps.store.auditLog.page({ projectId: project.id }, page);
    assert.ok(log.every(({ accountId }) => accountId === account.id));
  });

  test('a check that somebody else has resumed cannot be resumed, and that is said', async () => {
    const { project, browser } = await givenTeam(app());
    const check = await app().givenCheck(project, { status: 'up' });

    const reply = await browser.post(`/checks/${check.uuid}/do/resumeCheck`);

    assert.equal(reply.status, 409);
    assert.equal(reply.json.code, 'check_not_paused');
  });

  test('a stranger gets the answer of a check that does not exist, by either name', async () => {
    const { project } = await givenTeam(app());
    const check = await app().givenCheck(project, { status: 'up' });
    const { browser } = await givenPerson(app());
    const missing = await browser.post(`/checks/${UUID}/do/pauseCheck`);
    assert.deepEqual([missing.status, missing.json.code], [404, 'check_not_found']);

    for (const name of [check.uuid, check.uniqueKey]) {
      const reply = await browser.post(`/checks/${name}/do/pauseCheck`);
      assert.deepEqual([reply.status, reply.text], [404, missing.text]);
    }
    assert.equal(await statusOf(check.uuid), 'up');
  });

  test('checks of a deleted project are not found', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project, { status: 'up' });
    assert.equal((await browser.post(`${path}/do/deleteProject`, { name: project.name })).status, 204);

    for (const name of [check.uuid, check.uniqueKey])
      assert.equal((await browser.post(`/checks/${name}/do/pauseCheck`)).json.code, 'check_not_found');
  });

  test('an administrator reaches checks of others while they visit the project', async () => {
    const { project } = await givenTeam(app());
    const check = await app().givenCheck(project, { status: 'up' });
    const { browser } = await signedIn(app(), await givenAccount(app(), { isAdmin: true }));
    const pause = () => browser.post(`/checks/${check.uniqueKey}/do/pauseCheck`);
    assert.equal((await pause()).status, 404);

    const visit = await browser.post('/do/visitProject', { target: project.uuid, reason: 'They asked.' });
    assert.equal(visit.status, 204);
    assert.equal((await pause()).status, 204);
    app().clock.advance({ seconds: VISIT_SPAN / 1_000_000 });
    assert.equal((await pause()).status, 404);
  });
});
