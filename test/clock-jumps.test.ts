import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pino from 'pino';
import { DeadlineLoop } from '../src/alerts/deadline-loop.ts';
import type { Check } from '../src/domain/check/check.ts';
import { seconds } from '../src/lib/instant.ts';
import { WatchedClock } from '../src/lib/watched-clock.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { lease } from './alerts.ts';
import { START, startTestApp, type TestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { FakeClock, microsOf, type Span } from './fake-clock.ts';
import { incomingPing } from './records.ts';

const log = pino({ level: 'silent' });
const EVER = { from: null, before: null };

/** A check that is expected every hour and has a minute of grace, and a channel that is told of it. */
async function givenHourly(app: TestApp, overrides: Partial<Check> = {}): Promise<Check> {
  const { project } = await app.givenProject();
  const check = await app.givenCheck(project, {
    status: 'up',
    lastPingAt: START,
    lastReceivedAt: START,
    timeoutSeconds: 3600,
    graceSeconds: 60,
    ...overrides,
  });
  await app.assign(check, await app.givenChannel(project));
  return check;
}

async function ping(app: TestApp, { uuid }: Check): Promise<void> {
  assert.deepEqual(await ingestPings(app.deps, [incomingPing({ uuid })]), ['recorded']);
}

async function statusesOf(app: TestApp, { id }: Check): Promise<string[]> {
  const flips = await app.deps.store.flips.ofCheck(id, EVER);
  return flips.map(({ newStatus }) => newStatus).reverse();
}

/** Lets time pass while the deadline loop runs. */
async function watch(app: TestApp, deadlineLoop: DeadlineLoop, span: Span): Promise<void> {
  const until = app.clock.monotonic() + microsOf(span);
  while (app.clock.monotonic() < until) {
    app.clock.advance({ seconds: Math.min(20, (until - app.clock.monotonic()) / 1e6) });
    while ((await deadlineLoop.tick()) === true);
  }
}

forEachEngine((engine) => {
  test('a jump of a day ahead takes nothing down, and what falls silent then is told in time', async () => {
    await using app = await startTestApp(engine);
    const [silent, well] = [await givenHourly(app), await givenHourly(app)];
    const deadlineLoop = new DeadlineLoop(app.deps, log);
    await deadlineLoop.tick();

    app.clock.jump({ days: 1 });
    await deadlineLoop.tick();
    await ping(app, well);
    await watch(app, deadlineLoop, { seconds: 280 });
    assert.deepEqual([await statusesOf(app, silent), await statusesOf(app, well)], [[], []]);

    await watch(app, deadlineLoop, { seconds: 40 });
    assert.deepEqual([await statusesOf(app, silent), await statusesOf(app, well)], [['down'], []]);
  });

  test('pings that come between the jump and the next look find their checks up', async () => {
    await using app = await startTestApp(engine);
    const check = await givenHourly(app);
    const deadlineLoop = new DeadlineLoop(app.deps, log);
    await deadlineLoop.tick();

    app.clock.jump({ days: 1 });
    await deadlineLoop.beforePings();
    await ping(app, check);

    assert.deepEqual(await statusesOf(app, check), []);
  });

  for (const [name, ahead, back] of [
    ['an hour', { hours: 1 }, { hours: -1 }],
    ['a day', { days: 1 }, { days: -1 }],
  ] as const) {
    test(`a clock that was ${name} ahead and is set right makes no alert late`, async () => {
      await using app = await startTestApp(engine);
      app.clock.jump(ahead);
      const state = { lastPingAt: app.clock.now(), lastReceivedAt: app.clock.now() };
      const [silent, heard, running] = [
        await givenHourly(app, state),
        await givenHourly(app, state),
        await givenHourly(app, { ...state, lastStartAt: app.clock.now(), timeoutSeconds: 86_400 }),
      ];
      const deadlineLoop = new DeadlineLoop(app.deps, log);
      await deadlineLoop.tick();

      app.clock.jump(back);
      await deadlineLoop.tick();
      assert.deepEqual(await app.deps.store.liveness.blindSpansSince(0), []);
      await watch(app, deadlineLoop, { minutes: 30 });
      await ping(app, heard);
      assert.deepEqual(await statusesOf(app, running), ['down']);
      await watch(app, deadlineLoop, { minutes: 30 });
      assert.deepEqual(await statusesOf(app, silent), []);
      await watch(app, deadlineLoop, { minutes: 2 });

      assert.deepEqual([await statusesOf(app, silent), await statusesOf(app, heard)], [['down'], []]);
      await watch(app, deadlineLoop, { minutes: 30 });
      assert.deepEqual(await statusesOf(app, heard), ['down']);
    });

    test(`though the clock was set back by ${name}, the pings of a check are in order of time`, async () => {
      await using app = await startTestApp(engine);
      app.clock.jump(ahead);
      const check = await givenHourly(app);

      await ping(app, check);
      app.clock.jump(back);
      await ping(app, check);
      app.clock.advance({ minutes: 10 });
      await ping(app, check);

      const [last, ...before] = await app.deps.store.pings.latest(check.id, 10);
      assert.deepEqual(
        before.map(({ createdAt }) => createdAt - (last?.createdAt ?? 0)),
        [0, 0],
      );
      const after = await app.deps.store.checks.byId(check.id);
      assert.equal(after?.deadlineAt, app.clock.now() + seconds(3660));
    });

    test(`messages that wait are not late by ${name} when the clock is set back`, async () => {
      await using app = await startTestApp(engine);
      const deadlineLoop = new DeadlineLoop(app.deps, log);
      const check = await givenHourly(app);
      app.clock.jump(ahead);
      await deadlineLoop.tick();
      await app.receive(check, 'fail');
      const [claimed] = await lease(app.deps, 1);
      assert.equal(claimed?.checkId, check.id);

      app.clock.jump(back);
      await deadlineLoop.tick();
      app.clock.advance({ seconds: 14 });
      assert.deepEqual(await lease(app.deps, 1), []);
      app.clock.advance({ seconds: 1 });

      assert.equal((await lease(app.deps, 1))[0]?.id, claimed.id);
    });
  }

  test('after the clock was set back blindness is noticed as ever', async () => {
    await using app = await startTestApp(engine);
    const check = await givenHourly(app);
    const deadlineLoop = new DeadlineLoop(app.deps, log);
    await deadlineLoop.tick();
    app.clock.jump({ days: 1 });
    await deadlineLoop.tick();
    app.clock.jump({ days: -1 });
    await deadlineLoop.tick();
    assert.deepEqual(await app.deps.store.liveness.lastBeatAt(), app.clock.now());

    app.clock.advance({ hours: 2 });
    await deadlineLoop.tick();

    const now = app.clock.now();
    const [newest] = await app.deps.store.liveness.blindSpansSince(0);
    assert.deepEqual({ ...newest }, { from: now - seconds(7200), until: now });
    assert.deepEqual(await statusesOf(app, check), []);
  });

  test('a start with a clock that was set back does not believe that somebody watched', async () => {
    await using app = await startTestApp(engine);
    const check = await givenHourly(app);
    await app.deps.store.transaction((tx) => tx.liveness.beat('before', START + seconds(86_400), 0));
    app.clock.advance({ hours: 3 });

    const deadlineLoop = new DeadlineLoop(app.deps, log);
    await deadlineLoop.tick();
    assert.deepEqual(await statusesOf(app, check), []);
    await watch(app, deadlineLoop, { seconds: 310 });

    assert.deepEqual(await statusesOf(app, check), ['down']);
  });

  test('whoever dies while the clock is being dealt with leaves the rest to the next', async () => {
    await using app = await startTestApp(engine);
    app.clock.jump({ days: 1 });
    const state = { lastPingAt: app.clock.now(), lastReceivedAt: app.clock.now() };
    const check = await givenHourly(app, state);
    await new DeadlineLoop(app.deps, log).tick();
    app.clock.jump({ days: -1 });
    const { store } = app.deps;
    const deaf = { ...store, transaction: () => Promise.reject(new Error('killed')) };

    await assert.rejects(new DeadlineLoop({ ...app.deps, store: deaf }, log).tick(), /killed/);
    await new DeadlineLoop(app.deps, log).tick();

    const after = await store.checks.byId(check.id);
    assert.equal(after?.deadlineAt, app.clock.now() + seconds(3660));
  });

  test('a time of blindness is recorded once, however many nodes come back at once', async () => {
    await using app = await startTestApp(engine);
    await new DeadlineLoop(app.deps, log).tick();
    app.clock.advance({ hours: 1 });

    await Promise.all(Array.from({ length: 5 }, () => new DeadlineLoop(app.deps, log).tick()));

    assert.equal((await app.deps.store.liveness.blindSpansSince(0)).length, 1);
  });
});

describe('three nodes on postgres, one of them with a wrong clock', () => {
  /** A node whose clock differs from the one of the database by so much. */
  async function startNode(app: TestApp, opened: AsyncDisposableStack, off: Span) {
    const store = createSqlStore(opened.use(await openTestDriver(app.database)));
    const machine = new FakeClock(app.clock.now());
    machine.jump(off);
    const clock = new WatchedClock(machine, async () => app.clock.now());
    const events: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => events.push(JSON.parse(line).event) });
    const deps = { ...app.deps, store, clock };
    return { deps, machine, clock, events, deadlineLoop: new DeadlineLoop(deps, log, clock) };
  }

  for (const off of [{ days: 1 }, { days: -1 }, { hours: 1 }, { seconds: 40 }]) {
    test(`the time of the database rules (${JSON.stringify(off)})`, async () => {
      await using opened = new AsyncDisposableStack();
      const app = opened.use(await startTestApp('postgres'));
      const check = await givenHourly(app);
      const nodes = await Promise.all([{}, {}, {}].map(() => startNode(app, opened, {})));
      const [, , wrong] = nodes;
      assert.ok(wrong);
      const pass = async (span: Span) => {
        app.clock.advance(span);
        for (const { machine } of nodes) machine.advance(span);
        for (const { deadlineLoop } of nodes) while ((await deadlineLoop.tick()) === true);
      };
      await pass({});

      wrong.machine.jump(off);
      for (let n = 0; n < 12; n++) await pass({ seconds: 5 });
      assert.deepEqual(wrong.events, ['clock.differs_from_database']);
      assert.equal(wrong.clock.now(), app.clock.now());
      assert.equal(await app.deps.store.liveness.lastBeatAt(), app.clock.now());
      assert.deepEqual(await app.deps.store.liveness.blindSpansSince(0), []);

      await wrong.deadlineLoop.beforePings();
      assert.deepEqual(await ingestPings(wrong.deps, [incomingPing({ uuid: check.uuid })]), ['recorded']);
      assert.deepEqual(await statusesOf(app, check), []);
      const after = await app.deps.store.checks.byId(check.id);
      assert.equal(after?.lastPingAt, app.clock.now());

      wrong.machine.set(app.clock.now());
      await pass({ seconds: 5 });
      assert.deepEqual(wrong.events, ['clock.differs_from_database', 'clock.agrees_with_database']);
    });
  }

  test('a node that starts with a wrong clock goes by that of the database at once', async () => {
    await using opened = new AsyncDisposableStack();
    const app = opened.use(await startTestApp('postgres'));
    const check = await givenHourly(app);
    await (await startNode(app, opened, {})).deadlineLoop.tick();

    const wrong = await startNode(app, opened, { days: 3 });
    await wrong.deadlineLoop.ensureBeat();
    await wrong.deadlineLoop.tick();

    assert.deepEqual(await statusesOf(app, check), []);
    assert.deepEqual(await app.deps.store.liveness.blindSpansSince(0), []);
  });
});
