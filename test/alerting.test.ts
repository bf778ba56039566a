import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeadlineLoop } from '../src/alerts/deadline-loop.ts';
import type { Outcome } from '../src/domain/alert/delivery.ts';
import { seconds } from '../src/lib/instant.ts';
import {
  extendLeases,
  listDeliveries,
  loadMessages,
  releaseAllLeases,
  settleDeliveries,
} from '../src/services/alert/deliveries.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Reads } from '../src/storage/store.ts';
import {
  drain,
  endedTries,
  type Fixture,
  failure,
  fixture,
  flipsOf,
  lease,
  log,
  newNotifier,
  OK,
  told,
} from './alerts.ts';
import { START, sharedTestApp, startTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { until } from './waiting.ts';

const firstDelivery = async ({ app, check }: Fixture) =>
  (await listDeliveries(app.deps, systemActor(check.projectId), check))[0];

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  test('an overdue check goes down at its deadline, however late we look, and its channel is told', async () => {
    const f = await fixture(started());
    const deadline = START + seconds(90_000);

    f.app.clock.set(deadline - 1);
    await drain(f);
    assert.deepEqual(await flipsOf(f), []);
    f.app.clock.set(deadline + seconds(30));
    await drain(f);

    assert.deepEqual(await flipsOf(f), [
      { oldStatus: 'up', newStatus: 'down', reason: 'timeout', createdAt: deadline },
    ]);
    const after = await f.app.deps.store.checks.byUuid(f.check.uuid);
    assert.deepEqual([after?.status, after?.deadlineAt], ['down', null]);
    assert.deepEqual(told(f), ['down']);
    assert.equal(f.sender.sent[0]?.event.reason, 'timeout');
    assert.equal(f.sender.sent[0]?.event.at, deadline);
  });

  test('coming up for the first time, or after a pause, is told to nobody', async () => {
    for (const status of ['new', 'paused'] as const) {
      const f = await fixture(started(), { status, lastPingAt: null });

      await f.app.receive(f.check, 'success');
      await drain(f);

      assert.deepEqual((await flipsOf(f)).length, 1);
      assert.deepEqual(told(f), []);
    }
  });

  test('a failure signal is told, whatever the check was before', async () => {
    for (const status of ['new', 'up', 'paused'] as const) {
      const f = await fixture(started(), { status });

      await f.app.receive(f.check, 'fail');
      await f.app.receive(f.check, 'fail');
      await drain(f);

      assert.deepEqual(told(f), ['down']);
      assert.equal(f.sender.sent[0]?.event.reason, 'fail');
    }
  });

  test('a run that does not end takes a new or paused check down, dated at its limit', async () => {
    for (const status of ['new', 'paused'] as const) {
      const f = await fixture(started(), { status, lastPingAt: null });
      f.app.clock.set(START);
      await f.app.receive(f.check, 'start');

      f.app.clock.advance({ hours: 2 });
      await drain(f);

      const resumed = { oldStatus: 'paused', newStatus: 'new', reason: '', createdAt: START };
      assert.deepEqual(await flipsOf(f), [
        ...(status === 'paused' ? [resumed] : []),
        { oldStatus: 'new', newStatus: 'down', reason: 'timeout', createdAt: START + seconds(3600) },
      ]);
      assert.deepEqual(told(f), ['down']);
    }
  });

  test('a start of a check that is resumed by hand rings for nobody', async () => {
    const f = await fixture(started(), { status: 'paused', manualResume: true });

    await f.app.receive(f.check, 'start');
    f.app.clock.advance({ days: 2 });
    await drain(f);

    assert.deepEqual([await flipsOf(f), told(f)], [[], []]);
    const check = await f.app.deps.store.checks.byId(f.check.id);
    assert.deepEqual([check?.status, check?.lastStartAt, check?.deadlineAt], ['paused', null, null]);
  });

  test('coming up again is told with the length of the outage', async () => {
    const f = await fixture(started());
    await f.app.receive(f.check, 'fail');
    f.app.clock.advance({ minutes: 5 });

    await f.app.receive(f.check, 'success');
    await drain(f);

    assert.deepEqual(told(f), ['down', 'up']);
    assert.equal(f.sender.sent[1]?.event.downFor, seconds(300));
    assert.equal(f.sender.sent[1]?.event.reason, '');
  });

  test('pausing and resuming is told to nobody', async () => {
    const f = await fixture(started());

    await f.app.request('POST', `/api/v3/checks/${f.check.uuid}/pause`, { key: f.key });
    await f.app.request('POST', `/api/v3/checks/${f.check.uuid}/resume`, { key: f.key });
    await drain(f);

    assert.deepEqual(told(f), []);
  });

  test('an edit that makes a check overdue takes it down with the next look, and is told', async () => {
    const f = await fixture(started());
    f.app.clock.advance({ hours: 2 });

    await f.app.request('POST', `/api/v3/checks/${f.check.uuid}`, {
      key: f.key,
      body: { timeout: 60, grace: 60 },
    });
    await drain(f);

    assert.deepEqual(told(f), ['down']);
    assert.equal((await flipsOf(f))[0]?.createdAt, START + seconds(120));
  });

  test('a deadline that has moved meanwhile is looked at anew, and nothing happens', async () => {
    const f = await fixture(started());
    await f.app.deps.store.transaction(async (tx) => {
      const current = await tx.checks.lock(f.check.id);
      if (current !== null) await tx.checks.saveState({ ...current, deadlineAt: START });
    });

    await drain(f);

    const after = await f.app.deps.store.checks.byUuid(f.check.uuid);
    assert.deepEqual([after?.status, after?.deadlineAt], ['up', START + seconds(90_000)]);
  });

  test('of two loops that find the same overdue check, one takes it down', async () => {
    const f = await fixture(started());
    f.app.clock.advance({ days: 2 });

    const look = () => flipOverdue({ ...f.app.deps, onPoison: () => undefined });
    await Promise.all([look(), look(), look()]);

    assert.equal((await flipsOf(f)).length, 1);
  });

  test('a check that cannot be evaluated does not keep the others from being watched', async () => {
    const f = await fixture(started());
    const { project } = await f.app.givenProject();
    const poison = await f.app.givenCheck(project);
    await f.app.deps.store.transaction((tx) =>
      tx.checks.saveConfig({ ...poison, kind: 'cron', schedule: 'nonsense', deadlineAt: START }),
    );
    await f.app.deps.store.transaction((tx) =>
      tx.checks.saveState({ ...poison, status: 'up', lastPingAt: START, deadlineAt: START }),
    );
    const poisoned: number[] = [];
    f.app.clock.advance({ days: 2 });

    while (await flipOverdue({ ...f.app.deps, onPoison: (id) => poisoned.push(id) }));

    assert.deepEqual(poisoned, [poison.id]);
    assert.equal((await flipsOf(f)).length, 1);
  });

  test('a claim that its holder does not settle runs out, and the same message is sent again', async () => {
    const f = await fixture(started());
    await f.app.receive(f.check, 'fail');
    const [lost] = await lease(f.app.deps, 10);

    await drain(f);
    assert.deepEqual(told(f), []);
    f.app.clock.advance({ minutes: 3 });
    await drain(f);

    assert.deepEqual(
      f.sender.sent.map(({ event }) => event.deliveryId),
      [lost?.uuid],
    );
  });

  test('a try that takes longer than a claim holds keeps its claim, and is not repeated', async () => {
    const f = await fixture(started());
    const { promise: answered, resolve: answer } = Promise.withResolvers<Outcome>();
    f.sender.answer = () => answered;
    await f.app.receive(f.check, 'fail');
    await f.notifier.tick();

    const second = newNotifier(f.app, f.sender);
    for (let n = 0; n < 10; n++) {
      f.app.clock.advance({ seconds: 5 });
      await f.notifier.extendLeases();
      await second.tick();
    }
    answer(OK);
    await f.notifier.settled();

    assert.deepEqual(told(f), ['down']);
    const [delivery] = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
    assert.deepEqual([delivery?.state, delivery?.attemptCount], ['delivered', 1]);
  });

  test('a message that takes longer to put together than a claim holds keeps its claim, and is not repeated', async () => {
    const f = await fixture(started());
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { store } = f.app.deps;
    const byId: Reads['checks']['byId'] = async (id) => gate.then(() => store.checks.byId(id));
    const checks: Reads['checks'] = Object.create(store.checks, { byId: { value: byId } });
    const slow = newNotifier(
      { ...f.app, deps: { ...f.app.deps, store: Object.create(store, { checks: { value: checks } }) } },
      f.sender,
    );
    await f.app.receive(f.check, 'fail');
    const begun = slow.tick();
    await until('the message is claimed', async () => (await firstDelivery(f))?.attemptCount === 1);

    for (let n = 0; n < 10; n++) {
      f.app.clock.advance({ seconds: 5 });
      await slow.extendLeases();
      await f.notifier.tick();
    }
    open();
    await begun;
    await slow.settled();

    assert.deepEqual(told(f), ['down']);
    assert.deepEqual((await firstDelivery(f))?.attemptCount, 1);
  });

  test('a message that is under way when its check is deleted neither speaks nor settles for another', async () => {
    const gone = await fixture(started());
    await gone.app.receive(gone.check, 'fail');
    const [lost] = await lease(gone.app.deps, 10);
    assert.ok(lost);
    await gone.app.deps.store.transaction((tx) => tx.checks.delete(gone.check));

    const other = await fixture(started());
    await other.app.receive(other.check, 'fail');
    const [claimed] = await lease(other.app.deps, 10);
    assert.ok(claimed);
    const letters = await loadMessages(gone.app.deps, [lost], async () => undefined);
    await settleDeliveries(gone.app.deps, await endedTries(gone.app.deps, [lost], OK));

    assert.deepEqual(letters, [null]);
    assert.equal((await firstDelivery(other))?.state, 'open');
    await settleDeliveries(other.app.deps, await endedTries(other.app.deps, [claimed], OK));
    assert.equal((await firstDelivery(other))?.state, 'delivered');
  });

  test('a claim that is kept a moment after its try has failed does not cut the pause short', async () => {
    const f = await fixture(started());
    await f.app.receive(f.check, 'fail');
    const claimed = await lease(f.app.deps, 10);
    const outcome = failure('Received status code 429', false, 3600);
    await settleDeliveries(f.app.deps, await endedTries(f.app.deps, claimed, outcome));

    await extendLeases(f.app.deps, claimed);

    const [delivery] = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
    assert.equal(delivery?.nextAttemptAt, START + seconds(3600));
    await f.app.deps.store.transaction((tx) => tx.checks.delete(f.check));
  });

  test('a message about a check that cannot be evaluated is given up after a day like any other', async () => {
    const f = await fixture(started());
    await f.app.receive(f.check, 'fail');
    const up = await f.app.receive(f.check, 'success');
    await f.app.deps.store.transaction((tx) =>
      tx.checks.saveConfig({ ...up, kind: 'cron', schedule: 'nonsense', deadlineAt: null }),
    );

    await drain(f);
    for (let hours = 0; hours < 30; hours++) {
      f.app.clock.advance({ hours: 1 });
      await drain(f);
    }

    const deliveries = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ['given_up', 'given_up'],
    );
    await f.app.deps.store.transaction((tx) => tx.checks.delete(f.check));
  });

  test('claims of an earlier life can be released at once; pauses after failures go on', async () => {
    const f = await fixture(started());
    await f.app.receive(f.check, 'fail');
    await lease(f.app.deps, 10);
    assert.equal(await releaseAllLeases(f.app.deps), 1);
    f.sender.answer = () => failure('Received status code 500');
    await drain(f);
    const next = await f.app.deps.store.deliveries.nextAttemptAt();

    assert.equal(await releaseAllLeases(f.app.deps), 0);

    assert.equal(f.sender.sent.length, 1);
    assert.equal(await f.app.deps.store.deliveries.nextAttemptAt(), next);
    assert.equal(
      (await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check))[0]?.attemptCount,
      1,
    );
    await f.app.deps.store.transaction((tx) => tx.checks.delete(f.check));
  });

  test('a check that is deleted while its message is under way takes no other message with it', async () => {
    const f = await fixture(started());
    const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const other = await f.app.givenCheck(project, { status: 'up', lastPingAt: START });
    await f.app.assign(other, f.channel);
    const { promise: answered, resolve: answer } = Promise.withResolvers<Outcome>();
    f.sender.answer = () => answered;
    await f.app.receive(f.check, 'fail');
    await f.app.receive(other, 'fail');
    await f.notifier.tick();

    await f.app.deps.store.transaction((tx) => tx.checks.delete(f.check));
    answer(OK);
    await f.notifier.settled();

    assert.deepEqual(
      (await listDeliveries(f.app.deps, systemActor(other.projectId), other)).map(({ state }) => state),
      ['delivered'],
    );
  });

  test('more messages than one destination takes at once all arrive, none of them twice', async () => {
    const f = await fixture(started());
    const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const busy = { now: 0, most: 0 };
    f.sender.answer = async () => {
      busy.most = Math.max(busy.most, ++busy.now);
      // Longer than it takes to start as many messages as may be under way: one starts in each turn.
      for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      busy.now--;
      return OK;
    };
    const channels = [f.channel];
    for (const n of [1, 2, 3]) channels.push(await f.app.givenChannel(project, { settings: { n } }));
    for (let n = 0; n < 10; n++) {
      const check = await f.app.givenCheck(project, { status: 'up', lastPingAt: START });
      await f.app.assign(check, ...channels);
      await f.app.receive(check, 'fail');
    }

    for (let turn = 0; f.sender.sent.length < 40 && turn < 100; turn++) {
      while ((await f.notifier.tick()) === true);
      await f.notifier.settled();
      f.app.clock.advance({ seconds: 1 });
    }

    assert.equal(new Set(f.sender.sent.map(({ event }) => event.deliveryId)).size, 40);
    assert.equal(f.sender.sent.length, 40);
    assert.equal(busy.most, 10);
  });

  test('a provider that fails is tried again after growing pauses, until it takes the message', async () => {
    const f = await fixture(started());
    f.sender.answer = () => failure('Received status code 500');
    await f.app.receive(f.check, 'fail');
    await drain(f);
    const pauses: number[] = [];

    for (let tries = 1; tries < 7; tries++) {
      const before = f.app.clock.now();
      const next = await f.app.deps.store.deliveries.nextAttemptAt();
      f.app.clock.set(next ?? before);
      pauses.push((f.app.clock.now() - before) / seconds(1));
      if (tries === 6) f.sender.answer = () => OK;
      await drain(f);
    }

    assert.equal(f.sender.sent.length, 7);
    assert.equal(new Set(f.sender.sent.map(({ event }) => event.deliveryId)).size, 1);
    for (const [index, pause] of [10, 60, 300, 900, 3600, 3600].entries()) {
      assert.ok(Math.abs((pauses[index] ?? 0) - pause) <= pause * 0.26, `${index}: ${pauses[index]}`);
    }
    const [delivery] = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
    assert.deepEqual([delivery?.state, delivery?.attemptCount, delivery?.error], ['delivered', 7, '']);
    assert.deepEqual(
      delivery?.attempts.map(({ n, error }) => [n, error]),
      [1, 2, 3, 4, 5, 6, 7].map((n) => [n, n < 7 ? 'Received status code 500' : '']),
    );
  });

  test('what a provider asks for in Retry-After is honoured', async () => {
    const f = await fixture(started());
    f.sender.answer = () => failure('Received status code 429', false, 120);
    await f.app.receive(f.check, 'fail');

    await drain(f);

    const next = (await f.app.deps.store.deliveries.nextAttemptAt()) ?? 0;
    assert.equal(next - f.app.clock.now(), seconds(120));
    await f.app.deps.store.transaction((tx) => tx.checks.delete(f.check));
  });

  test('a message that nobody takes for a day is given up, with the reason', async () => {
    const f = await fixture(started());
    f.sender.answer = () => failure('Connection failed');
    await f.app.receive(f.check, 'fail');
    await drain(f);

    f.app.clock.advance({ days: 1, hours: 1 });
    await drain(f);

    const [delivery] = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
    assert.deepEqual([delivery?.state, delivery?.error], ['given_up', 'Connection failed']);
  });

  test('a permanent failure ends it and switches the channel off; the next change passes it over', async () => {
    const f = await fixture(started());
    f.sender.answer = () => failure('gone', true);
    await f.app.receive(f.check, 'fail');
    await drain(f);
    await f.app.receive(f.check, 'success');
    await drain(f);

    assert.equal(f.sender.sent.length, 1);
    assert.equal((await f.app.deps.store.channels.byId(f.channel.id))?.off?.reason, 'failed');
  });

  test('recovery waits for the message about its outage, and follows it', async () => {
    const f = await fixture(started());
    f.sender.answer = ({ to }) => (to === 'down' ? failure('busy') : OK);
    await f.app.receive(f.check, 'fail');
    await f.app.receive(f.check, 'success');
    await drain(f);
    assert.deepEqual(told(f), ['down']);
    const next = await f.app.deps.store.deliveries.nextAttemptAt();
    assert.ok(next !== null && next > f.app.clock.now(), 'until then nobody looks at either of them');

    f.sender.answer = () => OK;
    f.app.clock.advance({ minutes: 1 });
    await drain(f);

    assert.deepEqual(told(f), ['down', 'down', 'up']);
  });

  test('one channel that fails does not keep the others from being told', async () => {
    const f = await fixture(started());
    const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const others = [
      await f.app.givenChannel(project, { settings: { name: 'second' } }),
      await f.app.givenChannel(project, { settings: { name: 'third' } }),
    ];
    await f.app.assign(f.check, f.channel, ...others);
    f.sender.answer = (_event, settings) => {
      if (JSON.stringify(settings) === JSON.stringify(f.channel.settings.open))
        throw new Error('a bug in one kind');
      return OK;
    };

    await f.app.receive(f.check, 'fail');
    await drain(f);

    const deliveries = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
    assert.deepEqual(deliveries.map(({ state }) => state).sort(), ['delivered', 'delivered', 'open']);
    await f.app.deps.store.transaction((tx) => tx.checks.delete(f.check));
  });

  test('a channel that is off, or not assigned, is not told', async () => {
    const f = await fixture(started());
    const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const off = await f.app.givenChannel(project, { isOff: true });
    await f.app.givenChannel(project, { name: 'not assigned' });
    await f.app.assign(f.check, off);

    await f.app.receive(f.check, 'fail');
    await drain(f);

    assert.deepEqual(told(f), []);
  });

  test('a direction that the channel does not want leaves no trace', async () => {
    const f = await fixture(started());
    f.sender.wanted.delete('up');
    await f.app.receive(f.check, 'fail');
    await f.app.receive(f.check, 'success');

    await drain(f);

    assert.deepEqual(told(f), ['down']);
    assert.equal((await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check)).length, 1);
  });

  test('an address that is not confirmed is told nothing, once and for all, and the channel stays on', async () => {
    const f = await fixture(started());
    await f.app.deps.store.transaction((tx) => tx.channels.update({ ...f.channel, verified: false }));

    await f.app.receive(f.check, 'fail');
    await drain(f);

    const [delivery] = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
    assert.deepEqual([delivery?.state, delivery?.error], ['given_up', 'Email not verified']);
    assert.equal((await f.app.deps.store.channels.byId(f.channel.id))?.off, null);
  });

  test('a check that is deleted takes its messages with it', async () => {
    const f = await fixture(started());
    await f.app.receive(f.check, 'fail');

    await f.app.deps.store.transaction((tx) => tx.checks.delete(f.check));
    await drain(f);

    assert.deepEqual(told(f), []);
  });

  test('a message quotes the last ping at or before the change, not a later one', async () => {
    const f = await fixture(started());
    await f.app.receive(f.check, 'fail');
    f.app.clock.advance({ seconds: 1 });
    await f.app.receive(f.check, 'log');

    await drain(f);

    assert.deepEqual([f.sender.sent[0]?.event.ping?.n, f.sender.sent[0]?.event.ping?.signal], [1, 'fail']);
  });

  test('a message tells of the change, whatever the check is by then', async () => {
    const f = await fixture(started());
    await f.app.receive(f.check, 'fail');
    const path = `/api/v3/checks/${f.check.uuid}/pause`;
    assert.equal((await f.app.request('POST', path, { key: f.key })).status, 200);

    await drain(f);

    assert.deepEqual(told(f), ['down']);
    assert.equal(f.sender.sent[0]?.event.reason, 'fail');
  });

  test('a channel that is assigned after the change is not told of it', async () => {
    const f = await fixture(started());
    const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    await f.app.receive(f.check, 'fail');
    const late = await f.app.givenChannel(project, { settings: { name: 'late' } });

    await f.app.assign(f.check, f.channel, late);
    await drain(f);

    assert.equal(f.sender.sent.length, 1);
  });

  test('of two notifiers on one outbox, each message is sent by one', async () => {
    const f = await fixture(started());
    const second = newNotifier(f.app, f.sender);
    await f.app.receive(f.check, 'fail');

    await Promise.all([f.notifier.tick(), second.tick(), f.notifier.tick(), second.tick()]);
    await Promise.all([f.notifier.settled(), second.settled()]);

    assert.equal(f.sender.sent.length, 1);
  });

  test('whoever is blind again soon after gives as much time anew', async () => {
    await using app = await startTestApp(engine);
    const f = await fixture(app, { graceSeconds: 60, timeoutSeconds: 3600 });
    await new DeadlineLoop(f.app.deps, log).tick();
    f.app.clock.advance({ hours: 3 });
    await new DeadlineLoop(f.app.deps, log).tick();

    // Its life was short: nobody could make themselves heard.
    f.app.clock.advance({ minutes: 4 });
    const deadlineLoop = new DeadlineLoop(f.app.deps, log);
    await deadlineLoop.tick();
    for (let waited = 0; waited < 320; waited += 20) {
      f.app.clock.advance({ seconds: 20 });
      await deadlineLoop.tick();
    }

    assert.deepEqual(
      (await flipsOf(f)).map(({ createdAt }) => createdAt),
      [START + seconds(3 * 3600 + 240 + 300)],
    );
  });

  test('what came due while nobody watched is not down, until it has had time to make itself heard', async () => {
    // An app of its own: a blind span concerns the whole installation.
    await using app = await startTestApp(engine);
    const f = await fixture(app, { graceSeconds: 60, timeoutSeconds: 3600 });
    const deadlineLoop = new DeadlineLoop(f.app.deps, log);
    await deadlineLoop.tick();
    const seen = () => f.app.request('GET', `/api/v3/checks/${f.check.uuid}`, { key: f.key });
    const statusOf = async () => ((await seen()).json as { status: string }).status;

    f.app.clock.advance({ hours: 3 });
    assert.equal(await statusOf(), 'down');
    await deadlineLoop.tick();
    assert.equal(await statusOf(), 'grace');
    for (let waited = 20; waited < 300; waited += 20) {
      f.app.clock.advance({ seconds: 20 });
      await deadlineLoop.tick();
    }
    assert.deepEqual(await flipsOf(f), []);
    f.app.clock.advance({ seconds: 20 });
    await deadlineLoop.tick();
    await drain(f);

    assert.deepEqual(told(f), ['down']);
    const recovered = START + seconds(3 * 3600);
    assert.equal((await flipsOf(f))[0]?.createdAt, recovered + seconds(300));
    const [span] = await f.app.deps.store.liveness.blindSpansSince(0);
    assert.deepEqual(span, { from: START, until: recovered });
  });

  test('a ping after blindness finds its check up, and all is as before', async () => {
    await using app = await startTestApp(engine);
    const f = await fixture(app, { graceSeconds: 60, timeoutSeconds: 3600 });
    const deadlineLoop = new DeadlineLoop(f.app.deps, log);
    await deadlineLoop.tick();
    f.app.clock.advance({ hours: 3 });
    await deadlineLoop.tick();

    const after = await f.app.receive(f.check, 'success');

    assert.deepEqual(await flipsOf(f), []);
    assert.deepEqual([after.excusedUntilAt, after.deadlineAt], [null, f.app.clock.now() + seconds(3660)]);
  });

  test('the first ping after blindness finds its check up, even if it comes before anybody looks', async () => {
    await using app = await startTestApp(engine);
    const f = await fixture(app, { graceSeconds: 60, timeoutSeconds: 3600 });
    const deadlineLoop = new DeadlineLoop(f.app.deps, log);
    await deadlineLoop.tick();
    f.app.clock.advance({ hours: 3 });

    await deadlineLoop.beforePings();
    const after = await f.app.receive(f.check, 'success');

    assert.deepEqual(await flipsOf(f), []);
    assert.equal(after.deadlineAt, f.app.clock.now() + seconds(3660));
  });

  test('pings that come while it is being found out who was excused wait for that', async () => {
    await using app = await startTestApp(engine);
    const f = await fixture(app, { graceSeconds: 60, timeoutSeconds: 3600 });
    const deadlineLoop = new DeadlineLoop(f.app.deps, log);
    await deadlineLoop.tick();
    f.app.clock.advance({ hours: 3 });
    const order: string[] = [];

    const looking = deadlineLoop.tick();
    const first = deadlineLoop.beforePings().then(() => order.push('first'));
    const second = deadlineLoop.beforePings().then(() => order.push('second'));
    await Promise.all([looking, first, second]);

    assert.deepEqual(order, ['first', 'second']);
    assert.equal((await f.app.deps.store.liveness.blindSpansSince(0)).length, 1);
  });

  test('a machine that sleeps in the middle of a look takes nothing down for it', async () => {
    await using app = await startTestApp(engine);
    const f = await fixture(app, { graceSeconds: 60, timeoutSeconds: 3600 });
    let sleepHours = 0;
    const { checks } = f.app.deps.store;
    const sleepy: Pick<Reads['checks'], 'nextDeadlineAt'> = {
      nextDeadlineAt: async () => {
        f.app.clock.advance({ hours: sleepHours });
        sleepHours = 0;
        return checks.nextDeadlineAt();
      },
    };
    const store = { ...f.app.deps.store, checks: Object.assign(Object.create(checks), sleepy) };
    const deadlineLoop = new DeadlineLoop({ ...f.app.deps, store }, log);
    await deadlineLoop.tick();

    sleepHours = 3;
    await deadlineLoop.tick();
    await deadlineLoop.tick();

    assert.deepEqual(await flipsOf(f), []);
  });

  test('what was overdue before we went blind goes down as ever', async () => {
    await using app = await startTestApp(engine);
    const f = await fixture(app, { graceSeconds: 60, timeoutSeconds: 3600 });
    f.app.clock.advance({ hours: 2 });
    await f.app.deps.store.transaction((tx) => tx.liveness.beat('another node', f.app.clock.now(), 0));
    f.app.clock.advance({ hours: 2 });

    await new DeadlineLoop(f.app.deps, log).tick();
    await drain(f);

    assert.deepEqual(told(f), ['down']);
  });

  test('as long as another node watches nobody was blind', async () => {
    await using app = await startTestApp(engine);
    const f = await fixture(app, { graceSeconds: 60, timeoutSeconds: 3600 });
    const deadlineLoop = new DeadlineLoop(f.app.deps, log);
    await deadlineLoop.tick();
    f.app.clock.advance({ hours: 3 });
    await f.app.deps.store.transaction((tx) => tx.liveness.beat('another node', f.app.clock.now(), 0));

    await deadlineLoop.tick();

    assert.equal((await flipsOf(f)).length, 1);
  });

  test('a node that watches says so every few seconds', async () => {
    await using app = await startTestApp(engine);
    const f = await fixture(app);
    const deadlineLoop = new DeadlineLoop(f.app.deps, log);
    await deadlineLoop.tick();
    const first = f.app.clock.now();

    f.app.clock.advance({ seconds: 4 });
    await deadlineLoop.tick();
    assert.equal(await f.app.deps.store.liveness.lastBeatAt(), first);
    f.app.clock.advance({ seconds: 1 });
    await deadlineLoop.tick();
    assert.equal(await f.app.deps.store.liveness.lastBeatAt(), first + seconds(5));
  });
});
