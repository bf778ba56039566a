import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MONTH_END, MONTH_START, PROJECTS } from '../../src/demo/world.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { verifyDatabase } from '../../src/storage/verify/database.ts';
import { makePlace, makeTestMonth, refuseConnections, rowsOf, SECRET } from './demonstration.test-support.ts';

const DAY = seconds(86_400);
/** In bytes: ten times what a day adds. */
const MAX_GROWTH = 1_000_000;

test('the month has every state, message and run, lives on for a day, and stays as large', async () => {
  await using place = await makePlace();
  const [whole, again, longer] = ['whole', 'again', 'longer'].map((name) => `${place.folder}/${name}.db`);
  assert.ok(whole !== undefined && again !== undefined && longer !== undefined);
  using connections = refuseConnections();

  await makeTestMonth(whole, MONTH_END);
  await makeTestMonth(again, MONTH_END);
  const heaps: number[] = [];
  const monthShare = (MONTH_END - MONTH_START) / (MONTH_END + DAY - MONTH_START);
  const tell = (share: number) => void (share >= monthShare && heaps.push(liveBytes()));
  await makeTestMonth(longer, MONTH_END + DAY, tell);

  assert.deepEqual(connections.attempts, []);
  assert.deepEqual(rowsOf(again), rowsOf(whole));
  const secrets = { current: SECRET, fallbacks: [] };
  for (const path of [whole, longer]) {
    const world = { clock: systemClock, random: systemRandom };
    assert.deepEqual((await verifyDatabase({ engine: 'sqlite', path }, secrets, world)).faults, []);
  }
  using file = new DatabaseSync(whole, { readOnly: true });
  const texts = (sql: string) =>
    file
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]));
  assert.equal(texts('select uuid from checks').length, PROJECTS.flatMap(({ checks }) => checks).length);
  assert.deepEqual(texts('select distinct status from checks order by 1'), ['down', 'new', 'paused', 'up']);
  assert.deepEqual(texts('select distinct kind from checks order by 1'), ['cron', 'oncalendar', 'simple']);
  assert.ok(texts('select distinct tz from checks').length >= 7);
  assert.equal(texts('select distinct kind from channels').length, 8);
  assert.deepEqual(texts('select distinct state from deliveries order by 1'), [
    'delivered',
    'given_up',
    'open',
    'skipped',
  ]);
  assert.ok(texts("select reason from flips where reason = 'timeout'").length > 10);
  const kinds = texts('select distinct kind from mails order by 1');
  for (const kind of ['channel_trouble', 'report', 'reminder']) assert.ok(kinds.includes(kind), kinds.join());
  const flips = (slug: string) =>
    texts(`select flips.id from flips join checks on checks.id = check_id where slug = '${slug}'`).length;
  assert.ok(flips('immich-thumbnails') >= 6, 'one flaps');
  const lengths = texts(
    `select ended.created_at - started.created_at from pings started join pings ended using (check_id, rid)
       join checks on checks.id = check_id
      where slug = 'offsite-sync' and started.signal = 'start' and ended.signal = 'success' order by ended.n`,
  ).map(Number);
  assert.ok((lengths.at(-1) ?? 0) > 2.5 * (lengths[0] ?? 0), 'one gets slower');
  const silent = texts(
    `select slug from checks where status = 'up' and last_ping_at < ${MONTH_END - seconds(5_400)} and slug = 'wholesale-prices'`,
  );
  assert.deepEqual(silent, ['wholesale-prices']);
  const running = texts('select slug from checks where last_start_at is not null');
  assert.ok(running.includes('retrain-ranking'), running.join());

  using after = new DatabaseSync(longer, { readOnly: true });
  const lived = after.prepare('select count(*) as n from pings where created_at > ?').get(MONTH_END);
  assert.ok(Number(lived?.n) > 300, `${lived?.n} pings`);
  assert.ok((await stat(longer)).size < 1.2 * (await stat(whole)).size);
  const grown = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0);
  assert.ok(heaps.length > 20 && grown < MAX_GROWTH, `${grown} bytes in ${heaps.length} looks`);
});

/** The bytes of all objects that are still in use. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
