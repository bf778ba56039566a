import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { seconds } from '../src/lib/instant.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import type { Engine } from '../src/storage/dialect.ts';
import type { Driver } from '../src/storage/driver.ts';
import type { Database } from '../src/storage/open.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { createMigratedPlace, openTestDriver } from './engines.ts';
import { listening, startCli, temporaryFolder } from './process.ts';
import { addCheck, givenProject } from './records.ts';
import { until } from './waiting.ts';

/** Columns in which no two checks have the same value. */
const UNIQUE: Readonly<Record<Engine, Readonly<Record<string, string>>>> = {
  sqlite: {
    uuid: `printf('00000000-0000-4000-8000-%012x', k)`,
    badge_key: `printf('00000000-0000-4000-8000-%012x', k)`,
    unique_key: `printf('%040x', k)`,
  },
  postgres: {
    uuid: 'gen_random_uuid()',
    badge_key: 'gen_random_uuid()',
    unique_key: `md5(random()::text) || '00000000'`,
  },
};

const NAMES: Readonly<Record<Engine, string>> = {
  sqlite: `select name from pragma_table_info('checks') where name <> 'id'`,
  postgres: `select attname as name from pg_attribute
              where attrelid = 'checks'::regclass and attnum > 0 and not attisdropped and attidentity = ''`,
};

/** A subquery that has the numbers from one on as `k`. */
const numbers = (upTo: number) =>
  `(with recursive numbers (k) as (select 1 union all select k + 1 from numbers where k < ${upTo}) select k from numbers)`;

/** Checks that are up, with some pings and a flip each. */
async function fill(driver: Driver, count: number): Promise<void> {
  const { engine } = driver.dialect;
  const store = createSqlStore(driver);
  const { project } = await givenProject(store);
  const now = systemClock.now();
  const deadlineAt = now + seconds(86_400);
  await addCheck(store, project, { status: 'up', pingCount: 3, lastPingAt: now, deadlineAt });
  const names = (await driver.all<{ name: string }>(NAMES[engine])).map(({ name }) => name);
  await driver.transaction(async (tx) => {
    await tx.script(
      `insert into checks (${names.join(', ')})
       select ${names.map((name) => UNIQUE[engine][name] ?? name).join(', ')} from checks, ${numbers(count - 1)} as numbers`,
    );
    await tx.script(
      `insert into pings (check_id, n, created_at, signal, scheme, method, user_agent)
       select id, k, ${now}, 'success', 'http', 'GET', 'curl/8.7.1' from checks, ${numbers(3)} as numbers order by id, k`,
    );
    await tx.script(
      `insert into flips (check_id, created_at, old_status, new_status, reason)
       select id, ${now}, 'new', 'up', '' from checks order by id`,
    );
    await tx.script('analyze');
  });
}

describe('on postgres', () => {
  const CHECKS = 60_000;
  /** Checks are counted up to 10,000, and a loop may have begun to look at some. */
  const MOST_READ = 30_000;

  /** The rows, and the entries of indexes, that all sessions together have read. */
  async function readUntilNow(driver: Driver): Promise<number> {
    const [sums] = await driver.all<{ read: number }>(
      `select (select sum(seq_tup_read) from pg_stat_user_tables)
              + (select sum(idx_tup_read) from pg_stat_user_indexes) as read`,
    );
    return Number(sums?.read);
  }

  test('a start reads no more of many checks than it would of some', async () => {
    await using place = await createMigratedPlace('postgres');
    await using driver = await openTestDriver(place.database);
    await fill(driver, CHECKS);
    let before = 0;
    // A session tells its numbers now and then, and when it ends.
    await until('what was filled is counted', async () => {
      const last = before;
      before = await readUntilNow(driver);
      return before === last && before >= CHECKS;
    });
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
    let read = 0;
    await until('the numbers are told', async () => {
      read = (await readUntilNow(driver)) - before;
      return read >= 10_000;
    });
    assert.ok(read <= MOST_READ, `${read} entries were read`);
  });
});

describe('on sqlite', {
  skip: process.platform !== 'linux' && 'only Linux tells what a process reads',
}, () => {
  /** Both are more than are counted. */
  const SOME = 20_000;
  const MANY = 200_000;
  /** For each check. An entry of the smallest index has some fifteen. */
  const MOST_BYTES = 3;

  /** Returns the bytes that a start reads, the code among them. */
  async function startOn(database: Database & { engine: 'sqlite' }): Promise<number> {
    await using folder = await temporaryFolder();
    const options = { cwd: folder.path, env: { DATABASE_URL: `sqlite:${database.path}` } };
    await using service = startCli(['serve'], options);
    await listening(service);
    const [, read] = /^rchar: (\d+)$/m.exec(await readFile(`/proc/${service.pid}/io`, 'utf8')) ?? [];
    return Number(read);
  }

  test('a start reads no more of many checks than it would of some', async () => {
    const [some, many] = await Promise.all(
      [SOME, MANY].map(async (count) => {
        await using place = await createMigratedPlace('sqlite');
        const { database } = place;
        assert.ok(database.engine === 'sqlite');
        {
          await using driver = await openTestDriver(database);
          await fill(driver, count);
        }
        // The first start has more to write, and the compiled code of the program.
        await startOn(database);
        return await startOn(database);
      }),
    );
    assert.ok(some !== undefined && some > 0 && many !== undefined);

    assert.ok(many - some < MOST_BYTES * (MANY - SOME), `${many - some} bytes more`);
  });
});
