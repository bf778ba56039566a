import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemRandom } from '../../src/lib/random.ts';
import type { Engine } from '../../src/storage/dialect.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { verifyDatabase } from '../../src/storage/verify/database.ts';
import { TRUTHS } from '../../src/storage/verify/truths.ts';
import { findFaults } from '../../src/storage/verify/verify.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { forEachEngine, openTestDriver } from '../engines.ts';
import { live } from '../lived.ts';
import { TEST_SECRET } from '../node-parts.ts';

const SECRETS = { current: TEST_SECRET, fallbacks: [] };

/** A statement that makes a sound database faulty, and the truth that tells of it. */
interface Planted {
  readonly sql: string;
  readonly table: string;
  readonly fault: RegExp;
}

const plant = (sql: string, table: string, fault: RegExp): Planted => ({ sql, table, fault });

const one = (table: string, condition = 'true') => `(select min(id) from ${table} where ${condition})`;
const live1 = `(select id from checks where slug = 'job-0')`;

const PLANTED: readonly Planted[] = [
  plant(`update checks set ping_count = ping_count + 1 where id = ${live1}`, 'checks', /ping_count is not/),
  plant(`delete from pings where check_id = ${live1} and n = 2`, 'checks', /pings are missing/),
  plant(
    `insert into pings (check_id, n, created_at, signal, scheme, method, user_agent)
     values (999, 1, 0, 'success', 'http', 'GET', '')`,
    'pings',
    /no such check/,
  ),
  plant(
    `update pings set occurred_at = created_at + 1 where check_id = ${live1} and n = 1`,
    'pings',
    /happened after it came/,
  ),
  plant(`update pings set signal = 'succes' where check_id = ${live1} and n = 1`, 'pings', /signal is none/),
  plant(
    `update pings set long_body_size = 7 where check_id = ${live1} and long_body_size is not null`,
    'ping_bodies',
    /its length is not/,
  ),
  plant(`update checks set status = 'broken' where slug = 'job-3'`, 'checks', /status is none/),
  plant(
    `update flips set old_status = 'paused' where id = (select max(id) from flips where old_status = 'down')`,
    'flips',
    /old_status is not/,
  ),
  plant(`update checks set status = 'new' where slug = 'job-3'`, 'checks', /status is not the one/),
  plant(
    `update checks set deadline_at = deadline_at + 1, alarm_at = deadline_at where id = ${one('checks', 'deadline_at is not null')}`,
    'checks',
    /deadline_at is not the time/,
  ),
  plant(
    `update checks set alarm_at = null where id = ${one('checks', 'deadline_at is not null')}`,
    'checks',
    /nobody would notice/,
  ),
  plant(`update checks set unique_key = 'x' where id = ${live1}`, 'checks', /unique_key does not follow/),
  plant(`delete from check_tags where check_id = ${live1} and tag = 'prod'`, 'checks', /other tags/),
  plant('delete from deleted_checks', 'checks', /bin/),
  plant(
    `update accounts set check_count = check_count + 1 where id = ${one('accounts')}`,
    'accounts',
    /check_count/,
  ),
  plant(
    `insert into accounts (uuid, email, check_limit, ping_limit, created_at)
     values ('5c7e2a10-93b4-4d6f-8a21-000000000001', 'other@example.org', 1, 1, 0);
     update projects set owner_id = (select max(id) from accounts) where bin_of is not null`,
    'projects',
    /another owner/,
  ),
  plant('update projects set ping_key_digest = null', 'projects', /ping key/),
  plant(
    `update deliveries set next_attempt_at = null where id = ${one('deliveries', "state = 'open'")}`,
    'deliveries',
    /open without a date/,
  ),
  plant(
    `update deliveries set finished_at = null where id = ${one('deliveries', "state = 'delivered'")}`,
    'deliveries',
    /finished without a time/,
  ),
  plant(
    `update deliveries set leased_until_at = 1 where id = ${one('deliveries', "state = 'delivered'")}`,
    'deliveries',
    /in hand/,
  ),
  plant(
    `update deliveries set check_id = (select id from checks where slug = 'job-3') where id = ${one('deliveries')}`,
    'deliveries',
    /another check/,
  ),
  plant(
    `update projects set ping_key_sealed = 'AAAA' where ping_key_sealed is not null`,
    'projects',
    /cannot be opened/,
  ),
  plant(`update channels set sealed_settings = 'AAAA' where kind = 'slack'`, 'channels', /cannot be opened/),
  plant(
    `insert into ping_aliases (uuid, dialect, token_digest, token_sealed, created_at)
     values ('9f2a3a37-1f4d-4a3b-8a44-00000000000a', 'kuma', '', 'AAAA', 0)`,
    'ping_aliases',
    /stands for no check/,
  ),
  plant(`update authenticators set sealed_secret = 'AAAA'`, 'authenticators', /cannot be opened/),
  plant(`update channels set settings = '{' where kind = 'email'`, 'channels', /settings is no JSON/),
];

