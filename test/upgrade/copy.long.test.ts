import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../../src/config/read-config.ts';
import { type CoreWorld, openCore } from '../../src/core.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { fileNameOf, loadMigrations, type Migration } from '../../src/storage/migration-files.ts';
import { describeProgress, publicProgress, type StorageProgress } from '../../src/storage/progress.ts';
import { copyBefore } from '../../src/storage/sqlite/copy-before.ts';
import { announcingStore } from '../announcing-store.ts';
import { createMigratedPlace, openTestDriver } from '../engines.ts';
import { runCli } from '../process.ts';
import { addCheck, givenProject } from '../records.ts';
import { type PlantedRelease, plantedReleases } from './planted.ts';

const WORLD: CoreWorld = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };

/** A database with a check, that nobody uses. */
async function givenDatabase({ hasCheck = true } = {}) {
  const place = await createMigratedPlace('sqlite');
  const { database } = place;
  assert.ok(database.engine === 'sqlite');
  await using driver = await openTestDriver(database);
  const store = announcingStore(driver);
  const { project } = await givenProject(store);
  if (hasCheck) {
    await addCheck(store, project);
    await driver.transaction((tx) => tx.run('update accounts set check_count = 1'));
  }
  const { path } = database;
  const folder = join(dirname(path), 'backups');
  return {
    path,
    folder,
    names: async () => (await readdir(folder).catch(() => [])).toSorted(),
    /** Starts a release that does not exist. */
    async start(release: PlantedRelease, overrides: Partial<CoreWorld> = {}) {
      const migrations = (await plantedReleases('sqlite'))[release];
      const config = { ...readConfig({}), database };
      await using core = await openCore(config, { ...WORLD, version: release, migrations, ...overrides });
      return core.upgrade;
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** How many steps a copy has. */
async function stepsIn(path: string): Promise<number> {
  await using driver = await openTestDriver({ engine: 'sqlite', path });
  const [row] = await driver.all<{ count: number }>('select count(*) as count from schema_migrations');
  return row?.count ?? 0;
}

test('a database that has checks is copied before it is migrated, and verify finds no fault in the copy', async () => {
  await using given = await givenDatabase();
  const told: StorageProgress[] = [];

  const { copy, migrated } = await given.start('1.1.0', { tell: (progress) => void told.push(progress) });

  assert.equal(copy, join(given.folder, 'before-1.1.0.db'));
  assert.equal(migrated.length, 1);
  const known = (await plantedReleases('sqlite'))['1.0.0'].length;
  assert.equal(await stepsIn(copy), known);
  const [first] = told;
  assert.ok(first);
  const line = `migration ${known + 1} of ${known + 1}, copying, 0 %`;
  assert.deepEqual([describeProgress(first), publicProgress(first)], [line, line]);
  const { code, stdout } = await runCli(['verify', copy], {
    cwd: given.folder,
    env: { DATABASE_URL: `sqlite:${given.path}` },
  });
  assert.equal(code, 0, stdout);
});

test('nothing is copied without checks, or without a step to make', async () => {
  await using empty = await givenDatabase({ hasCheck: false });
  await using current = await givenDatabase();

  assert.equal((await empty.start('1.1.0')).copy, null);
  assert.equal((await current.start('1.0.0')).copy, null);
  assert.deepEqual([await empty.names(), await current.names()], [[], []]);
});

test('three copies are kept, and nothing else in the folder is touched', async () => {
  await using given = await givenDatabase();
  await given.start('1.1.0');
  await writeFile(join(given.folder, 'tocsin-20260101T000000Z.db'), '');
  for (const [index, name] of ['before-0.7.0.db', 'before-0.10.0.db', 'before-0.8.0.db'].entries()) {
    await copyFile(join(given.folder, 'before-1.1.0.db'), join(given.folder, name));
    await utimes(join(given.folder, name), index + 1, index + 1);
  }
  await utimes(join(given.folder, 'before-1.1.0.db'), 9, 9);

  await given.start('1.2.0');

  assert.deepEqual(await given.names(), [
    'before-0.8.0.db',
    'before-1.1.0.db',
    'before-1.2.0.db',
    'tocsin-20260101T000000Z.db',
  ]);
});

test('without room for the copy the upgrade is refused with both numbers, and the database is as before', async () => {
  await using given = await givenDatabase();
  const before = await readFile(given.path);
  const upgrade = { path: given.path, release: '1.1.0', isContract: false, freeBytes: 100_000 };

  await assert.rejects(
    copyBefore(upgrade, systemRandom, () => undefined),
    {
      name: 'StorageError',
      message: `there is no room for a copy of the database before its upgrade: it takes ${(before.length / 1_000_000).toFixed(1)} MB, and 0.1 MB are free in ${given.folder}`,
    },
  );
  assert.deepEqual(await readFile(given.path), before);
  assert.deepEqual(await given.names(), []);
});

test('a copy that cannot be made refuses the start, and no step is made', async () => {
  await using given = await givenDatabase();
  await writeFile(given.folder, 'a file in its place');

  await assert.rejects(given.start('1.1.0'), { name: 'StorageError' });

  assert.equal(await stepsIn(given.path), (await plantedReleases('sqlite'))['1.0.0'].length);
});

test('an upgrade that was killed during the copy is copied by the next start, and the leftover goes', async () => {
  await using given = await givenDatabase();
  await given.start('1.1.0');
  await writeFile(join(given.folder, `before-1.2.0.db.${'0'.repeat(16)}.partial`), 'half');

  await given.start('1.2.0');

  assert.deepEqual(await given.names(), ['before-1.1.0.db', 'before-1.2.0.db']);
});

test('an upgrade that was killed after a step keeps its copy, and one that was killed before it makes it anew', async () => {
  await using given = await givenDatabase();
  const target = join(given.folder, 'before-1.2.0.db');
  const { '1.0.0': old } = await plantedReleases('sqlite');
  const upgrade = { path: given.path, release: '1.2.0', isContract: false };
  await copyBefore(upgrade, systemRandom, () => undefined);
  const first = (await stat(target)).ino;

  await copyBefore(upgrade, systemRandom, () => undefined);
  const second = (await stat(target)).ino;
  await given.start('1.1.0');
  const kept = await copyBefore(upgrade, systemRandom, () => undefined);

  assert.notEqual(second, first);
  assert.equal(kept, null);
  assert.deepEqual([(await stat(target)).ino, await stepsIn(target)], [second, old.length]);
});

test('a contract step is made after a copy of its own', async () => {
  await using given = await givenDatabase();
  await given.start('1.1.0');
  await given.start('1.2.0');

  const { copy } = await given.start('1.2.0', { contractBy: 'operator' });

  assert.equal(copy, join(given.folder, 'before-1.2.0-contract.db'));
  assert.deepEqual(await given.names(), ['before-1.1.0.db', 'before-1.2.0-contract.db', 'before-1.2.0.db']);
});

/** Statements that take back what a migration has added. */
function undoing({ sql }: Pick<Migration, 'sql'>): string {
  const columns = [...sql.matchAll(/alter table (\w+) add column (\w+)/g)].map(
    ([, table, column]) => `alter table ${table} drop column ${column}`,
  );
  const others = [...sql.matchAll(/create (?:unique )?(table|index)\s+(\w+)/g)].map(
    ([, what, name]) => `drop ${what} ${name}`,
  );
  return [...others.toReversed(), ...columns].join('; ');
}

test('a plan says what migrate then does, what is copied and how much room it needs, and does nothing', async () => {
  await using given = await givenDatabase();
  await using driver = await openTestDriver({ engine: 'sqlite', path: given.path });
  const options = { cwd: dirname(given.path), env: { DATABASE_URL: `sqlite:${given.path}` } };
  const current = await runCli(['migrate', '--plan'], options);
  const last = (await loadMigrations('sqlite')).at(-1) ?? assert.fail();
  await driver.transaction((tx) =>
    tx.script(`${undoing(last)}; delete from schema_migrations where version = ${last.version}`),
  );
  const name = fileNameOf(last);

  const { code, stdout } = await runCli(['migrate', '--plan'], options);

  assert.equal(current.stdout, 'The database is up to date.\n');
  assert.equal(code, 0);
  const [, path, bytes] =
    /^Would copy it to (\S+) before: (\S+) MB, and \S+ MB are free\.\n$/m.exec(stdout) ?? assert.fail(stdout);
  assert.match(stdout, new RegExp(`^SQLite, \\S+: would apply ${name}\\.\\nWould copy`));
  assert.match(path ?? '', /\/backups\/before-\d+\.\d+\.\d+\.db$/);
  assert.ok(Number(bytes) > 0.1);
  assert.deepEqual(await given.names(), []);
  assert.equal(await stepsIn(given.path), (await plantedReleases('sqlite'))['1.0.0'].length - 1);

  const migrated = await runCli(['migrate'], options);
  const verified = await runCli(['verify', path ?? ''], options);
  assert.equal(migrated.stdout, `Copied the database to ${path}.\nApplied ${name}.\n`);
  assert.match(verified.stdout, /: no fault found\.\n$/);
});
