import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../../src/config/read-config.ts';
import { openCore } from '../../src/core.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { fillLastResults } from '../../src/services/check/last-results.ts';
import { loadAsItWas, restore } from '../../src/storage/archive/restore.ts';
import { openSource, type Source } from '../../src/storage/archive/source.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { loadMigrations } from '../../src/storage/migration-files.ts';
import type { Database } from '../../src/storage/open.ts';
import { schemaOf } from '../../src/storage/schema.test-support.ts';
import { verifyDatabase } from '../../src/storage/verify/database.ts';
import { createEmptyPlace, forEachEngine, openTestDatabase, openTestDriver } from '../engines.ts';
import { TEST_SECRET } from '../node-parts.ts';

/** Archives of databases that programs of earlier schemas have filled, by the version of the schema. */
const ARCHIVES = globSync(join(import.meta.dirname, 'released/*.archive')).toSorted();

const RELEASE = '1.0.0';
const WORLD = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };

/** Tables of which an upgrade neither adds nor loses a row. */
const COUNTED = ['accounts', 'projects', 'api_keys', 'channels', 'checks', 'check_channels', 'check_tags'];
const LIVED = ['pings', 'ping_bodies', 'flips', 'deliveries', 'attempts', 'audit_log', 'deleted_checks'];

async function counts(driver: Driver): Promise<Record<string, number>> {
  const columns = [...COUNTED, ...LIVED].map((table) => `(select count(*) from ${table}) as ${table}`);
  const [row] = await driver.all<Record<string, number>>(`select ${columns.join(', ')}`);
  return { ...row };
}

/** Makes the database of then, and returns how many rows it has. */
async function givenDatabaseOfThen(database: Database, source: Source): Promise<Record<string, number>> {
  await using driver = await openTestDriver(database);
  await driver.transaction((tx) => loadAsItWas(tx, driver, source, systemClock));
  return await counts(driver);
}

/** Starts today's program, then makes the steps that would wait for a day, and fills what a loop would. */
async function upgrade(database: Database): Promise<number[]> {
  const config = { ...readConfig({ SECRET_KEY: TEST_SECRET }), database };
  const applied: number[] = [];
  for (const contractBy of ['start', 'operator'] as const) {
    await using core = await openCore(config, { ...WORLD, version: RELEASE, contractBy });
    applied.push(...core.upgrade.migrated.map(({ version }) => version));
    while (await fillLastResults(core.deps));
  }
  return applied;
}

async function assertSound(database: Database, rows: Readonly<Record<string, number>>): Promise<void> {
  await using fresh = await openTestDatabase(database.engine);
  await using driver = await openTestDriver(database);
  assert.deepEqual(await schemaOf(driver), await schemaOf(fresh.driver));
  assert.deepEqual(await counts(driver), rows);
  const secrets = { current: TEST_SECRET, fallbacks: [] };
  assert.deepEqual(await verifyDatabase(database, secrets, WORLD), { faults: [], hasSecret: true });
}

test('there is a database of the first schema', () => {
  assert.equal(basename(ARCHIVES[0] ?? ''), '0036.archive');
});

forEachEngine((engine) => {
  for (const path of ARCHIVES) {
    const schema = Number.parseInt(basename(path), 10);

    test(`a database of schema ${schema} becomes what a new one is, with its data, and verify finds no fault`, async () => {
      await using place = await createEmptyPlace(engine);
      const { database } = place;
      const source = await openSource(path, { ...WORLD, release: RELEASE });
      const rows = await givenDatabaseOfThen(database, source);
      assert.ok(
        Object.values(rows).every((count) => count > 0),
        JSON.stringify(rows),
      );

      const applied = await upgrade(database);

      const later = (await loadMigrations(engine))
        .map(({ version }) => version)
        .filter((one) => one > schema);
      assert.equal(source.header.schema, schema);
      assert.deepEqual(applied, later);
      await assertSound(database, rows);
    });

    test(`an archive of schema ${schema} is restored as what an upgrade makes of it`, async () => {
      await using then = await createEmptyPlace(engine);
      await using place = await createEmptyPlace(engine);
      const source = await openSource(path, { ...WORLD, release: RELEASE });
      const rows = await givenDatabaseOfThen(then.database, source);

      await restore(place.database, { ...WORLD, source, secrets: null, replaces: false });

      await assertSound(place.database, rows);
    });
  }

  test('what stood in the addresses of a project is what its owner is shown', async () => {
    await using place = await createEmptyPlace(engine);
    const [path = ''] = ARCHIVES;
    await givenDatabaseOfThen(place.database, await openSource(path, { ...WORLD, release: RELEASE }));

    await upgrade(place.database);

    await using driver = await openTestDriver(place.database);
    assert.deepEqual(
      (await driver.all<{ form: string }>('select address_form as form from accounts')).map(
        ({ form }) => form,
      ),
      ['slug'],
    );
  });
});
