import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import type { Ailment } from '../src/domain/vitals.ts';
import { createHttpServer } from '../src/http/server.ts';
import { systemRandom } from '../src/lib/random.ts';
import { systemTimers } from '../src/lib/timers.ts';
import { buildNode } from '../src/node/node.ts';
import { startHeartbeat, startLoops, startWatching } from '../src/node/start-loops.ts';
import type { Engine } from '../src/storage/dialect.ts';
import type { Driver } from '../src/storage/driver.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { SqliteDriver } from '../src/storage/sqlite/driver.ts';
import { START } from './app.ts';
import { createMigratedPlace, forEachEngine, openTestDatabase } from './engines.ts';
import { parseExposition } from './exposition.ts';
import { FakeClock } from './fake-clock.ts';
import { injectInto } from './inject.ts';
import { LoopTime } from './loop-time.ts';
import { testDatabase, testParts } from './node-parts.ts';
import { addCheck, givenProject, incomingPing } from './records.ts';
import { RefusingDriver } from './refusing-driver.ts';

const HEARTBEAT_SECONDS = 60;
/** The loops of a node without mail or object storage. */
const LOOP_COUNT = 17;

/** A node with all its loops, on a clock that only the test moves. */
async function startNode(engine: Engine, through: (driver: Driver) => Driver = (driver) => driver) {
  await using started = new AsyncDisposableStack();
  const { driver } = started.use(await openTestDatabase(engine));
  const clock = new FakeClock(START);
  const time = new LoopTime(clock, LOOP_COUNT);
  const given = testParts(testDatabase(createSqlStore(through(driver)), engine), clock, {
    timers: { ...systemTimers, rest: time.rest },
    transports: { http: async () => ({ error: 'Connection failed' }), mail: null },
  });
  const { settings } = given;
  const api = { ...settings.api, metricsKey: 'sesame' };
  const node = started.use(await buildNode({ ...given, settings: { ...settings, api } }));
  await startLoops(node);
  startWatching(node);
  let beats = 0;
  const send = async () => {
    beats++;
    return { status: 200, headers: {}, body: new Uint8Array() };
  };
  startHeartbeat(node, { send }, { url: 'http://monitor', intervalSeconds: HEARTBEAT_SECONDS });
  const { deps, pings, telemetry } = node;
  const server = createHttpServer(deps, pings, node.http);
  started.defer(() => server.close());
  const parts = started.move();
  return {
    driver,
    deps,
    time,
    pings,
    telemetry,
    deadlineLoop: node.deadlineLoop,
    /** The state for open pages. */
    isStopped: async () => (await node.vitals.watch()).stoppedSince !== null,
    async reasons(): Promise<Ailment[]> {
      const reply = await injectInto(server, { url: '/api/v3/ready/' });
      const { ready, reasons } = reply.json<{ ready: boolean; reasons: Ailment[] }>();
      assert.deepEqual([reply.statusCode, ready], reasons.length === 0 ? [200, true] : [503, false]);
      return reasons;
    },
    status: async () => (await injectInto(server, { url: '/api/v3/status/' })).statusCode,
    async metrics() {
      const reply = await injectInto(server, { url: '/metrics', headers: { 'x-metrics-key': 'sesame' } });
      const families = parseExposition(reply.body);
      return (name: string, loop?: string) =>
        families.get(name)?.samples.get(loop === undefined ? name : `${name}{loop="${loop}"}`);
    },
    /** The number of beats that the other monitor got while that much time passed. */
    async beatsWithin(seconds: number): Promise<number> {
      const before = beats;
      await time.pass(seconds);
      return beats - before;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

type TestNode = Awaited<ReturnType<typeof startNode>>;

async function assertNoticesRefusedWrites(
  node: TestNode,
  refuse: (isRefusing: boolean) => Promise<void>,
): Promise<void> {
  await node.time.pass(5);
  assert.equal(await node.beatsWithin(120), 2);
  assert.deepEqual(await node.reasons(), []);

  await refuse(true);
  await node.time.pass(30);
  assert.deepEqual(await node.reasons(), []);
  await node.time.pass(5);
  assert.deepEqual(await node.reasons(), ['writes_failing']);
  assert.equal(await node.status(), 200);
  await node.time.pass(60);
  assert.equal(await node.beatsWithin(300), 0);
  assert.deepEqual(await node.reasons(), ['writes_failing', 'deadlines_silent', 'outages_silent']);
  assert.equal(await node.status(), 200);

  const value = await node.metrics();
  assert.equal(value('tocsin_ready'), 0);
  assert.ok((value('tocsin_seconds_since_write') ?? 0) > 300);
  assert.ok((value('tocsin_loop_seconds_since_success', 'deadlines') ?? 0) > 300);
  assert.ok((value('tocsin_loop_failures_total', 'deadlines') ?? 0) > 10);
  assert.equal(value('tocsin_loop_bound_seconds', 'deadlines'), 46);
  assert.ok((value('tocsin_loop_seconds_since_success', 'reports') ?? 60) < 60);

  await refuse(false);
  await node.time.pass(10);
  assert.deepEqual(await node.reasons(), []);
  assert.equal(await node.beatsWithin(120), 2);
}

forEachEngine((engine) => {
  suite('a node whose database is read but not written', () => {
    test('is not ready, keeps its heartbeat back, and recovers with the database', async () => {
      const drivers: RefusingDriver[] = [];
      await using node = await startNode(engine, (inner) => {
        const driver = new RefusingDriver(inner);
        drivers.push(driver);
        return driver;
      });

      await assertNoticesRefusedWrites(node, async (isRefusing) => {
        for (const driver of drivers) driver.isRefusing = isRefusing;
      });
    });

    test('is not ready when it is pings alone that are refused', async () => {
      await using node = await startNode(engine);
      const ping = () => node.pings.record(incomingPing({ uuid: systemRandom.uuid() }));
      const forbid = (statement: string) => node.driver.transaction((tx) => tx.script(statement));
      await node.time.pass(60);

      await forbid('alter table checks rename to hidden');
      for (let n = 0; n < 4; n++) {
        assert.equal(typeof (await ping()), 'object');
        assert.deepEqual(
          (await node.reasons()).filter((reason) => reason === 'pings_failing'),
          n < 2 ? [] : ['pings_failing'],
        );
        await node.time.pass(20);
      }
      await forbid('alter table hidden rename to checks');
      assert.equal(await ping(), 'not_found');
      await node.time.pass(10);

      assert.deepEqual(await node.reasons(), []);
    });
  });

  test('a node that finds no missed deadlines any more says so within a minute, although jobs ping it', async () => {
    await using node = await startNode(engine);
    const passWithPings = async (seconds: number) => {
      for (let left = seconds; left > 0; left -= 5) {
        node.telemetry.noteWrite();
        await node.time.pass(5);
      }
    };
    const { tick } = node.deadlineLoop;
    await passWithPings(60);

    node.deadlineLoop.tick = () => Promise.reject(new Error('it fails'));
    await passWithPings(45);
    assert.deepEqual([await node.reasons(), await node.isStopped()], [[], false]);
    // Open pages are told every five seconds.
    await passWithPings(5);
    assert.deepEqual([await node.reasons(), await node.isStopped()], [['deadlines_silent'], true]);
    node.deadlineLoop.tick = tick;
    await passWithPings(5);

    assert.deepEqual([await node.reasons(), await node.isStopped()], [[], false]);
  });

  test('a node is ready from its start on, and every loop must succeed within a minute of its rest', async () => {
    await using node = await startNode(engine);
    assert.deepEqual(await node.reasons(), []);
    let isFailing = true;
    const tick = node.telemetry.countTicks('body_deletions', { restMs: 3_600_000 }, async () => {
      if (isFailing) throw new Error('refused');
      return false;
    });

    await node.time.pass(3_600);
    await assert.rejects(tick());
    await node.time.pass(60);
    assert.deepEqual(await node.reasons(), []);
    await node.time.pass(5);
    assert.deepEqual(await node.reasons(), ['body_deletions_silent']);
    isFailing = false;
    await tick();
    await node.time.pass(5);

    assert.deepEqual(await node.reasons(), []);
  });
});

suite('a node on a SQLite file', () => {
  test('that takes no writes is not ready, and recovers with it', async () => {
    await using opened = new AsyncDisposableStack();
    const { database } = opened.use(await createMigratedPlace('sqlite'));
    assert.ok(database.engine === 'sqlite');
    const driver = opened.use(new SqliteDriver(database.path, { busyTimeoutMs: 0 }));
    const other = opened.adopt(new DatabaseSync(database.path), (connection) => connection.close());
    await using node = await startNode('sqlite', () => driver);

    await assertNoticesRefusedWrites(node, async (isRefusing) =>
      other.exec(isRefusing ? 'begin immediate' : 'rollback'),
    );
  });

  test('that has no room for pings is not ready, though small things are still written', async () => {
    await using node = await startNode('sqlite');
    const { project } = await givenProject(node.deps.store);
    const { uuid } = await addCheck(node.deps.store, project);
    const ping = () => node.pings.record(incomingPing({ uuid }, { body: new Uint8Array(10_000) }));
    const limitPages = (pages: number) =>
      node.driver.transaction((tx) => tx.script(`pragma max_page_count = ${pages}`));
    assert.equal(await ping(), 'recorded');

    // The present number: to want fewer changes nothing.
    await limitPages(1);
    for (let n = 0; n < 3; n++) {
      await assert.rejects(ping(), /full/);
      await node.time.pass(20);
    }
    assert.deepEqual(await node.reasons(), ['pings_failing']);
    assert.equal(await node.status(), 200);
    await limitPages(1_000_000);
    assert.equal(await ping(), 'recorded');
    await node.time.pass(5);

    assert.deepEqual(await node.reasons(), []);
  });
});
