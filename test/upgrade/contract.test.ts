import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../../src/config/read-config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { startApp } from '../../src/main.ts';
import { archiveDatabase } from '../../src/storage/archive/backup.ts';
import { restore } from '../../src/storage/archive/restore.ts';
import { openSource } from '../../src/storage/archive/source.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { createEmptyPlace, createMigratedPlace, forEachEngine, openTestDriver } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { isContracted, letPass, plantedReleases } from './planted.ts';

const WORLD = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };

forEachEngine((engine) => {
  test('a service makes a contract step that is due, and says with which release it serves', async () => {
    await using place = await createMigratedPlace(engine);
    const { database } = place;
    const known = await plantedReleases(engine);
    {
      await using driver = await openTestDriver(database);
      for (const release of ['1.1.0', '1.2.0'] as const)
        await migrate(driver, systemClock, known[release], { release });
      await letPass(driver, seconds(86_400));
      assert.equal(await isContracted(driver), false);
    }
    const config = { ...readConfig({}), database, listen: { host: '127.0.0.1', port: 0 } };

    await using _app = await startApp(config, { ...WORLD, version: '1.2.0', migrations: known['1.2.0'] });
    await using driver = await openTestDriver(database);

    await until('the step is made', () => isContracted(driver));
    assert.deepEqual(await driver.all('select version from watch'), [{ version: '1.2.0' }]);
  });
});

forEachEngine((engine) => {
  test('a database whose contract step waits is archived as it is, and restored with the step made', async () => {
    await using folder = await temporaryFolder();
    await using place = await createMigratedPlace(engine);
    await using target = await createEmptyPlace(engine);
    {
      // As if that step were still to come.
      await using driver = await openTestDriver(place.database);
      await driver.transaction((tx) =>
        tx.script(
          'alter table accounts drop column address_form; delete from schema_migrations where version = 38',
        ),
      );
    }
    const path = join(folder.path, 'one.archive');
    const world = { ...WORLD, release: '1.2.0' };

    await archiveDatabase(place.database, path, world, null);
    const source = await openSource(path, world);
    await restore(target.database, { ...WORLD, source, secrets: null, replaces: false });

    assert.deepEqual(source.header.waiting, [38]);
    await using driver = await openTestDriver(target.database);
    assert.deepEqual(await driver.all('select address_form from accounts'), []);
  });
});
