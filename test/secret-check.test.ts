import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { suite, test } from 'node:test';
import pino from 'pino';
import type { Command } from '../src/cli/command.ts';
import { rotateSecret } from '../src/cli/rotate-secret.ts';
import { serve } from '../src/cli/serve.ts';
import { type Config, readConfig } from '../src/config/read-config.ts';
import { type CoreWorld, openCore } from '../src/core.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { archiveDatabase } from '../src/storage/archive/backup.ts';
import { readCatalog } from '../src/storage/archive/catalog.ts';
import { restore } from '../src/storage/archive/restore.ts';
import { openSource } from '../src/storage/archive/source.ts';
import { loadMigrations } from '../src/storage/migration-files.ts';
import type { Database } from '../src/storage/open.ts';
import { createEmptyPlace, createMigratedPlace, ENGINES, forEachEngine, openTestDriver } from './engines.ts';
import { temporaryFolder } from './process.ts';

const RIGHT = 'the secret key of this database';
/** By one letter. */
const WRONG = 'the secret key of this databasE';
const NEW = 'the next secret key of this database';

const WORLD: CoreWorld = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };

function configOf(database: Database, environment: Record<string, string> = {}): Config {
  return { ...readConfig(environment), database };
}

/** Opens the database as the service and every command do. */
async function open(database: Database, environment: Record<string, string> = {}): Promise<void> {
  await using _core = await openCore(configOf(database, environment), WORLD);
}

function urlOf(database: Database): string {
  return database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url;
}

/** Runs a command in this process, and returns what it prints. */
async function run(
  command: Command,
  database: Database,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const printed = new PassThrough({ encoding: 'utf8' });
  const code = await command.run(args, {
    stdin: process.stdin,
    stdout: printed,
    stderr: printed,
    environment: () => ({ DATABASE_URL: urlOf(database), PORT: '0', ...environment }),
    stopSignal: () => new Promise(() => undefined),
    exit: (ended) => assert.fail(`it ends with ${ended}`),
  });
  assert.equal(code, 0);
  return String(printed.read());
}

/** All rows of all tables. */
async function contentOf(database: Database): Promise<unknown> {
  await using driver = await openTestDriver(database);
  const tables = await readCatalog(driver, database.engine);
  return await Promise.all(
    tables.map(async ({ name, key }) => [name, await driver.all(`select * from ${name} order by ${key}`)]),
  );
}

async function checkOf(database: Database): Promise<string | undefined> {
  await using driver = await openTestDriver(database);
  const rows = await driver.all<{ value: string }>(`select value from instance where key = 'secret_check'`);
  return rows[0]?.value;
}

const OTHER_KEY = {
  name: 'StorageError',
  message:
    'SECRET_KEY is not the secret key of this database: set it to the one from before. If you want to change it, put the one ' +
    'from before into SECRET_KEY_FALLBACKS. If it is lost for good: tocsin rotate-secret --lost. Nothing was changed.',
};

