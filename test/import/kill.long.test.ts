import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Database } from '../../src/storage/open.ts';
import { settingsFor } from '../cli.test-support.ts';
import { seeded } from '../crash/seeded.ts';
import { createEmptyPlace, forEachEngine, openTestDriver, type TestPlace } from '../engines.ts';
import { runCli, startCli, temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { writeLargeHealthchecks } from './large-healthchecks.ts';

const CHECKS = 40;
const PINGS_OF_EACH = 2_000;
const KILLS = 20;
const SEED = 20_261_118;

/** All pings, each with its check and the length of its body. */
const PINGS = `select checks.uuid, pings.n, pings.created_at, pings.signal, pings.user_agent,
    length(coalesce(pings.body, ping_bodies.body)) as bytes
  from pings join checks on checks.id = pings.check_id
       left join ping_bodies on ping_bodies.check_id = pings.check_id and ping_bodies.n = pings.n
 order by checks.uuid, pings.n`;

async function rowsOf<Row>(database: Database, sql: string): Promise<Row[]> {
  await using driver = await openTestDriver(database);
  return await driver.all<Row>(sql);
}

/** How far the pings are. The tables may not be there yet. */
async function placeIn({ database }: TestPlace): Promise<number> {
  const [row] = await rowsOf<{ place: number }>(database, 'select place from imports').catch(() => []);
  return row?.place ?? 0;
}

forEachEngine((engine) => {
  test('an import that is killed again and again ends with the rows of one that is not', async () => {
    await using folder = await temporaryFolder();
    await using disturbed = await createEmptyPlace(engine);
    await using undisturbed = await createEmptyPlace(engine);
    const source = join(folder.path, 'hc.sqlite');
    writeLargeHealthchecks(source, CHECKS, PINGS_OF_EACH);
    const args = ['import', 'healthchecks', '--database', source, '--apply', '--history', 'all'];
    const optionsFor = (place: TestPlace) => ({ cwd: folder.path, env: settingsFor(place) });
    const random = seeded(SEED);
    const places = Array.from({ length: KILLS }, () => Math.floor(random() * CHECKS * PINGS_OF_EACH));

    for (const place of places.toSorted((one, other) => one - other)) {
      await using process = startCli(args, optionsFor(disturbed));
      let hasEnded = false;
      const exit = process.exit().then(() => {
        hasEnded = true;
      });
      await until('it has come so far', async () => hasEnded || (await placeIn(disturbed)) >= place);
      process.signal('SIGKILL');
      await exit;
    }
    const last = await runCli(args, optionsFor(disturbed));
    const whole = await runCli(args, optionsFor(undisturbed));

    assert.deepEqual([last.code, whole.code], [0, 0], last.stderr + whole.stderr);
    const rows = await rowsOf(disturbed.database, PINGS);
    assert.ok(rows.length >= CHECKS * PINGS_OF_EACH);
    assert.deepEqual(rows, await rowsOf(undisturbed.database, PINGS));
    const verified = await runCli(['verify'], optionsFor(disturbed));
    assert.equal(verified.code, 0, verified.stdout);
  });
});
