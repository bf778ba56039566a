import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../bench/lib/load.ts';
import type { Database } from '../../src/storage/open.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { createMigratedPlace, openTestDriver } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { seeded } from './seeded.ts';
import { type Service, startService } from './service.ts';
import { firstArrivals, startSink } from './sink.ts';

const NODES = 3;
const CHECKS = 10;
/** NODE_PINGS=100000 sends more. */
const PINGS = Number(process.env.NODE_PINGS ?? 10_000);
const CONNECTIONS_PER_NODE = 32;
const SEED = 20_260_105;

test('three servers on one database count each ping once and tell of each change once, in order', async () => {
  await using folder = await temporaryFolder();
  await using place = await createMigratedPlace('postgres');
  await using sink = await startSink();
  await using nodes = new AsyncDisposableStack();
  const start = async () => nodes.use(await startService(folder.path, place.database, { webhook: sink.url }));
  const first = await start();
  const others = await Promise.all(Array.from({ length: NODES - 1 }, start));
  const names = Array.from({ length: CHECKS }, (_, index) => `job ${index + 1}`);
  const uuids = (await Promise.all(names.map((name) => first.createCheck(name)))).map(({ uuid }) => uuid);

  await Promise.all([first, ...others].map((node, index) => sendPings(node, uuids, SEED + index)));

  const sent = Math.floor(PINGS / NODES) * NODES;
  const checks = await first.checks();
  assert.equal(
    checks.reduce((sum, { n_pings }) => sum + n_pings, 0),
    sent,
  );
  await requireNoGaps(place.database);
  const news = new Map(await Promise.all(uuids.map(async (uuid) => [uuid, await first.news(uuid)] as const)));
  const count = [...news.values()].flat().length;
  assert.ok(count > PINGS / 20, `only ${count} changes were tried`);
  await until('all has been told', () => sink.arrivals.length >= count);
  await nodes.disposeAsync();
  assert.deepEqual(firstArrivals(sink), new Map([...news].filter(([, own]) => own.length > 0)));
  assert.equal(sink.arrivals.length, count, 'nothing is told twice');
  assert.equal(await deadlocks(place.database), 0);
});

/** Its share of the pings, to all checks at random, one in ten a failure; each must be answered with 200. */
async function sendPings({ url }: Service, uuids: readonly string[], seed: number): Promise<void> {
  const random = seeded(seed);
  const request = () => {
    const uuid = uuids[Math.floor(random() * uuids.length)];
    const suffix = random() < 0.1 ? '/fail' : '';
    return { method: 'POST', path: `/ping/${uuid}${suffix}`, headers: {}, body: '' };
  };
  const requests = Math.floor(PINGS / NODES);
  const port = Number(new URL(url).port);
  await load({ port, connections: CONNECTIONS_PER_NODE, requests, request, expect: 200 });
}

async function requireNoGaps(database: Database): Promise<void> {
  await using driver = await openTestDriver(database);
  const store = createSqlStore(driver);
  const [project] = await driver.all<{ id: number }>('select id from projects');
  for (const check of await store.checks.ofProject(project?.id ?? assert.fail())) {
    const pings = (await store.pings.latest(check.id, 1_000_000)).reverse();
    assert.equal(check.pingCount, pings.length);
    assert.ok(pings.every(({ n }, index) => n === index + 1));
    assert.ok(pings.every(({ createdAt }, index) => createdAt >= (pings[index - 1]?.createdAt ?? 0)));
    assert.equal(check.status, pings.at(-1)?.signal === 'fail' ? 'down' : 'up');
  }
}

/** So far as the server has counted them: its sessions report when they end. */
async function deadlocks(database: Database): Promise<number> {
  await using driver = await openTestDriver(database);
  const [row] = await driver.all<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(row?.deadlocks);
}