forEachEngine((engine) => {
  suite('a database that belongs to a secret key', () => {
    test('is refused under another one before anything is written, and opened under the right one', async () => {
      await using place = await createMigratedPlace(engine);
      const { database } = place;
      await open(database, { SECRET_KEY: RIGHT });
      const before = await contentOf(database);
      const last = (await loadMigrations(engine)).at(-1)?.version ?? 0;
      const sql = 'create table next (a bigint)';
      const step = { version: last + 1, name: 'next', breaking: true, needs: null, isAtomic: true, sql };
      const migrations = [...(await loadMigrations(engine)), step];

      await assert.rejects(
        openCore(configOf(database, { SECRET_KEY: WRONG }), { ...WORLD, migrations }),
        OTHER_KEY,
      );
      await assert.rejects(
        open(database, { SECRET_KEY: WRONG, SECRET_KEY_FALLBACKS: 'a key that is wrong as well' }),
        OTHER_KEY,
      );

      assert.deepEqual(await contentOf(database), before);
      await open(database, { SECRET_KEY: RIGHT });
      assert.deepEqual(await contentOf(database), before);
    });

    test('is opened with the right one among the fallbacks, to which it belongs until the key is changed', async () => {
      await using place = await createMigratedPlace(engine);
      const { database } = place;
      await open(database, { SECRET_KEY: RIGHT });
      const first = await checkOf(database);
      const both = { SECRET_KEY: NEW, SECRET_KEY_FALLBACKS: RIGHT };

      await open(database, both);
      assert.equal(await checkOf(database), first);
      await assert.rejects(open(database, { SECRET_KEY: NEW }), OTHER_KEY);

      await run(rotateSecret, database, [], both);
      assert.notEqual(await checkOf(database), first);
      await open(database, { SECRET_KEY: NEW });
      await assert.rejects(open(database, { SECRET_KEY: RIGHT }), OTHER_KEY);
    });

    test('of which two nodes open it first with different ones belongs to one of them', async () => {
      await using place = await createMigratedPlace(engine);

      const opened = await Promise.allSettled([
        open(place.database, { SECRET_KEY: RIGHT }),
        open(place.database, { SECRET_KEY: NEW }),
      ]);

      assert.deepEqual(opened.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    });

    test('restored from an archive belongs to the key of then', async () => {
      await using place = await createMigratedPlace(engine);
      await using folder = await temporaryFolder();
      await open(place.database, { SECRET_KEY: RIGHT });
      const path = join(folder.path, 'archive');
      const world = { clock: systemClock, random: systemRandom, release: '' };
      await archiveDatabase(place.database, path, world, null);

      for (const other of ENGINES) {
        await using target = await createEmptyPlace(other);
        const source = await openSource(path, world);
        await restore(target.database, { ...world, source, secrets: null, replaces: false });

        await assert.rejects(open(target.database, { SECRET_KEY: WRONG }), OTHER_KEY);
        await assert.rejects(open(target.database), /the secret key of this database is missing/);
        await open(target.database, { SECRET_KEY: RIGHT });
      }
    });

    test('that the service keeps is told from one that is configured', async () => {
      await using place = await createMigratedPlace(engine);
      const { database } = place;
      await open(database);

      await assert.rejects(
        open(database, { SECRET_KEY: RIGHT }),
        /^StorageError: SECRET_KEY is not the secret key of this database, which is in the (file|row) .*: remove SECRET_KEY, or set it to that one\./,
      );
      await open(database);
    });

    test('that was kept and changed is known by the new key alone once the old one is forgotten', async () => {
      await using place = await createMigratedPlace(engine);
      const { database } = place;
      await open(database);
      const first = await checkOf(database);

      await run(rotateSecret, database, []);
      const second = await checkOf(database);
      assert.notEqual(second, first);
      await open(database);
      await run(rotateSecret, database, ['--forget']);

      await open(database);
      assert.equal(await checkOf(database), second);
    });

    test('that is lost is given up by a command of its own', async () => {
      await using place = await createMigratedPlace(engine);
      const { database } = place;
      await open(database, { SECRET_KEY: RIGHT });

      const wrong = { SECRET_KEY: WRONG };

      await assert.rejects(run(serve, database, [], wrong), OTHER_KEY);
      const lost = await run(rotateSecret, database, ['--lost'], wrong);

      assert.match(lost, /^The database belongs to the present secret key from now on/);
      await assert.rejects(run(rotateSecret, database, ['--lost'], wrong), {
        message: 'the secret key of this database is not lost: it is among the present ones',
      });
      await open(database, { SECRET_KEY: WRONG });
    });
  });
});

suite('the file of a secret key', () => {
  test('that is gone is not made anew, and one of another database is refused', async () => {
    await using place = await createMigratedPlace('sqlite');
    const { database } = place;
    assert.ok(database.engine === 'sqlite');
    await open(database);
    const file = `${database.path}.secret`;
    await rm(file);
    const files = await readdir(dirname(file));

    await assert.rejects(open(database), {
      message: `the secret key of this database is missing: SECRET_KEY is not set, and there is none in the file ${file}. Put it back there, or set it as SECRET_KEY. If it is lost for good: tocsin rotate-secret --lost. Nothing was changed.`,
    });
    assert.deepEqual(await readdir(dirname(file)), files);

    await writeFile(file, `${WRONG}\n`);
    await assert.rejects(open(database), /the secret key in the file .* is not the one of this database/);
  });
});
