import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import type { Driver } from '../src/storage/driver.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { createMigratedPlace, openTestDriver } from './engines.ts';
import { checkRecord, givenProject } from './records.ts';
import { until } from './waiting.ts';

const CHECKS = 60_000;
/** Checks are counted up to 10,000, and each statement may look at some. */
const MOST_READ = 20_000;

/** Columns in which no two checks have the same value. */
const UNIQUE: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  badge_key: 'gen_random_uuid()',
  unique_key: `md5(random()::text) || '00000000'`,
};

/** Copies the only check many times. */
async function multiplyChecks(driver: Driver): Promise<void> {
  const rows = await driver.all<{ name: string }>(
    `select attname as name from pg_attribute
      where attrelid = 'checks'::regclass and attnum > 0 and not attisdropped and attidentity = ''`,
  );
  const names = rows.map(({ name }) => name);
  await driver.transaction((tx) =>
    tx.script(
      `insert into checks (${names.join(', ')})
       select ${names.map((name) => UNIQUE[name] ?? name).join(', ')} from checks, generate_series(2, ${CHECKS})`,
    ),
  );
  await driver.transaction((tx) => tx.script('analyze checks'));
}

/** The rows of checks, and the entries of their indexes, that all sessions together have read. */
async function readUntilNow(driver: Driver): Promise<number> {
  const [sums] = await driver.all<{ read: number }>(
    `select (select seq_tup_read from pg_stat_user_tables where relname = 'checks')
            + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'checks') as read`,
  );
  return Number(sums?.read);
}

test('a start reads no more of many checks than it would of some', async () => {
  await using place = await createMigratedPlace('postgres');
  await using driver = await openTestDriver(place.database);
  const store = createSqlStore(driver);
  const { project } = await givenProject(store);
  await store.transaction((tx) => tx.checks.insert(checkRecord(project.id)));
  await multiplyChecks(driver);
  const before = await readUntilNow(driver);
  const config = {
    ...readConfig({ SECRET_KEY: 'a secret for tests only, and a long one' }),
    database: place.database,
    listen: { host: '127.0.0.1', port: 0 },
  };
  let told: unknown;

  {
    const log = pino({ level: 'silent' });
    await using app = await startApp(config, { clock: systemClock, random: systemRandom, log });
    told = app.report.watching.checks;
  }

  assert.deepEqual(told, { count: CHECKS, isEstimate: true });
  // A session tells its numbers when it ends.
  let read = 0;
  await until('the numbers are told', async () => {
    read = (await readUntilNow(driver)) - before;
    return read >= 10_000;
  });
  assert.ok(read <= MOST_READ, `${read} entries were read`);
});
