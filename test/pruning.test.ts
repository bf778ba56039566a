import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { NO_EXCHANGE } from '../src/domain/alert/delivery.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { Flip, NewFlip } from '../src/domain/check/flip.ts';
import type { IncomingPing } from '../src/domain/ping/incoming-ping.ts';
import { fromTemporal, type Instant, seconds, toIsoSeconds } from '../src/lib/instant.ts';
import { createPolicy, setAlerting } from '../src/services/alert/policies.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { queueBlindnessNotices } from '../src/services/mail/blind-spans.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { Pruner } from '../src/services/ping/pruning.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { drain, FakeSender, newNotifier } from './alerts.ts';
import { START, sharedTestApp, startTestApp, type TestApp } from './app.ts';
import { counted } from './counted-driver.ts';
import { forEachEngine, openTestDatabase, openTestDriver } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { addCheck, deliveryRecord, flipRecord, givenProject, incomingPing } from './records.ts';

const HOUR = seconds(3_600);

/** Midnight in UTC, unless it says otherwise. */
function at(text: string): Instant {
  const instant = text.includes('T') ? text : `${text}T00:00:00Z`;
  return fromTemporal(Temporal.Instant.from(instant));
}

async function givenFlips(app: TestApp, checkId: number, times: readonly Instant[]): Promise<Flip[]> {
  const flips = times.map((createdAt) => flipRecord(checkId, { createdAt }));
  return app.deps.store.transaction((tx) => tx.flips.insertMany(flips));
}

/** A check with a flip at each date, with a delivery each. Some are still open, with an attempt each. */
async function givenDeliveries(
  app: TestApp,
  dates: readonly string[],
  open: readonly string[],
): Promise<Check> {
  const { project } = await app.givenProject();
  const check = await app.givenCheck(project);
  const channel = await app.givenChannel(project);
  const flips = await givenFlips(app, check.id, dates.map(at));
  await app.deps.store.transaction(async (tx) => {
    await tx.deliveries.insertMany(
      flips.map((flip, index) => {
        const { createdAt } = flip;
        const isOpen = open.includes(dates[index] ?? '');
        const over = { state: 'delivered', nextAttemptAt: null, finishedAt: createdAt } as const;
        return deliveryRecord(flip, channel.id, { createdAt, ...(!isOpen && over) });
      }),
    );
    const made = await tx.deliveries.ofCheck(check.id, 10);
    await tx.deliveries.addAttempts(
      made.map(({ id }) => ({
        deliveryId: id,
        n: 1,
        startedAt: START,
        duration: 1,
        error: '',
        ...NO_EXCHANGE,
      })),
    );
  });
  return check;
}

async function attemptCount({ database }: TestApp): Promise<number> {
  await using driver = await openTestDriver(database);
  const rows = await driver.all('select n from attempts');
  return rows.length;
}

async function ping(app: TestApp, check: Check, count: number): Promise<void> {
  const one = incomingPing({ uuid: check.uuid }, { signal: 'log' });
  await ingestPings(app.deps, Array<IncomingPing>(count).fill(one));
}

async function numbers(app: TestApp, check: Check): Promise<number[]> {
  const pings = await app.deps.store.pings.latest(check.id, 10_000);
  return pings.map(({ n }) => n).reverse();
}

/** One that was started an hour ago: what is old is looked for now. */
function hourOldPruner({ deps, clock }: TestApp): Pruner {
  const now = clock.now();
  clock.set(now - HOUR);
  const pruner = new Pruner(deps, 10, 93);
  clock.set(now);
  return pruner;
}

