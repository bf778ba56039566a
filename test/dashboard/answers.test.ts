import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { outageOf } from '../../src/domain/policy/outage.ts';
import { seconds, toIsoSeconds } from '../../src/lib/instant.ts';
import { acknowledgeCheck } from '../../src/services/alert/answers.ts';
import { createCalendar } from '../../src/services/alert/calendars.ts';
import { createPolicy, setAlerting } from '../../src/services/alert/policies.ts';
import { updateCheck } from '../../src/services/check/checks.ts';
import { announceQuietTime } from '../../src/services/check/quiet-times.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { givenToken } from '../api/tokens.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { actsIn, givenMember, givenTeam } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A check that is down, of which a channel was told. */
  async function givenOutage() {
    const team = await givenTeam(app());
    const { project, path, browser } = team;
    const check = await app().givenCheck(project, {
      ...{ name: 'job', status: 'up', lastPingAt: app().clock.now(), timeoutSeconds: 3600 },
    });
    await app().assign(check, await app().givenChannel(project));
    await app().receive(check, 'fail');
    const read = async (view: string) => (await browser.get(`${path}/read/${view}`)).json;
    return {
      ...{ ...team, check },
      post: (act: string, input?: object) => browser.post(`/checks/${check.uuid}/do/${act}`, input),
      many: (act: string, input: object) => browser.post(`${path}/do/${act}`, input),
      row: async () => (await browser.post(`${path}/read/checkRows`, {})).json[0],
      head: () => read('checkHead'),
      page: async () => (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json,
      events: async () =>
        (await browser.post(`/checks/${check.uuid}/read/checkEvents`, { filter: 'view=runs' })).json,
      counts: async () => (await browser.get('/read/ownProjects')).json.projects[0],
    };
  }

  const asAnna = (check: Check) =>
    systemActor(check.projectId, { accountId: null, name: 'Anna', means: 'link', remoteAddr: null });

  test('whoever acknowledges has the outage, on the list, in the counts and on the page of the check', async () => {
    const { account, post, row, head, page, counts, events } = await givenOutage();
    const now = toIsoSeconds(app().clock.now());
    assert.deepEqual([(await row()).standing, (await counts()).checks.down], ['down', 1]);

    assert.deepEqual((await post('acknowledgeCheck')).json, { earlier: null });

    const by = account.name || account.email;
    const answer = { kind: 'acknowledged', by, at: now, until: null };
    assert.deepEqual([(await row()).standing, (await row()).answer], ['acknowledged', answer]);
    const { counts: counted, since, told, lanes } = await head();
    assert.deepEqual([counted.down, counted.acknowledged, told], [0, 1, null]);
    assert.deepEqual(since[0].some, [{ name: 'job', since: now, by }]);
    assert.deepEqual([lanes[0].status, lanes[0].by], ['acknowledged', by]);
    const { status, checks } = await counts();
    assert.deepEqual([status, checks.down, checks.acknowledged], ['acknowledged', 0, 1]);
    const shown = await page();
    assert.deepEqual(shown.sentence.slice(2, 4), [', ', `acknowledged by ${by}`]);
    assert.ok(
      shown.fuse.some(
        ({ kind, by: who }: { kind: string; by: string | null }) => kind === 'acknowledged' && who === by,
      ),
    );
    const { events: logged } = await events();
    assert.deepEqual(logged.find(({ kind }: { kind: string }) => kind === 'flip').notes, [
      [`Acknowledged by ${by}`, ' at ', { at: now, as: 'clock' }],
    ]);
  });

  test('people are called by the name that they have chosen, whatever they answer with', async () => {
    const { account, project, path, browser, post, many, row, page, check } = await givenOutage();
    assert.equal((await browser.post('/do/editAccount', { name: 'Anna' })).status, 204);

    await post('acknowledgeCheck');
    const at = toIsoSeconds(app().clock.now());
    assert.deepEqual((await post('acknowledgeCheck')).json, { earlier: { by: 'Anna', at } });
    assert.equal((await row()).answer.by, 'Anna');

    await post('unacknowledgeCheck');
    const { secret: key, token } = await givenToken(app(), account.id);
    const reply = await app().request('POST', `/api/v3/checks/${check.uuid}/snooze`, {
      ...{ key, headers: { 'x-project': project.uuid }, body: { for: 60 } },
    });
    assert.equal(reply.status, 200);
    assert.equal((await row()).answer.by, `Anna (${token.name})`);
    await browser.post(`/checks/${check.uuid}/do/pingCheck`);
    const [ping] = await app().deps.store.pings.latest(check.id, 1);
    assert.match(ping?.userAgent ?? '', / Anna$/);
    await post('pauseCheck');
    assert.match((await page()).sentence.at(-1), /^ by Anna/);
    const { json: made } = await many('announceQuietTime', { name: 'deploy', duration: 3600 });
    const { quietTimes } = (await browser.get(`${path}/read/quietTimes`)).json;
    assert.deepEqual(
      quietTimes.map(({ uuid, made_by }: { uuid: string; made_by: string }) => [uuid, made_by]),
      [[made.uuid, 'Anna']],
    );
    // The audit log keeps the address that they sign in with.
    const { acts } = (await browser.post(`${path}/read/auditLog`, { cursor: '' })).json;
    assert.ok(
      acts.every((act: { actor: string }) => act.actor.includes(account.email)),
      JSON.stringify(acts),
    );
  });

  test('the log says what an outage waits for of which nobody was told', async () => {
    const { project, browser } = await givenTeam(app());
    const actor = systemActor(project.id);
    await setAlerting(app().deps, actor, { policy: 'twice', tags: [] });
    const given = (name: string) =>
      app().givenCheck(project, { name, status: 'up', lastPingAt: app().clock.now() });
    const [router, shop] = [await given('router'), await given('shop')];
    await updateCheck(app().deps, actor, shop.id, { edit: { parents: router.uuid } });
    for (const check of [router, shop]) await app().receive(check, 'fail');

    const notesOf = async ({ uuid }: Check) => {
      const { json } = await browser.post(`/checks/${uuid}/read/checkEvents`, { filter: 'view=runs' });
      return json.events.findLast(({ kind }: { kind: string }) => kind === 'flip').notes;
    };
    assert.deepEqual(await notesOf(router), [['Nobody told yet', ': ', 'first of 2 bad runs']]);
    const since = { at: toIsoSeconds(app().clock.now()), as: 'clock' };
    assert.deepEqual(await notesOf(shop), [['Waits for router', ', down since ', since]]);
    await app().receive(shop, 'success');
    assert.deepEqual(await notesOf(shop), [['Nobody was told: it ended before.']]);
  });

  test('a check that is told at all hours does not wait for those of its rule, on the page as in the list', async () => {
    const { project, browser, path } = await givenTeam(app());
    const { deps, clock } = app();
    const actor = systemActor(project.id);
    const night = {
      name: 'night',
      schedule: '0 22 * * *',
      tz: 'UTC',
      durationSeconds: 3600,
      exceptDates: '',
    };
    await createCalendar(deps, actor, night);
    await createPolicy(deps, actor, 'own', { wait: 900, hours: 'night', always_tags: 'important' });
    await setAlerting(deps, actor, { policy: 'own', tags: [] });
    const check = await app().givenCheck(project, {
      ...{ name: 'job', tags: 'important', status: 'up', lastPingAt: clock.now() },
    });
    await app().receive(check, 'fail');

    const at = toIsoSeconds(clock.now() + seconds(900));
    const { sentence } = (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json;
    const [row] = (await browser.post(`${path}/read/checkRows`, {})).json;
    assert.deepEqual(sentence.slice(-2), [{ at, as: 'clock' }, ' if it is still down']);
    assert.equal(row.answer.until, at);
  });

  test('the second hears who was first, and an acknowledgement can be taken back', async () => {
    const { post, row, check } = await givenOutage();
    const at = toIsoSeconds(app().clock.now());
    await acknowledgeCheck(app().deps, asAnna(check), check.id);

    assert.deepEqual((await post('acknowledgeCheck')).json, { earlier: { by: 'Anna', at } });
    assert.equal((await post('unacknowledgeCheck')).status, 204);

    assert.deepEqual([(await row()).standing, (await row()).answer], ['down', null]);
    await app().receive(check, 'success');
    const { status, json } = await post('acknowledgeCheck');
    assert.deepEqual([status, json.code], [409, 'check_not_down']);
  });

  test('a snoozed check is silent on purpose until the time that the row names, and then is back', async () => {
    const { account, project, post, row, page, counts } = await givenOutage();
    const until = toIsoSeconds(app().clock.now() + seconds(3600));

    assert.deepEqual((await post('snoozeCheck', { span: 'hour' })).json, { until });

    const snoozed = await row();
    assert.deepEqual([snoozed.standing, snoozed.answer.until, snoozed.until], ['silent', until, until]);
    assert.equal(snoozed.answer.by, account.name || account.email);
    assert.deepEqual([(await counts()).status, (await counts()).checks.silent], ['up', 1]);
    assert.equal((await page()).fuse.at(-1).kind, 'snoozed_until');
    assert.deepEqual(
      (await actsIn(app(), project)).map(({ action }) => action),
      ['check.snoozed'],
    );
    app().clock.advance({ hours: 1 });
    assert.deepEqual([(await row()).standing, (await row()).answer], ['down', null]);
    assert.deepEqual([(await counts()).checks.down, (await counts()).checks.silent], [1, 0]);
  });

  test('a check in a quiet time is silent on purpose until its end', async () => {
    const { project, row, page, counts } = await givenOutage();
    const until = toIsoSeconds(app().clock.now() + seconds(3600));
    const input = { reason: '', tags: '', schedule: '', tz: 'UTC', untilAt: null, durationSeconds: 3600 };
    const { uuid } = await announceQuietTime(app().deps, systemActor(project.id), {
      ...{ ...input, name: 'deploy', checks: [], fromAt: null },
    });
    await announceQuietTime(app().deps, systemActor(project.id), {
      ...{ ...input, name: 'tomorrow', checks: [], fromAt: app().clock.now() + seconds(86_400) },
    });

    const quiet = await row();

    assert.deepEqual([quiet.standing, quiet.answer.kind, quiet.until], ['silent', 'quiet', until]);
    assert.deepEqual([(await counts()).status, (await counts()).checks.silent], ['up', 1]);
    const shown = await page();
    assert.equal(shown.fuse.at(-1).kind, 'quiet_until');
    assert.deepEqual(shown.quietTimes, [{ uuid, name: 'deploy' }]);
    assert.equal(shown.answer.by, 'deploy');
    assert.deepEqual(shown.sentence.slice(2), [' (deploy)', ' · nothing is expected']);
    app().clock.advance({ hours: 1 });
    assert.equal((await row()).standing, 'down');
    assert.deepEqual((await page()).quietTimes, []);
  });

  test('a snooze is for a usual span or until a time, ended by hand, and at most 30 days', async () => {
    const { post, row } = await givenOutage();
    const now = app().clock.now();
    const inSeconds = (count: number) => Math.floor(now / 1_000_000) + count;

    assert.deepEqual((await post('snoozeCheck', { until: inSeconds(7_200) })).json, {
      until: toIsoSeconds(now + seconds(7_200)),
    });
    assert.equal((await post('unsnoozeCheck')).status, 204);
    assert.equal((await row()).standing, 'down');
    for (const [input, field] of [
      [{}, 'span'],
      [{ span: 'year' }, 'span'],
      [{ until: inSeconds(31 * 86_400) }, 'until'],
      [{ until: inSeconds(-1) }, 'until'],
    ] as const) {
      const { status, json } = await post('snoozeCheck', input);
      assert.deepEqual([status, json.field], [400, field], JSON.stringify(input));
    }
  });

  test('many are acknowledged and snoozed in one act each, and those that are up are named', async () => {
    const { project, check, many, row, head } = await givenOutage();
    const up = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    const checks = [check.uuid, up.uuid];

    const { json } = await many('acknowledgeChecks', { checks });
    assert.deepEqual([json.done, json.refused[0].checks], [[check.uuid], [up.uuid]]);
    assert.equal((await row()).standing, 'acknowledged');
    assert.deepEqual((await many('unacknowledgeChecks', { checks: [check.uuid] })).json.refused, []);

    assert.deepEqual(
      (await many('snoozeChecks', { checks, span: 'four_hours' })).json.done.toSorted(),
      checks.toSorted(),
    );
    assert.equal((await head()).counts.silent, 2);
    assert.deepEqual((await many('unsnoozeChecks', { checks })).json.refused, []);
    assert.equal((await head()).counts.silent, 0);
  });

  test('a read-only member sees who has the outage, and answers nothing', async () => {
    const { project, path, check } = await givenOutage();
    await acknowledgeCheck(app().deps, asAnna(check), check.id);
    const { browser } = await givenMember(app(), project, 'read_only');

    const [row] = (await browser.post(`${path}/read/checkRows`, {})).json;
    assert.equal(row.answer.by, 'Anna');
    const page = (await browser.get(`/checks/${check.uniqueKey}/read/checkPage`)).json;
    assert.equal(page.may.answer, false);
    for (const act of ['acknowledgeCheck', 'unacknowledgeCheck', 'snoozeCheck', 'unsnoozeCheck'])
      assert.equal(
        (await browser.post(`/checks/${check.uniqueKey}/do/${act}`, { span: 'hour' })).status,
        403,
        act,
      );
    for (const act of ['acknowledgeChecks', 'snoozeChecks'])
      assert.equal((await browser.post(`${path}/do/${act}`, { checks: [], span: 'hour' })).status, 403, act);
  });

  test('an outage that waits is down and untold, and says what it waits for', async () => {
    const { row, head, page, check, counts, project } = await givenOutage();
    const wakeAt = app().clock.now() + seconds(900);
    await setAlerting(app().deps, systemActor(project.id), { policy: 'patient', tags: [] });
    await app().deps.store.transaction(async (tx) => {
      const [flip] = await tx.flips.ofCheck(check.id, { from: null, before: null });
      assert.ok(flip);
      await tx.outages.insertMany([{ ...outageOf(flip), heldBy: 'wait', wakeAt }]);
      await tx.checks.noteChanges([check]);
    });

    assert.deepEqual([(await row()).standing, (await row()).answer.kind], ['down', 'waiting']);
    const { counts: counted, waiting, told } = await head();
    assert.deepEqual([counted.down, counted.untold, told], [1, 1, null]);
    const told04 = ['told ', { at: toIsoSeconds(wakeAt), as: 'clock' }, ' if it is still down'];
    assert.deepEqual(waiting, [{ name: 'job', words: told04, more: [] }]);
    assert.equal((await counts()).checks.untold, 1);
    assert.deepEqual((await page()).sentence.slice(2), [' · ', 'nobody told yet', ': ', ...told04]);
  });
});
