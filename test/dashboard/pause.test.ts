import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { seconds } from '../../src/lib/instant.ts';
import { resumeCheck } from '../../src/services/check/checks.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { actsIn, givenTeam } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  const stored = async ({ id }: Check) => (await app().deps.store.checks.byId(id)) ?? assert.fail();
  const flipsOf = ({ id }: Check) => app().deps.store.flips.ofCheck(id, { from: null, before: null });
  const look = () => flipOverdue({ ...app().deps, onPoison: () => assert.fail() });

  /** A check whose run failed, of which a channel was told. */
  async function givenOutage() {
    const team = await givenTeam(app());
    const check = await app().givenCheck(team.project, {
      ...{
        name: 'job',
        status: 'up',
        lastPingAt: app().clock.now(),
        timeoutSeconds: 3600,
        graceSeconds: 600,
      },
    });
    await app().assign(check, await app().givenChannel(team.project));
    await app().receive(check, 'fail');
    await app().receive(check, 'start');
    app().clock.advance({ seconds: 60 });
    const post = (act: string) => team.browser.post(`/checks/${check.uuid}/do/${act}`);
    return { ...team, check, post };
  }

  test('a pause that is undone leaves the outage, the open run and the reminder as they were', async () => {
    const { account, project, check, post } = await givenOutage();
    await app().deps.store.transaction(async (tx) => {
      await tx.mailPreferences.setReminders(account.id, 86_400);
      await tx.mailPreferences.updateReminderDates([account.id], app().clock.now());
    });
    const reminder = async () =>
      (await app().deps.store.mailPreferences.ofAccount(account.id))?.nextReminderAt;
    const [before, flips] = [await stored(check), await flipsOf(check)];
    assert.ok(await reminder());

    assert.equal((await post('pauseCheck')).status, 204);
    assert.deepEqual([(await stored(check)).status, await reminder()], ['paused', null]);
    app().clock.advance({ seconds: 5 });
    assert.equal((await post('undoPause')).status, 204);

    assert.deepEqual(await stored(check), before);
    assert.deepEqual(await flipsOf(check), flips);
    assert.ok(await reminder());
    assert.deepEqual(
      (await actsIn(app(), project)).map(({ action }) => action),
      ['check.paused', 'check.pause_undone'],
    );
  });

  test('a pause that is over cannot be undone', async () => {
    const { check, post } = await givenOutage();
    assert.equal((await post('undoPause')).json.code, 'check_not_paused');
    await post('pauseCheck');
    await post('resumeCheck');

    const reply = await post('undoPause');

    assert.deepEqual([reply.status, reply.json.code], [409, 'check_not_paused']);
    assert.equal((await stored(check)).status, 'new');
  });

  test('pauses of many checks are undone together, each as it was', async () => {
    const { project, path, browser, check } = await givenOutage();
    const other = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    const before = [await stored(check), await stored(other)];
    const checks = [check.uuid, other.uuid];

    await browser.post(`${path}/do/pauseChecks`, { checks });
    const { json } = await browser.post(`${path}/do/undoPauses`, { checks });

    assert.deepEqual(json, { done: checks, refused: [] });
    assert.deepEqual([await stored(check), await stored(other)], before);
  });

  test('a check that is resumed on the page expects its next run, and rings if that does not come', async () => {
    const { check, post } = await givenOutage();
    await post('pauseCheck');
    app().clock.advance({ days: 3 });
    await post('resumeCheck');
    const resumedAt = app().clock.now();
    assert.deepEqual(
      [(await stored(check)).status, (await stored(check)).deadlineAt],
      ['new', resumedAt + seconds(4200)],
    );

    app().clock.advance({ seconds: 4200 });
    while (await look());

    const [last] = await flipsOf(check);
    assert.deepEqual([last?.oldStatus, last?.newStatus, last?.reason], ['new', 'down', 'timeout']);
    const told = await app().deps.store.deliveries.ofFlips([last?.id ?? 0]);
    assert.equal(told.length, 1);
  });

  test('a check that the API resumes waits for a ping as long as that takes', async () => {
    const { check, project, post } = await givenOutage();
    await post('pauseCheck');
    await resumeCheck(app().deps, systemActor(project.id), check.id);

    const { status, lastPingAt, deadlineAt } = await stored(check);
    assert.deepEqual([status, lastPingAt, deadlineAt], ['new', null, null]);
  });
});
