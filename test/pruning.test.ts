import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../src/domain/check.ts';
import type { IncomingPing } from '../src/domain/incoming-ping.ts';
import { seconds } from '../src/lib/instant.ts';
import { ingestPings } from '../src/services/ingest.ts';
import { Pruner } from '../src/services/pruning.ts';
import { START, sharedTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { incomingPing } from './records.ts';

const DAY = seconds(86_400);

async function ping(app: TestApp, check: Check, count: number): Promise<void> {
  const one = incomingPing({ uuid: check.uuid }, { signal: 'log' });
  await ingestPings(app.deps, Array<IncomingPing>(count).fill(one));
}

async function numbers(app: TestApp, check: Check): Promise<number[]> {
  const pings = await app.deps.store.pings.latest(check.id, 10_000);
  return pings.map(({ n }) => n).reverse();
}

async function pruneAll(app: TestApp): Promise<number> {
  const pruner = new Pruner(app.deps, 10);
  let ticks = 0;
  while (await pruner.tick()) ticks++;
  return ticks;
}

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  test('186: after two hundred pings with a limit of a hundred, the first hundred are gone', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 100 } });
    const check = await app.givenCheck(project);

    await ping(app, check, 200);
    await pruneAll(app);

    const kept = await numbers(app, check);
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [100, 101, 200]);
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

    const pruner = new Pruner(app.deps, 10);
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
    const pruner = new Pruner(app.deps, 1);

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

  // Also case 112 of alerting.
  test('188: flips of the last 93 days survive, and older ones as long as their pings', async () => {
    const app = started();
    const { project } = await app.givenProject({ limits: { checks: 5, pings: 100 } });
    const check = await app.givenCheck(project);
    const ages = [200, 100, 92, 1];
    await app.deps.store.transaction((tx) =>
      tx.flips.insertMany(
        ages.map((days) => ({
          checkId: check.id,
          createdAt: START - days * DAY,
          oldStatus: 'up' as const,
          newStatus: 'down' as const,
          reason: 'fail' as const,
        })),
      ),
    );
    const remaining = async () => {
      const flips = await app.deps.store.flips.ofCheck(check.id, { from: null, before: null });
      return flips.map(({ createdAt }) => (START - createdAt) / DAY).reverse();
    };

    app.clock.set(START - 150 * DAY);
    await ping(app, check, 100);
    app.clock.set(START);
    await pruneAll(app);
    assert.deepEqual(await remaining(), [100, 92, 1]);

    await ping(app, check, 100);
    await pruneAll(app);
    assert.deepEqual(await remaining(), [92, 1]);
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
