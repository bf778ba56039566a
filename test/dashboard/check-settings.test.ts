import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { actsIn, givenMember, givenTeam } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);
  const byUuid = async (uuid: string) => (await app().deps.store.checks.byUuid(uuid)) ?? assert.fail();

  test('a check without settings has the defaults and all integrations of its project', async () => {
    const { project, browser, path } = await givenTeam(app());
    const channel = await app().givenChannel(project);

    const reply = await browser.post(`${path}/do/createCheck`, { name: 'Backup' });

    assert.equal(reply.status, 200);
    const check = await byUuid(reply.json.uuid);
    assert.deepEqual([check.kind, check.timeoutSeconds, check.graceSeconds], ['simple', 86_400, 3_600]);
    assert.deepEqual([check.name, check.status], ['Backup', 'new']);
    assert.deepEqual(await app().deps.store.checks.channelsOf(check.id), [channel.uuid]);
    assert.deepEqual((await actsIn(app(), project))[0]?.action, 'check.created');
  });

  test('each wrong setting is told with its field, and nothing is saved', async () => {
    const { project, browser, path } = await givenTeam(app());
    const wrong: readonly (readonly [object, string])[] = [
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ slug: 'Backup' }, 'slug'],
      [{ slug: 'a b' }, 'slug'],
      [{ tags: 'x'.repeat(501) }, 'tags'],
      [{ kind: 'simple', timeout: 59 }, 'timeout'],
      [{ kind: 'simple', timeout: 31_536_001 }, 'timeout'],
      [{ kind: 'simple' }, 'timeout'],
      [{ kind: 'cron' }, 'schedule'],
      [{ kind: 'cron', schedule: '61 * * * *' }, 'schedule'],
      [{ kind: 'cron', schedule: '0 3 * * * *' }, 'schedule'],
      [{ kind: 'cron', schedule: '0 0 30 2 *' }, 'schedule'],
      [{ kind: 'oncalendar', schedule: 'Mon *-*-* 10:00 UTC more' }, 'schedule'],
      [{ kind: 'cron', schedule: `${'0,'.repeat(50)}0 * * * *` }, 'schedule'],
      [{ kind: 'sometimes' }, 'kind'],
      [{ tz: 'Mars/Olympus' }, 'tz'],
      [{ grace: 59 }, 'grace'],
      [{ channels: ['x'] }, 'channels'],
      [{ channels: 'x' }, 'channels'],
    ];
    for (const [body, field] of wrong) {
      const reply = await browser.post(`${path}/do/createCheck`, body);
      assert.deepEqual([reply.status, reply.json.field], [400, field], JSON.stringify(body));
    }
    assert.deepEqual(await app().deps.store.checks.ofProject(project.id), []);
  });

  test('what is right at the edges is accepted', async () => {
    const { project, browser, path } = await givenTeam(app());
    const right = [
      { kind: 'simple', timeout: 60 },
      { kind: 'simple', timeout: 31_536_000 },
      { kind: 'cron', schedule: '0 3 * * MON', tz: 'Europe/Riga' },
      { kind: 'cron', schedule: '0 3 * * TUE', tz: 'US/Eastern' },
      { kind: 'oncalendar', schedule: 'Mon..Fri 09:00\nSat 10:00', tz: 'Europe/Paris' },
    ];
    for (const body of right)
      assert.equal((await browser.post(`${path}/do/createCheck`, body)).status, 200, JSON.stringify(body));
    const zones = (await app().deps.store.checks.ofProject(project.id)).map(({ tz }) => tz);
    assert.deepEqual(new Set(zones), new Set(['UTC', 'Europe/Riga', 'US/Eastern', 'Europe/Paris']));
  });

  test('an integration of another project cannot be assigned', async () => {
    const { browser, path } = await givenTeam(app());
    const foreign = await app().givenChannel((await app().givenProject()).project);

    const reply = await browser.post(`${path}/do/createCheck`, { channels: [foreign.uuid] });

    assert.deepEqual([reply.status, reply.json.code], [400, 'invalid_channel']);
  });

  test('over the limit of the owner no check is added', async () => {
    const { browser, path, account } = await givenTeam(app());
    await app().deps.store.transaction((tx) => tx.accounts.setLimits(account.id, { checks: 0, pings: 100 }));

    assert.equal((await browser.post(`${path}/do/createCheck`, {})).json.code, 'check_limit_reached');
  });

  test('settings are saved as they were sent, and tags without needless spaces', async () => {
    const { project, browser } = await givenTeam(app());
    const [one, two] = [await app().givenChannel(project), await app().givenChannel(project)];
    const { uuid } = await app().givenCheck(project, { tags: 'old' });
    const before = (await browser.get(`/checks/${uuid}/read/editedCheck`)).json;
    assert.deepEqual(before.project, { uuid: project.uuid, name: project.name });

    const sent = {
      ...before.settings,
      ...{ name: 'Report', slug: 'report', tags: '  a   b ', desc: '**bold**', kind: 'cron' },
      ...{ schedule: '30 7 * * MON-FRI', tz: 'America/New_York', grace: 1_800, channels: [two.uuid] },
      ...{ methods: 'POST', filter_http_body: true, success_kw: 'OK', manual_resume: true },
    };
    const reply = await browser.post(`/checks/${uuid}/do/updateCheck`, { ...sent, seen: before.version });

    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json.settings, { ...sent, tags: 'a b' });
    assert.notEqual(reply.json.version, before.version);
    assert.deepEqual(
      (await browser.get(`/checks/${uuid}/read/editedCheck`)).json.settings,
      reply.json.settings,
    );
    const { id } = await byUuid(uuid);
    assert.deepEqual(await app().deps.store.checks.channelsOf(id), [two.uuid]);
    assert.ok(one.uuid !== two.uuid);
  });

  test('where no text is looked at, keywords are not kept', async () => {
    const { project, browser } = await givenTeam(app());
    const { uuid } = await app().givenCheck(project, { filterHttpBody: true, successKeywords: 'OK' });

    const off = { filter_http_body: false, filter_subject: false, filter_body: false, success_kw: 'OK' };
    const { settings } = (await browser.post(`/checks/${uuid}/do/updateCheck`, off)).json;

    assert.equal(settings.success_kw, '');
  });

  test('of two who edit a check, the second is told who has changed it and how it is now', async () => {
    const { project, browser } = await givenTeam(app());
    const bob = await givenMember(app(), project, 'member');
    const { uuid } = await app().givenCheck(project, { name: 'Backup' });
    const { version } = (await browser.get(`/checks/${uuid}/read/editedCheck`)).json;
    await app().ping(`/${uuid}`);
    app().clock.advance({ seconds: 5 });
    await bob.browser.post(`/checks/${uuid}/do/updateCheck`, { grace: 1_800 });

    const reply = await browser.post(`/checks/${uuid}/do/updateCheck`, {
      grace: 2_700,
      name: 'Mine',
      seen: version,
    });

    assert.deepEqual([reply.status, reply.json.code], [409, 'check_changed']);
    const { conflict } = reply.json;
    assert.deepEqual([conflict.settings.grace, conflict.settings.name], [1_800, 'Backup']);
    assert.deepEqual([conflict.by, conflict.at], [bob.account.email, '2024-03-01T12:00:05+00:00']);
    assert.equal((await byUuid(uuid)).name, 'Backup');

    const mine = { grace: 2_700, name: 'Mine', seen: conflict.version };
    assert.equal((await browser.post(`/checks/${uuid}/do/updateCheck`, mine)).status, 200);
    assert.equal((await byUuid(uuid)).graceSeconds, 2_700);
  });

  test('a ping does not change the version of the settings', async () => {
    const { project, browser } = await givenTeam(app());
    const { uuid } = await app().givenCheck(project);
    const { version } = (await browser.get(`/checks/${uuid}/read/editedCheck`)).json;
    await app().ping(`/${uuid}`);

    assert.equal(
      (await browser.post(`/checks/${uuid}/do/updateCheck`, { name: 'x', seen: version })).status,
      200,
    );
  });

  test('a shorter period that makes the check overdue takes it down at once, and alerts nobody', async () => {
    const { project, browser } = await givenTeam(app());
    const channel = await app().givenChannel(project);
    const check = await app().givenCheck(project);
    await app().assign(check, channel);
    await app().receive(check, 'success');
    app().clock.advance({ hours: 5 });
    await app().deps.store.transaction((tx) => tx.liveness.beat('node', app().clock.now(), 0));

    await browser.post(`/checks/${check.uuid}/do/updateCheck`, { kind: 'simple', timeout: 60, grace: 60 });

    const { store } = app().deps;
    assert.equal((await byUuid(check.uuid)).status, 'down');
    assert.deepEqual(await store.deliveries.ofCheck(check.id, 9), []);
    const flips = await store.flips.ofCheck(check.id, { from: null, before: null });
    assert.deepEqual(flips.map(({ newStatus, reason }) => [newStatus, reason])[0], ['down', '']);

    await browser.post(`/checks/${check.uuid}/do/updateCheck`, { kind: 'simple', timeout: 86_400 });
    assert.equal((await byUuid(check.uuid)).status, 'down');
  });
});
