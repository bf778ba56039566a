import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { DeadlineLoop } from '../src/alerts/deadline-loop.ts';
import type { Outcome } from '../src/domain/alert/delivery.ts';
import { DAY, HOUR, MINUTE } from '../src/domain/check/check.test-support.ts';
import type { Check } from '../src/domain/check/check.ts';
import { Loop } from '../src/lib/loop.ts';
import { listDeliveries } from '../src/services/alert/deliveries.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Deps } from '../src/services/core/deps.ts';
import type { Store, Writes } from '../src/storage/store.ts';
import { drain, fixture, flipsOf, newNotifier, OK, told } from './alerts.ts';
import { START, sharedTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { until } from './waiting.ts';

const EVER = { from: null, before: null };

const look = (deps: Deps) => flipOverdue({ ...deps, onPoison: () => undefined });

/** Makes every write of flips or deliveries fail. */
function breaking(app: TestApp, part: 'flips' | 'deliveries'): Deps {
  const fail = () => Promise.reject(new Error('killed here'));
  const transaction: Store['transaction'] = (work) =>
    app.deps.store.transaction((tx) => {
      const broken: Writes[typeof part] = Object.assign(Object.create(tx[part]), { insertMany: fail });
      return work({ ...tx, [part]: broken });
    });
  return { ...app.deps, store: Object.assign(Object.create(app.deps.store), { transaction }) };
}

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  test('rules that a newer version has written are logged once', async () => {
    const app = started();
    const { project } = await app.givenProject();
    const overdue = {
      status: 'up',
      lastPingAt: START - DAY - 2 * HOUR,
      runRules: '{"not_known_yet":1}',
    } as const;
    for (let count = 0; count < 3; count++) await app.givenCheck(project, overdue);
    const warned: unknown[] = [];
    const logger = pino({ level: 'warn', hooks: { logMethod: ([entry]: unknown[]) => warned.push(entry) } });
    const loop = new DeadlineLoop(app.deps, logger);
    app.clock.advance({ hours: 2 });

    while ((await loop.tick()) === true);
    await app.givenCheck(project, overdue);
    while ((await loop.tick()) === true);

    const events = warned.filter((entry) => JSON.stringify(entry).includes('check.unknown_rules'));
    assert.equal(events.length, 1);
  });

  test('of many overdue checks the longest overdue goes down first', async () => {
    const app = started();
    const { project } = await app.givenProject();
    const checks: Check[] = [];
    for (const hours of [3, 1, 4, 2, 5]) {
      checks.push(
        await app.givenCheck(project, { status: 'up', lastPingAt: START - DAY - HOUR - hours * HOUR }),
      );
    }

    while (await look(app.deps));

    const flips = await Promise.all(checks.map(({ id }) => app.deps.store.flips.ofCheck(id, EVER)));
    const inOrder = flips
      .flat()
      .sort((one, other) => one.id - other.id)
      .map(({ createdAt }) => (START - createdAt) / HOUR);
    assert.deepEqual(inOrder, [5, 4, 3, 2, 1]);
  });

  test('of many messages one is loaded or written at a time, and pings come in between', async () => {
    const f = await fixture(started());
    const { project } = await f.app.givenProject();
    const channels = await Promise.all(Array.from({ length: 8 }, () => f.app.givenChannel(project)));
    const check = await f.app.givenCheck(project, { status: 'up', lastPingAt: START });
    await f.app.assign(check, ...channels);
    await f.app.receive(check, 'fail');
    let turn = 0;
    const loaded: number[] = [];
    const written: number[] = [];
    const { pings } = f.app.deps.store;
    const counted = Object.assign(Object.create(pings), {
      lastUntil: (...of: Parameters<typeof pings.lastUntil>) => {
        loaded.push(turn);
        return pings.lastUntil(...of);
      },
    });
    f.sender.answer = () => {
      written.push(turn);
      return OK;
    };
    const deps = { ...f.app.deps, store: { ...f.app.deps.store, pings: counted } };
    const notifier = newNotifier({ ...f.app, deps }, f.sender);
    const countTurn = () => {
      turn++;
      if (written.length < channels.length) setImmediate(countTurn);
    };
    countTurn();

    while ((await notifier.tick()) === true) await notifier.settled();

    assert.deepEqual([loaded.length, written.length], [8, 8]);
    // PostgreSQL answers when it likes, and two answers may come in the same turn.
    if (engine === 'sqlite') assert.equal(new Set(loaded).size, 8, `${loaded}`);
    assert.equal(new Set(written).size, 8, `${written}`);
  });

  for (const part of ['flips', 'deliveries'] as const) {
    test(`where ${part} cannot be written the status does not change either, and all of it later`, async () => {
      const f = await fixture(started());
      f.app.clock.set(START + DAY + 2 * HOUR);

      await assert.rejects(look(breaking(f.app, part)), /killed here/);
      const between = await f.app.deps.store.checks.byUuid(f.check.uuid);
      assert.deepEqual([between?.status, between?.deadlineAt], ['up', START + DAY + HOUR]);
      assert.deepEqual(
        [await flipsOf(f), await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check)],
        [[], []],
      );
      await drain(f);

      assert.deepEqual(told(f), ['down']);
      assert.equal((await flipsOf(f))[0]?.createdAt, START + DAY + HOUR);
    });
  }

  test('a stop lets messages that are under way end, and begins no others', async () => {
    const f = await fixture(started());
    const { promise: answered, resolve: answer } = Promise.withResolvers<Outcome>();
    f.sender.answer = () => answered;
    await f.app.receive(f.check, 'fail');
    const loop = new Loop(() => f.notifier.tick(), {
      restMs: 1,
      onError: (error) => assert.fail(String(error)),
    });
    await until('the message is under way', () => told(f).length === 1);

    await loop[Symbol.asyncDispose]();
    await f.app.receive(f.check, 'success');
    let isOver = false;
    const stopping = f.notifier[Symbol.asyncDispose]().then(() => {
      isOver = true;
    });
    assert.equal(isOver, false);
    answer(OK);
    await stopping;

    assert.deepEqual(told(f), ['down']);
    const deliveries = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
    assert.deepEqual(
      deliveries.map(({ status, state }) => [status, state]),
      [
        ['up', 'open'],
        ['down', 'delivered'],
      ],
    );
    await drain(f);
    assert.deepEqual(told(f), ['down', 'up']);
  });

  test('a ping that comes after the deadline, together with the loop, leaves both changes, each in its time', async () => {
    for (let round = 0; round < 5; round++) {
      started().clock.set(START);
      const f = await fixture(started());
      f.app.clock.set(START + DAY + HOUR + MINUTE);
      const ping = () => f.app.ping(`/${f.check.uuid}`);

      // Whichever is first, the other one finds what it has done.
      await Promise.all(round % 2 === 0 ? [look(f.app.deps), ping()] : [ping(), look(f.app.deps)]);
      await drain(f);

      assert.deepEqual(
        (await flipsOf(f)).map(({ newStatus, createdAt }) => [newStatus, createdAt]),
        [
          ['down', START + DAY + HOUR],
          ['up', START + DAY + HOUR + MINUTE],
        ],
      );
      assert.deepEqual(told(f), ['down', 'up']);
      assert.equal(f.sender.sent.at(-1)?.event.downFor, MINUTE);
    }
  });
});
