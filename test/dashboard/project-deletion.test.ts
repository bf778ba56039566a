import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Account, REMINDER_SECONDS } from '../../src/domain/people/account.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { setReminders } from '../../src/services/people/mail-preferences.ts';
import { deleteDuePiece } from '../../src/services/project/project-deletion.ts';
import { mailPreferencesOf } from '../account-mails.ts';
import { drain, FakeSender, type Fixture, newNotifier, told } from '../alerts.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  async function signedIn({ email }: Account): Promise<Browser> {
    const browser = newBrowser(app());
    await browser.signIn(email);
    return browser;
  }

  /** A project `Alpha` with a member, and a check that is up and has a channel. */
  async function given() {
    const owner = await givenAccount(app());
    const member = await givenAccount(app());
    const { project, key, readOnlyKey } = await app().givenProject({ ownerId: owner.id });
    await app().deps.store.transaction((tx) => tx.projects.addMember(project.id, member.id, 'manager', 1));
    const lastPingAt = app().clock.now();
    const check = await app().givenCheck(project, { status: 'up', lastPingAt, lastReceivedAt: lastPingAt });
    const channel = await app().givenChannel(project);
    await app().assign(check, channel);
    const sender = new FakeSender();
    const alerts: Fixture = { app: app(), sender, notifier: newNotifier(app(), sender), check, channel, key };
    const path = `/projects/${project.uuid}`;
    return { owner, member, project, key, readOnlyKey, check, alerts, path };
  }

  const remove = (browser: Browser, { uuid, name }: Project) =>
    browser.post(`/projects/${uuid}/do/deleteProject`, { name });

  async function listOf(browser: Browser): Promise<{ projects: string[]; deleted: unknown[] }> {
    const { json } = await browser.get('/read/ownProjects');
    return { projects: json.projects.map((one: { uuid: string }) => one.uuid), deleted: json.deleted };
  }

  test('its owner deletes a project after a recent proof of who they are, and types its name', async () => {
    const { owner, member, project, path } = await given();
    const [browser, other] = [await signedIn(owner), await signedIn(member)];

    assert.equal((await remove(other, project)).json.code, 'permission_denied');
    const wrong = await browser.post(`${path}/do/deleteProject`, { name: 'alpha' });
    assert.deepEqual([wrong.status, wrong.json.field], [400, 'name']);
    app().clock.advance({ minutes: 31 });
    assert.equal((await remove(browser, project)).json.code, 'confirmation_required');
    assert.equal((await browser.get(`${path}/read/project`)).status, 200);
    await browser.signIn(owner.email);
    assert.equal((await remove(browser, project)).status, 204);

    const deletesAt = '2024-03-08T12:31:00+00:00';
    assert.deepEqual((await listOf(browser)).deleted, [{ uuid: project.uuid, name: 'Alpha', deletesAt }]);
    const [act] = (await app().deps.store.auditLog.ofAccount(owner.id, 1e9, 10)).filter(
      ({ action }) => action === 'project.deleted',
    );
    assert.equal(act?.subject.id, project.uuid);
    assert.deepEqual(act?.details, { restorableUntil: deletesAt });
  });

  test('a deleted project is gone for everybody until its owner restores it', async () => {
    const { owner, member, project, key, readOnlyKey, check, path } = await given();
    const [browser, other] = [await signedIn(owner), await signedIn(member)];
    const signature = app().deps.vault.badgeSignature(project.badgeKey, '*');
    const look = async () => [
      (await browser.get(`${path}/read/project`)).status,
      (await other.get(`${path}/read/project`)).status,
      (await app().request('GET', `/api/v3/checks/${check.uuid}`, { key })).status,
      (await app().request('GET', '/api/v3/checks/', { key: readOnlyKey })).status,
      (await app().request('GET', `/projects/${project.uuid}/metrics/${readOnlyKey}`)).status,
      (await app().request('GET', `/badge/${project.badgeKey}/${signature}.json`)).status,
      (await app().request('GET', `/b/3/${check.badgeKey}.json`)).status,
    ];
    const before = await look();
    assert.deepEqual(before, [200, 200, 200, 200, 200, 200, 200]);

    await remove(browser, project);

    assert.deepEqual(await look(), [404, 404, 401, 401, 403, 404, 404]);
    assert.deepEqual(await listOf(other), { projects: [], deleted: [] });
    const { projects, deleted } = await listOf(browser);
    assert.deepEqual([projects, deleted.length], [[], 1]);
    assert.equal(
      (await other.post('/do/restoreProject', { target: project.uuid })).json.code,
      'project_not_found',
    );
    assert.equal((await app().ping(`/${check.uuid}`)).status, 200, 'pings are recorded');

    const restored = await browser.post('/do/restoreProject', { target: project.uuid });

    assert.equal(restored.status, 204);
    assert.deepEqual(await look(), before);
    assert.deepEqual(await listOf(other), { projects: [project.uuid], deleted: [] });
    assert.equal(
      (await browser.post('/do/restoreProject', { target: project.uuid })).status,
      404,
      'only what is deleted is restored',
    );
    assert.equal((await app().deps.store.checks.byId(check.id))?.pingCount, 1);
    const acts = await app().deps.store.auditLog.ofAccount(owner.id, 1e9, 2);
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['project.restored', 'project.deleted'],
    );
  });

  test('nobody is told what happens in a deleted project, and its true state comes back with it', async () => {
    const { owner, project, check, alerts, key } = await given();
    const browser = await signedIn(owner);
    await remove(browser, project);

    app().clock.advance({ days: 2 });
    await drain(alerts);

    assert.deepEqual(told(alerts), []);
    const { status } = (await app().deps.store.checks.byId(check.id)) ?? {};
    assert.equal(status, 'down', 'deadlines are still watched');
    await browser.signIn(owner.email);
    await browser.post('/do/restoreProject', { target: project.uuid });
    await drain(alerts);
    assert.deepEqual(told(alerts), [], 'what was withheld is not sent later');
    const { json } = await app().request('GET', `/api/v3/checks/${check.uuid}/deliveries/`, { key });
    const [delivery] = (json as { deliveries: { state: string; error: string }[] }).deliveries;
    assert.deepEqual([delivery?.state, delivery?.error], ['skipped', 'The project was deleted']);

    await app().ping(`/${check.uuid}`);
    await drain(alerts);

    assert.deepEqual(told(alerts), ['up']);
  });

  test('a message that waits when the project is deleted is not sent', async () => {
    const { owner, project, check, alerts } = await given();
    await app().receive(check, 'fail');
    await remove(await signedIn(owner), project);

    await drain(alerts);

    assert.deepEqual(told(alerts), []);
    const [delivery] = await app().deps.store.deliveries.ofCheck(check.id, 1);
    assert.deepEqual([delivery?.state, delivery?.error], ['skipped', 'The project was deleted']);
  });

  test('reminders of what is down stop with the project and come back with it', async () => {
    const { owner, member, project, check } = await given();
    const { store, clock } = app().deps;
    for (const { id } of [owner, member])
      await store.transaction((tx) => setReminders(tx, id, REMINDER_SECONDS.hourly, clock.now()));
    await app().receive(check, 'fail');
    const dates = () =>
      Promise.all(
        [owner, member].map(async ({ id }) => (await mailPreferencesOf(app(), id)).nextReminderAt !== null),
      );
    assert.deepEqual(await dates(), [true, true]);
    const browser = await signedIn(owner);

    await remove(browser, project);
    assert.deepEqual(await dates(), [false, false]);
    await browser.post('/do/restoreProject', { target: project.uuid });
    assert.deepEqual(await dates(), [true, true]);
  });

  test('of two who delete a project at once, one is told that it is gone', async () => {
    const { owner, project } = await given();
    const browsers = [await signedIn(owner), await signedIn(owner)];

    const replies = await Promise.all(browsers.map((browser) => remove(browser, project)));

    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 404]);
  });

  test('after seven days nobody can restore it, even before it is gone', async () => {
    const { owner, project } = await given();
    const browser = await signedIn(owner);
    await remove(browser, project);
    app().clock.advance({ days: 7 });
    app().clock.advance({ seconds: -1 });
    assert.equal(await deleteDuePiece(app().deps), false);
    await browser.signIn(owner.email);
    assert.equal((await listOf(browser)).deleted.length, 1);

    app().clock.advance({ seconds: 1 });

    assert.equal((await browser.post('/do/restoreProject', { target: project.uuid })).status, 404);
    assert.deepEqual(await listOf(browser), { projects: [], deleted: [] });
    while (await deleteDuePiece(app().deps));
    assert.equal(await app().deps.store.projects.byId(project.id), null);
  });
});
