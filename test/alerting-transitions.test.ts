import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../src/domain/check/check.test-support.ts';
import type { StoredStatus } from '../src/domain/check/check.ts';
import { listDeliveries } from '../src/services/alert/deliveries.ts';
import { updateCheck } from '../src/services/check/checks.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { drain, type Fixture, fixture, flipsOf, told } from './alerts.ts';
import { START, sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

const RUN = '9f2a3a37-1f4d-4a3b-8a44-000000000001';
const OTHER_RUN = '9f2a3a37-1f4d-4a3b-8a44-000000000002';
const MAX_SECONDS = 31_536_000;

const stored = async ({ app, check }: Fixture) =>
  (await app.deps.store.checks.byUuid(check.uuid)) ?? assert.fail();

const change = (oldStatus: StoredStatus, newStatus: StoredStatus, reason: string, createdAt: number) => ({
  oldStatus,
  newStatus,
  reason,
  createdAt,
});

const post = ({ app, check, key }: Fixture, path: string, body?: unknown) =>
  app.request('POST', `/api/v3/checks/${check.uuid}${path}`, { key, ...(body !== undefined && { body }) });

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  test('a failure of a check that is down changes nothing, and nobody is told', async () => {
    const f = await fixture(started(), { status: 'down', lastPingAt: START - HOUR });

    await f.app.receive(f.check, 'fail');
    await drain(f);

    assert.deepEqual([await flipsOf(f), told(f)], [[], []]);
    const { status, lastPingAt, deadlineAt } = await stored(f);
    assert.deepEqual([status, lastPingAt, deadlineAt], ['down', START, null]);
  });

  test('a check that is down, starts and never ends its run stays as it is', async () => {
    const f = await fixture(started(), { status: 'down', lastPingAt: START - HOUR });

    await f.app.receive(f.check, 'start');
    f.app.clock.advance({ days: 30 });
    await drain(f);

    assert.deepEqual([await flipsOf(f), told(f)], [[], []]);
  });

  for (const status of ['up', 'down', 'new'] as const) {
    test(`pausing a check that is ${status} is recorded, ends its run and is told to nobody`, async () => {
      const lastPingAt = status === 'new' ? null : START - HOUR;
      const f = await fixture(started(), { status, lastPingAt, lastStartAt: START - MINUTE });

      await post(f, '/pause');
      f.app.clock.advance({ days: 30 });
      await drain(f);

      assert.deepEqual(await flipsOf(f), [change(status, 'paused', '', START)]);
      const after = await stored(f);
      assert.deepEqual([after.deadlineAt, after.lastStartAt, after.lastPingAt], [null, null, lastPingAt]);
      assert.deepEqual(
        [told(f), await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check)],
        [[], []],
      );
    });
  }

  test('pausing a paused check records nothing', async () => {
    const f = await fixture(started(), { status: 'paused' });

    assert.equal((await post(f, '/pause')).status, 200);

    assert.deepEqual(await flipsOf(f), []);
  });

  test('a check that is resumed begins anew, and nobody is told', async () => {
    const f = await fixture(started(), { status: 'paused', lastPingAt: START - HOUR });

    assert.equal((await post(f, '/resume')).status, 200);
    f.app.clock.advance({ days: 30 });
    await drain(f);

    assert.deepEqual(await flipsOf(f), [change('paused', 'new', '', START)]);
    const { lastPingAt, lastStartAt, deadlineAt } = await stored(f);
    assert.deepEqual([lastPingAt, lastStartAt, deadlineAt], [null, null, null]);
    assert.deepEqual(told(f), []);
  });

  test('a check that is not paused cannot be resumed', async () => {
    for (const status of ['new', 'up', 'down'] as const) {
      const f = await fixture(started(), { status });

      const reply = await post(f, '/resume');

      assert.deepEqual([reply.status, reply.json], [409, { error: 'check is not paused' }]);
      assert.deepEqual(await flipsOf(f), []);
    }
  });

  test('a quiet edit that makes a check overdue takes it down now, and tells nobody', async () => {
    const f = await fixture(started());
    const actor = systemActor(f.check.projectId);
    f.app.clock.advance({ hours: 2 });
    const now = f.app.clock.now();

    const edit = { timeoutSeconds: 60, graceSeconds: 60 };
    const { check } = await updateCheck(f.app.deps, actor, f.check.id, { edit, isQuiet: true });
    await drain(f);

    assert.deepEqual(await flipsOf(f), [change('up', 'down', '', now)]);
    assert.deepEqual(
      [told(f), await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check)],
      [[], []],
    );
    const after = await stored(f);
    assert.deepEqual([after.status, after.deadlineAt, after.timeoutSeconds], ['down', null, 60]);
    assert.deepEqual(check, after);
    await f.app.receive(f.check, 'success');
    await drain(f);
    assert.deepEqual(told(f), ['up']);
  });

  test('a quiet edit that takes a check down has people reminded of it', async () => {
    const f = await fixture(started());
    const { store } = f.app.deps;
    const actor = systemActor(f.check.projectId);
    const owner = await store.transaction(async (tx) => {
      const account = (await tx.accounts.ownerOf(f.check.projectId)) ?? assert.fail();
      await tx.mailPreferences.setReminders(account.id, 3_600);
      return account;
    });
    f.app.clock.advance({ hours: 2 });

    const edit = { timeoutSeconds: 60, graceSeconds: 60 };
    await updateCheck(f.app.deps, actor, f.check.id, { edit, isQuiet: true });

    const { nextReminderAt } = (await store.mailPreferences.ofAccount(owner.id)) ?? assert.fail();
    assert.equal(nextReminderAt, f.app.clock.now() + HOUR);
  });

  test('a quiet edit that leaves a check in time only moves its deadline', async () => {
    const f = await fixture(started());
    const actor = systemActor(f.check.projectId);

    const input = { edit: { timeoutSeconds: 3_600 }, channels: '', isQuiet: true };
    const { channelUuids } = await updateCheck(f.app.deps, actor, f.check.id, input);

    assert.deepEqual([await flipsOf(f), channelUuids], [[], []]);
    const { status, deadlineAt } = await stored(f);
    assert.deepEqual([status, deadlineAt], ['up', START + 2 * HOUR]);
  });

  test('a quiet edit of a check that is overdue already does not hide that', async () => {
    const f = await fixture(started());
    const actor = systemActor(f.check.projectId);
    f.app.clock.set(START + DAY + HOUR + MINUTE);

    const edit = { timeoutSeconds: MAX_SECONDS };
    await updateCheck(f.app.deps, actor, f.check.id, { edit, isQuiet: true });
    await drain(f);

    assert.deepEqual(await flipsOf(f), [change('up', 'down', 'timeout', START + DAY + HOUR)]);
    assert.deepEqual(told(f), ['down']);
  });

  test('relaxing the schedule of a check that is down does not bring it up', async () => {
    const f = await fixture(started(), { status: 'down', lastPingAt: START - 2 * DAY });

    await post(f, '', { timeout: MAX_SECONDS });
    await drain(f);

    const { status, deadlineAt } = await stored(f);
    assert.deepEqual([status, deadlineAt, await flipsOf(f)], ['down', null, []]);
  });

  test('a check whose schedule was relaxed in time is looked at anew, and nothing happens', async () => {
    const f = await fixture(started());
    f.app.clock.set(START + DAY);

    await post(f, '', { timeout: 2 * 86_400 });
    f.app.clock.set(START + DAY + 2 * HOUR);
    await drain(f);

    const { status, deadlineAt } = await stored(f);
    assert.deepEqual([status, deadlineAt, await flipsOf(f)], ['up', START + 2 * DAY + HOUR, []]);
  });

  test('becoming late, and being on time after all, is no change', async () => {
    const f = await fixture(started());

    f.app.clock.set(START + DAY + 30 * MINUTE);
    await drain(f);
    await f.app.receive(f.check, 'success');
    await drain(f);

    assert.deepEqual([await flipsOf(f), told(f)], [[], []]);
  });

  test('a start in grace does not postpone the deadline', async () => {
    const f = await fixture(started());
    f.app.clock.set(START + DAY + 30 * MINUTE);

    await f.app.receive(f.check, 'start');
    f.app.clock.set(START + DAY + HOUR);
    await drain(f);

    assert.deepEqual(await flipsOf(f), [change('up', 'down', 'timeout', START + DAY + HOUR)]);
  });

  test('a success ends the run, and the schedule is what is watched again', async () => {
    const f = await fixture(started());

    const during = await f.app.receive(f.check, 'start', RUN);
    f.app.clock.advance({ minutes: 10 });
    const after = await f.app.receive(f.check, 'success', RUN);

    assert.deepEqual([during.lastStartAt, during.deadlineAt], [START, START + HOUR]);
    assert.deepEqual([after.lastStartAt, after.deadlineAt], [null, START + 10 * MINUTE + DAY + HOUR]);
    assert.equal(after.lastDuration, 10 * MINUTE);
  });

  test('the success of another run leaves this one open, and watched', async () => {
    const f = await fixture(started());

    await f.app.receive(f.check, 'start', RUN);
    f.app.clock.advance({ minutes: 10 });
    const after = await f.app.receive(f.check, 'success', OTHER_RUN);
    f.app.clock.set(START + HOUR);
    await drain(f);

    assert.deepEqual([after.lastStartAt, after.deadlineAt], [START, START + HOUR]);
    assert.deepEqual(await flipsOf(f), [change('up', 'down', 'timeout', START + HOUR)]);
  });

  test('after a run has hung, the success of another one brings the check up to stay', async () => {
    const f = await fixture(started());
    await f.app.receive(f.check, 'start', RUN);
    f.app.clock.set(START + 2 * HOUR);
    await drain(f);

    await f.app.receive(f.check, 'success', OTHER_RUN);
    f.app.clock.advance({ hours: 5 });
    await drain(f);

    assert.deepEqual(
      (await flipsOf(f)).map(({ newStatus }) => newStatus),
      ['down', 'up'],
    );
    assert.deepEqual(told(f), ['down', 'up']);
    assert.equal((await stored(f)).status, 'up');
  });

  test('no change of a check lies before the one before it', async () => {
    const f = await fixture(started(), { status: 'paused', lastPingAt: START - 2 * DAY });
    await f.app.receive(f.check, 'success');

    f.app.clock.advance({ minutes: 1 });
    // Its deadline, by the ping of two days ago, would lie before it came up.
    await f.app.deps.store.transaction(async (tx) => {
      const current = (await tx.checks.lock(f.check.id)) ?? assert.fail();
      const lastPingAt = START - 2 * DAY;
      await tx.checks.saveState({ ...current, lastPingAt, deadlineAt: lastPingAt + DAY + HOUR });
    });
    await drain(f);

    assert.deepEqual(await flipsOf(f), [
      change('paused', 'up', '', START),
      change('up', 'down', 'timeout', START),
    ]);
  });
});