async function pruneAll(app: TestApp): Promise<number> {
  const pruner = hourOldPruner(app);
  let ticks = 0;
  while (await pruner.tick()) ticks++;
  return ticks;
}

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  test('after two hundred pings with a limit of a hundred, the first hundred are gone', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 100 } });
    const check = await app.givenCheck(project);

    await ping(app, check, 200);
    await pruneAll(app);

    const kept = await numbers(app, check);
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [100, 101, 200]);
  });

  test('who was told of an outage is known until its end, however many pings come meanwhile', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 100 } });
    const check = await app.givenCheck(project, { status: 'up', lastPingAt: START });
    const channel = await app.givenChannel(project);
    const actor = systemActor(project.id);
    const step = { after: 0, tell: [channel.uuid] };
    // biome-ignore lint/suspicious/noThenProperty: it is the name in requests, and its value is no function.
    await createPolicy(app.deps, actor, 'steps', { then: [step], again: 86_400 });
    await setAlerting(app.deps, actor, { policy: 'steps', tags: [] });
    const notifier = newNotifier(app, new FakeSender());
    const told = async () =>
      (await app.deps.store.deliveries.ofCheck(check.id, 10)).map(({ status, why }) => `${status} ${why}`);

    await app.receive(check, 'fail');
    await drain({ app, notifier });
    app.clock.advance({ hours: 1 });
    await ping(app, check, 300);
    await pruneAll(app);
    await app.receive(check, 'fail');
    assert.deepEqual(await told(), ['down step']);
    app.clock.advance({ hours: 23 });
    await drain({ app, notifier });
    assert.deepEqual(await told(), ['down again', 'down step']);
    app.clock.advance({ hours: 1 });
    await ping(app, check, 300);
    await pruneAll(app);
    // Its buttons act as long as the check is down, for a week.
    assert.deepEqual(await told(), ['down again', 'down step']);
    await app.receive(check, 'success');

    assert.deepEqual(await told(), ['up step', 'down again', 'down step']);
    await drain({ app, notifier });
    app.clock.advance({ hours: 1 });
    await ping(app, check, 300);
    await pruneAll(app);
    assert.deepEqual(await told(), []);
  });

  test('a message that a check is down stays as long as its buttons act', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 100 } });
    const check = await app.givenCheck(project, { status: 'up', lastPingAt: START });
    await app.assign(check, await app.givenChannel(project));
    const notifier = newNotifier(app, new FakeSender());
    const told = async () =>
      (await app.deps.store.deliveries.ofCheck(check.id, 10)).map(({ status }) => status);

    await app.receive(check, 'fail');
    await drain({ app, notifier });
    app.clock.advance({ hours: 1 });
    await ping(app, check, 300);
    await pruneAll(app);

    assert.deepEqual(await told(), ['down']);
    app.clock.advance({ hours: 7 * 24 });
    await ping(app, check, 300);
    await pruneAll(app);
    assert.deepEqual(await told(), []);
  });

  test('pings are not looked at until a hundred more have come', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 10 } });
    const check = await app.givenCheck(project);

    await ping(app, check, 99);
    assert.equal(await pruneAll(app), 0);
    await ping(app, check, 1);
    assert.equal(await pruneAll(app), 1);

    assert.deepEqual(await numbers(app, check), [91, 92, 93, 94, 95, 96, 97, 98, 99, 100]);
  });

  test('long bodies go with their pings, and those of the pings that are kept stay', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 10 } });
    const check = await app.givenCheck(project);
    const long = incomingPing({ uuid: check.uuid }, { signal: 'log', body: Buffer.alloc(101, 'a') });

    await ingestPings(app.deps, Array<IncomingPing>(100).fill(long));
    await pruneAll(app);

    const kept = await Promise.all([90, 91, 100].map((n) => app.deps.store.pings.body(check.id, n)));
    assert.deepEqual(
      kept.map((body) => body?.length),
      [undefined, 101, 101],
    );
  });

  test('a long backlog is removed in bounded pieces', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 10 } });
    const check = await app.givenCheck(project);

    await ping(app, check, 1200);

    assert.equal(await pruneAll(app), 3);
    assert.equal((await numbers(app, check)).length, 10);
  });

  test('several checks share a piece, and what does not fit waits until all had their turn', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 10 } });
    const checks = [];
    for (let n = 0; n < 3; n++) checks.push(await app.givenCheck(project));
    for (const check of checks) await ping(app, check, 300);

    const pruner = new Pruner(app.deps, 10, 93);
    const left = [];
    while (await pruner.tick()) {
      left.push(await Promise.all(checks.map(async (check) => (await numbers(app, check)).length)));
    }

    assert.deepEqual(left, [
      [10, 90, 300],
      [10, 90, 10],
      [10, 10, 10],
    ]);
  });

  test('a check with a long backlog does not keep the others waiting until it is done', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 10 } });
    const [long, short] = [await app.givenCheck(project), await app.givenCheck(project)];
    await ping(app, long, 2_000);
    await ping(app, short, 100);
    const pruner = new Pruner(app.deps, 1, 93);

    const left = [];
    for (let n = 0; n < 3; n++) {
      await pruner.tick();
      left.push([(await numbers(app, long)).length, (await numbers(app, short)).length]);
    }

    assert.deepEqual(left, [
      [1_500, 100],
      [1_500, 10],
      [1_000, 10],
    ]);
  });

  test("one check's pruning leaves the others alone", async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 10 } });
    const [check, other] = [await app.givenCheck(project), await app.givenCheck(project)];

    await ping(app, other, 50);
    await ping(app, check, 100);
    await pruneAll(app);

    assert.equal((await numbers(app, other)).length, 50);
  });

  test('flips of this month and the three before survive, and the last one from before them, whether their check is pinged or not', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 100 } });
    const [pinged, silent] = [await app.givenCheck(project), await app.givenCheck(project)];
    const dates = ['2023-06-01', '2023-10-30', '2023-11-01', '2023-11-29', '2023-12-01', '2024-02-29'];
    for (const { id } of [pinged, silent]) await givenFlips(app, id, dates.map(at));
    const remaining = async (check: Check) => {
      const flips = await app.deps.store.flips.ofCheck(check.id, { from: null, before: null });
      return flips.map(({ createdAt }) => toIsoSeconds(createdAt).slice(0, 10)).reverse();
    };
    app.clock.set(at('2023-01-01'));
    await ping(app, pinged, 100);

    // It is still February somewhere: November counts.
    app.clock.set(at('2024-03-01T23:59:59Z'));
    await pruneAll(app);
    assert.deepEqual(await remaining(pinged), dates.slice(1));
    assert.deepEqual(await remaining(silent), dates.slice(1));

    app.clock.set(at('2024-03-02T00:00:00Z'));
    await pruneAll(app);
    assert.deepEqual(await remaining(pinged), dates.slice(3));
    assert.deepEqual(await remaining(silent), dates.slice(3));
  });

  test('a recovery tells how long the check was down, even if that was for years', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject();
    const check = await app.givenCheck(project);
    await givenFlips(app, check.id, [at('2020-05-01'), at('2020-06-01')]);
    await pruneAll(app);

    const [up] = await givenFlips(app, check.id, [app.clock.now()]);
    assert.ok(up);
    app.clock.advance({ hours: 1 });
    await pruneAll(app);

    const down = await app.deps.store.flips.before(up);
    assert.equal(down?.createdAt, at('2020-06-01'));
    assert.equal(await app.deps.store.flips.before(down), null);
  });

  test('deliveries and their attempts go with their flips, but those that are still open', async () => {
    await using app = await startTestApp(engine);
    const dates = ['2023-06-01', '2023-06-02', '2023-06-03', '2024-02-01'];
    const check = await givenDeliveries(app, dates, ['2023-06-02']);
    assert.equal(await attemptCount(app), 4);

    await pruneAll(app);

    const left = await app.deps.store.deliveries.ofCheck(check.id, 10);
    assert.deepEqual(
      left.map(({ createdAt, state }) => [toIsoSeconds(createdAt).slice(0, 10), state]),
      [
        ['2024-02-01', 'delivered'],
        ['2023-06-03', 'delivered'],
        ['2023-06-02', 'open'],
      ],
    );
    assert.equal(await attemptCount(app), 3);
  });

  test('what is old is removed in bounded pieces, by whoever goes on after a restart', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject();
    const checks = [await app.givenCheck(project), await app.givenCheck(project)];
    for (const { id } of checks) await givenFlips(app, id, Array<Instant>(125).fill(at('2023-06-01')));
    const left = async () =>
      (
        await app.deps.store.flips.ofChecks(
          checks.map(({ id }) => id),
          0,
        )
      ).length;
    const seen = [await left()];

    while (await hourOldPruner(app).tick()) seen.push(await left());
    seen.push(await left());

    // The last one of each check stays.
    assert.deepEqual(seen, [250, 150, 51, 2]);
  });

  test('nodes that remove what is old at the same time do not hinder each other', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject();
    const check = await app.givenCheck(project);
    await givenFlips(app, check.id, Array<Instant>(350).fill(at('2023-06-01')));

    await Promise.all(Array.from({ length: 3 }, () => pruneAll(app)));

    const left = await app.deps.store.flips.ofCheck(check.id, { from: null, before: null });
    assert.equal(left.length, 1);
  });

  test('what is old is looked for every hour after the start, with few statements however many checks there are', async () => {
    await using opened = await openTestDatabase(engine);
    const { project } = await givenProject(opened.store);
    for (let n = 0; n < 20; n++) await addCheck(opened.store, project);
    const { driver, statements } = counted(opened.driver);
    const clock = new FakeClock(START);
    const defaultLimits = { checks: 1, pings: 1 };
    const pruner = new Pruner({ store: createSqlStore(driver), clock, defaultLimits }, 10, 93);
    const perTick = [];
    for (const minutes of [0, 1, 58, 1, 1, 59]) {
      clock.advance({ minutes });
      const before = statements.count;
      await pruner.tick();
      perTick.push(statements.count - before);
    }

    // The queue is looked at each time, here from behind the last check and from the first; kept runs each hour; flips once in
    // a month.
    assert.deepEqual(perTick, [2, 2, 2, 6, 2, 5]);
  });

  test('flips that are kept are passed over once, and not again before the next month', async () => {
    await using app = await startTestApp(engine);
    app.clock.set(at('2024-03-15'));
    const { project } = await app.givenProject();
    const flips: NewFlip[] = [];
    for (let n = 0; n < 250; n++) {
      const { id } = await addCheck(app.deps.store, project);
      flips.push(flipRecord(id, { createdAt: at('2023-06-01') }));
    }
    await app.deps.store.transaction((tx) => tx.flips.insertMany(flips));
    const pruner = hourOldPruner(app);
    const pieces = async () => {
      let count = 1;
      while (await pruner.tick()) count++;
      return count;
    };

    const counts = [await pieces()];
    app.clock.advance({ hours: 1 });
    counts.push(await pieces());
    app.clock.set(at('2024-04-02'));
    counts.push(await pieces());

    assert.deepEqual(counts, [3, 1, 3]);
  });

  suite('a clock that is set ahead', () => {
    async function givenOldAndRecent(app: TestApp, old: number) {
      const { project } = await app.givenProject();
      const check = await app.givenCheck(project);
      const oldTimes = Array<Instant>(old).fill(at('2023-06-01'));
      await givenFlips(app, check.id, [...oldTimes, START - HOUR, START - 1]);
      return async () => (await app.deps.store.flips.ofCheck(check.id, { from: null, before: null })).length;
    }

    test('at the start, and is set right within the hour, removes nothing that is kept', async () => {
      await using app = await startTestApp(engine);
      const left = await givenOldAndRecent(app, 2);
      app.clock.jump({ days: 365 });
      const pruner = new Pruner(app.deps, 10, 93);

      const seen = [];
      for (const days of [-365, 0]) {
        await pruner.tick();
        seen.push(await left());
        app.clock.jump({ days });
        app.clock.advance({ hours: 1 });
      }
      while (await pruner.tick());

      assert.deepEqual([...seen, await left()], [4, 4, 3]);
    });

    test('between two looks removes nothing that is kept', async () => {
      await using app = await startTestApp(engine);
      const left = await givenOldAndRecent(app, 2);
      const pruner = hourOldPruner(app);

      app.clock.jump({ days: 365 });
      await pruner.tick();
      assert.equal(await left(), 4);
      app.clock.advance({ minutes: 30 });
      await pruner.tick();
      app.clock.jump({ days: -365 });
      app.clock.advance({ minutes: 30 });
      await pruner.tick();
      assert.equal(await left(), 4);
      app.clock.advance({ hours: 1 });
      while (await pruner.tick());

      assert.equal(await left(), 3);
    });

    test('during a look removes nothing that is kept', async () => {
      await using app = await startTestApp(engine);
      const left = await givenOldAndRecent(app, 120);
      const pruner = hourOldPruner(app);

      assert.equal(await pruner.tick(), true);
      app.clock.jump({ days: 365 });
      while (await pruner.tick());

      assert.equal(await left(), 3);
    });

    test('by a minute does not keep old flips from being removed', async () => {
      await using app = await startTestApp(engine);
      const left = await givenOldAndRecent(app, 2);
      const pruner = hourOldPruner(app);

      app.clock.jump({ seconds: 60 });
      while (await pruner.tick());

      assert.equal(await left(), 3);
    });
  });

  test('blind spans go when they are as old, once everybody was told of them', async () => {
    await using app = await startTestApp(engine);
    const { store } = app.deps;
    const dates = ['2023-06-01', '2023-10-29', '2023-12-01'];
    await store.transaction(async (tx) => {
      for (const date of dates) await tx.liveness.addBlindSpan({ from: at(date) - 1, until: at(date) });
    });
    const spans = async () => {
      const kept = await store.liveness.blindSpansSince(0);
      return kept.map(({ until }) => toIsoSeconds(until).slice(0, 10)).reverse();
    };

    await pruneAll(app);
    assert.deepEqual(await spans(), dates);
    while (await queueBlindnessNotices(app.deps, false));
    await pruneAll(app);

    assert.deepEqual(await spans(), ['2023-12-01']);
    assert.equal(await store.liveness.blindSpanCount(), 3);
  });

  test('pings beyond a limit that was lowered go, though no other ping comes', async () => {
    const app = started();
    const { project, ownerId } = await app.givenProject({ limits: { checks: 5, pings: 100 } });
    const check = await app.givenCheck(project);
    await ping(app, check, 50);

    await app.deps.store.transaction((tx) => tx.accounts.setLimits(ownerId, { checks: 5, pings: 3 }));
    await pruneAll(app);

    assert.deepEqual(await numbers(app, check), [48, 49, 50]);
  });

  test('deliveries older than the oldest ping kept are removed in bounded pieces', async () => {
    await using app = await startTestApp(engine);
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 10 } });
    const check = await app.givenCheck(project);
    const channel = await app.givenChannel(project);
    const over = { state: 'delivered', nextAttemptAt: null, finishedAt: START, createdAt: START } as const;
    await app.deps.store.transaction(async (tx) => {
      const flips = await tx.flips.insertMany(
        Array.from({ length: 700 }, () => flipRecord(check.id, { createdAt: START })),
      );
      await tx.deliveries.insertMany(flips.map((flip) => deliveryRecord(flip, channel.id, over)));
    });
    app.clock.advance({ seconds: 1 });
    await ping(app, check, 100);

    const pruner = new Pruner(app.deps, 10, 93);
    const left = [];
    while (await pruner.tick()) left.push((await app.deps.store.deliveries.ofCheck(check.id, 1_000)).length);

    // Ninety pings are the first of five hundred rows.
    assert.deepEqual(left, [290, 0]);
  });

  test('a check that was deleted meanwhile is passed over', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 10 } });
    const check = await app.givenCheck(project);
    await ping(app, check, 100);

    await app.deps.store.transaction((tx) => tx.checks.delete(check));

    assert.equal(await pruneAll(app), 0);
  });
});