const COUNTER: Readonly<Record<Engine, string>> = {
  sqlite: `update sqlite_sequence set seq = 1 where name = 'checks'`,
  postgres: `select setval(pg_get_serial_sequence('checks', 'id'), 1)`,
};

forEachEngine((engine) => {
  describe('verification', () => {
    let app: TestApp;
    let driver: Driver;
    before(async () => {
      app = await startTestApp(engine);
      await live(app);
      driver = await openTestDriver(app.database);
    });
    after(async () => {
      await driver[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    });

    test('finds nothing in a database that has lived', async () => {
      const rows = await driver.all<{ pings: number; flips: number; deliveries: number }>(
        `select (select count(*) from pings) as pings, (select count(*) from flips) as flips,
                (select count(*) from deliveries where state = 'open') as deliveries`,
      );
      assert.ok(
        Object.values(rows[0] ?? {}).every((count) => count > 0),
        JSON.stringify(rows),
      );

      const found = await verifyDatabase(app.database, SECRETS, { clock: app.clock, random: systemRandom });

      assert.deepEqual(found, { faults: [], hasSecret: true });
    });

    test('finds each of the planted faults', async () => {
      const around = { now: app.clock.now(), vault: app.deps.vault };
      for (const { sql, table, fault } of PLANTED) {
        const UNDO = new Error('undo');
        const found = driver.transaction(async (tx) => {
          await tx.script(sql);
          const faults = await findFaults(tx, engine, around, 20);
          assert.ok(
            faults.some((one) => one.table === table && fault.test(one.fault)),
            `${sql}\n${JSON.stringify(faults)}`,
          );
          throw UNDO;
        });
        await assert.rejects(found, UNDO);
      }
    });

    test('tells of another secret, and without one opens nothing', async () => {
      const world = { clock: app.clock, random: systemRandom };
      const other = { current: 'another secret for tests', fallbacks: [] };

      const wrong = await verifyDatabase(app.database, other, world);
      const none = await findFaults(driver, engine, { now: app.clock.now(), vault: null }, 20);

      assert.deepEqual(wrong.faults.map(({ table }) => table).toSorted(), [
        'authenticators',
        'channels',
        'projects',
      ]);
      assert.deepEqual(none, []);
    });

    test('finds a counter that would give out ids again', async () => {
      await driver.transaction((tx) => tx.script(COUNTER[engine]));

      const faults = await findFaults(driver, engine, { now: app.clock.now(), vault: null }, 20);

      const checks = { table: 'checks', key: '5', fault: 'the counter of ids is behind, at 1' };
      assert.deepEqual(faults, [checks]);
    });
  });
});

test('no two truths have one name, and each says what is wrong', () => {
  assert.equal(new Set(TRUTHS.map(({ name }) => name)).size, TRUTHS.length);
  for (const { fault } of TRUTHS) assert.match(fault, /^[a-z].*[^.]$/);
});
