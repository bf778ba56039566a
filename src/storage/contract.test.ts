import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEmptyPlace, forEachEngine, openTestDatabase, openTestDriver } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import {
  beat,
  isContracted,
  letPass,
  type PlantedRelease,
  plantedReleases,
} from '../../test/upgrade/planted.ts';
import { systemClock } from '../lib/clock.ts';
import { seconds } from '../lib/instant.ts';
import type { ContractBy } from './contract.ts';
import type { Driver } from './driver.ts';
import { migrate } from './migrate.ts';

const DAY = seconds(86_400);

async function start(
  driver: Driver,
  release: PlantedRelease,
  contractBy: ContractBy = 'start',
): Promise<number[]> {
  const known = (await plantedReleases(driver.dialect.engine))[release];
  const applied = await migrate(driver, systemClock, known, { release, contractBy });
  return applied.map(({ version }) => version);
}

forEachEngine((engine) => {
  test('a start makes no contract step, and a later step does not wait for it', async () => {
    await using opened = await openTestDatabase(engine);
    const { contract } = await plantedReleases(engine);
    await start(opened.driver, '1.1.0');

    const applied = await start(opened.driver, '1.2.0');

    assert.deepEqual(applied, [contract + 1]);
    assert.equal(await isContracted(opened.driver), false);
  });

  test('an operator cannot make it while a program of the minor release before runs, which is named', async () => {
    await using opened = await openTestDatabase(engine);
    const { driver } = opened;
    const { contract } = await plantedReleases(engine);
    await start(driver, '1.1.0');
    await start(driver, '1.2.0');
    await beat(driver, 'seven', '1.1.0');
    await beat(driver, 'eight', '1.2.0');

    await assert.rejects(start(driver, '1.2.0', 'operator'), {
      name: 'StorageError',
      message: `node seven of Tocsin 1.1.0 is running, and needs what version ${contract} of the database takes away: stop it, and upgrade it to Tocsin 1.2 or newer`,
    });
    assert.equal(await isContracted(driver), false);

    await letPass(driver, seconds(31));
    await beat(driver, 'eight', '1.2.0');
    assert.deepEqual(await start(driver, '1.2.0', 'operator'), [contract]);
    assert.equal(await isContracted(driver), true);
  });

  test('a program that tells no version counts as an older one', async () => {
    await using opened = await openTestDatabase(engine);
    await start(opened.driver, '1.1.0');
    await start(opened.driver, '1.2.0');
    await beat(opened.driver, 'seven', null);

    await assert.rejects(
      start(opened.driver, '1.2.0', 'operator'),
      /^StorageError: node seven of an older Tocsin is running/,
    );
  });

  test('it makes itself once, a day after the last beat of an older program', async () => {
    await using opened = await openTestDatabase(engine);
    const { driver } = opened;
    const { contract } = await plantedReleases(engine);
    await start(driver, '1.1.0');
    await start(driver, '1.2.0');
    await letPass(driver, DAY / 2);
    await beat(driver, 'seven', '1.1.0');

    await letPass(driver, DAY - seconds(60));
    assert.deepEqual(await start(driver, '1.2.0', 'service'), []);
    await letPass(driver, seconds(60));
    assert.deepEqual(await start(driver, '1.2.0', 'service'), [contract]);
    assert.deepEqual(await start(driver, '1.2.0', 'service'), []);
  });

  test('without any beat it makes itself a day after the first start of the new minor release', async () => {
    await using opened = await openTestDatabase(engine);
    const { driver } = opened;
    const { contract } = await plantedReleases(engine);
    await start(driver, '1.1.0');
    await start(driver, '1.2.0');
    await letPass(driver, DAY / 2);
    await start(driver, '1.2.1');

    assert.deepEqual(await start(driver, '1.2.1', 'service'), []);
    await letPass(driver, DAY / 2);
    assert.deepEqual(await start(driver, '1.2.1', 'service'), [contract]);
  });

  test('one minor release back works until it is made, and then the release to install is named', async () => {
    await using opened = await openTestDatabase(engine);
    const { driver } = opened;
    const { contract } = await plantedReleases(engine);
    await start(driver, '1.1.0');
    await start(driver, '1.2.0');

    assert.deepEqual(await start(driver, '1.1.0'), []);
    await start(driver, '1.2.1', 'operator');
    await assert.rejects(start(driver, '1.1.0'), {
      name: 'StorageError',
      message: `the database was migrated to version ${contract} by Tocsin 1.2.1, which this one (version ${contract - 1}) cannot work with: install Tocsin 1.2.1 or newer, or restore the copy from before the upgrade`,
    });
  });

  test('two minor releases back are refused, with the one to install', async () => {
    await using opened = await openTestDatabase(engine);
    const { driver } = opened;
    await start(driver, '1.0.0');
    await start(driver, '1.2.1');
    await start(driver, '1.1.0');

    await assert.rejects(start(driver, '1.0.0'), {
      name: 'StorageError',
      message:
        'the database was used by Tocsin 1.2.1, and this is Tocsin 1.0.0: install Tocsin 1.1 or newer, or restore the copy from before the upgrade',
    });
  });

  test('minor releases can be skipped: the contract steps of those between are made in order', async () => {
    await using opened = await openTestDatabase(engine);
    const { driver } = opened;
    const { contract } = await plantedReleases(engine);
    await start(driver, '1.0.0');
    await beat(driver, 'seven', '1.0.0');

    await assert.rejects(start(driver, '1.3.0'), /^StorageError: node seven of Tocsin 1\.0\.0 is running/);
    await letPass(driver, seconds(31));

    assert.deepEqual(await start(driver, '1.3.0'), [contract, contract + 1]);
    assert.equal(await isContracted(driver), true);
  });

  test('a new database has all of them made: no older program has used it', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);

    await start(driver, '1.2.0');

    assert.equal(await isContracted(driver), true);
  });

  test('each step is recorded with the release that has made it', async () => {
    await using place = await createEmptyPlace(engine);
    await using driver = await openTestDriver(place.database);
    const { '1.0.0': old } = await plantedReleases(engine);
    // Before steps were recorded so.
    await migrate(driver, new FakeClock(1), old);
    await driver.transaction((tx) => tx.script('alter table schema_migrations drop column release'));

    await start(driver, '1.1.0');

    const rows = await driver.all('select release from schema_migrations order by version desc limit 2');
    assert.deepEqual(rows, [{ release: '1.1.0' }, { release: null }]);
  });
});
