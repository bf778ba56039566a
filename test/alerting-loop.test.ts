import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../src/domain/check.test-support.ts';
import type { Check } from '../src/domain/check.ts';
import type { Outcome } from '../src/domain/delivery.ts';
import { Loop } from '../src/lib/loop.ts';
import { systemActor } from '../src/services/actor.ts';
import { flipOverdue } from '../src/services/deadlines.ts';
import { listDeliveries } from '../src/services/deliveries.ts';
import type { Deps } from '../src/services/deps.ts';
import type { Store, Writes } from '../src/storage/store.ts';
import { drain, fixture, flipsOf, OK, told } from './alerts.ts';
import { START, sharedTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { until } from './waiting.ts';

const EVER = { from: null, before: null };

const look = (deps: Deps) => flipOverdue({ ...deps, onPoison: () => undefined });

/** The same, but whatever is done to flips or deliveries fails. */
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
