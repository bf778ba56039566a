import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { archiveDatabase } from '../../src/storage/archive/backup.ts';
import { LEFT_OUT, readCatalog } from '../../src/storage/archive/catalog.ts';
import { writeArchive } from '../../src/storage/archive/file.ts';
import { openSecret } from '../../src/storage/archive/passphrase.ts';
import { type RestoreOptions, restore } from '../../src/storage/archive/restore.ts';
import { readDatabase } from '../../src/storage/archive/snapshot.ts';
import { openSource } from '../../src/storage/archive/source.ts';
import type { Engine } from '../../src/storage/dialect.ts';
import { migrateWithin } from '../../src/storage/migrate.ts';
import { loadMigrations } from '../../src/storage/migration-files.ts';
import { type Database, openDriver } from '../../src/storage/open.ts';
import { backupSqlite } from '../../src/storage/sqlite/backup.ts';
import { TABLES } from '../../src/storage/sqlite/tables.ts';
import { verifyDatabase } from '../../src/storage/verify/database.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { createEmptyPlace, forEachEngine, forOneEngine, openTestDriver } from '../engines.ts';
import type { FakeClock } from '../fake-clock.ts';
import { live } from '../lived.ts';
import { TEST_SECRET } from '../node-parts.ts';
import { temporaryFolder } from '../process.ts';
import { contentOf } from './content.ts';

const SECRETS = { current: TEST_SECRET, fallbacks: ['a secret from before'] };
const PASSPHRASE = 'a passphrase for tests';

const worldOf = ({ clock }: Pick<TestApp, 'clock'>) => ({ clock, random: systemRandom, release: '1.2.3' });

async function restoreTo(
  database: Database,
  path: string,
  clock: FakeClock,
  overrides: Partial<RestoreOptions> = {},
) {
  const source = await openSource(path, { clock, release: '1.2.3' });
  const usual = { source, secrets: null, replaces: false, clock, random: systemRandom };
  return restore(database, { ...usual, ...overrides });
}

const other = (engine: Engine): Engine => (engine === 'sqlite' ? 'postgres' : 'sqlite');

/** All that a database has in a few tables, to see that it did not change. */
async function stateOf(database: Database): Promise<unknown> {
  await using driver = await openTestDriver(database);
  return await driver.all(`select (select count(*) from pings) as pings, (select count(*) from flips) as flips,
                            (select max(revision) from checks) as revision, (select count(*) from accounts) as accounts`);
}

forEachEngine((engine) => {
  test('an archive that was restored on the other engine and archived again there has the same content', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    await live(app);
    await using there = await createEmptyPlace(other(engine));
    const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];

    await archiveDatabase(app.database, first, worldOf(app), null);
    const { header } = await restoreTo(there.database, first, app.clock);
    await archiveDatabase(there.database, second, worldOf(app), null);

    const lines = await contentOf(first);
    assert.deepEqual(await contentOf(second), lines);
    assert.equal(header.release, '1.2.3');
    const verified = await verifyDatabase(there.database, SECRETS, {
      clock: app.clock,
      random: systemRandom,
    });
    assert.deepEqual(verified, { faults: [], hasSecret: true });
    const tables = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line).name);
    assert.deepEqual(
      [...tables, ...Object.keys(LEFT_OUT)].toSorted(),
      TABLES,
      'a table is archived, or has a reason',
    );
  });

  test('a restored database gives out no id again, and sends no old message', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    const { checks } = await live(app);
    const last = checks.at(-1)?.id ?? 0;
    await using driver = await openTestDriver(app.database);
    await driver.transaction((tx) => tx.run('delete from checks where id = $1', [last]));
    await driver.transaction((tx) => tx.run('update accounts set check_count = 4'));
    const path = join(folder.path, 'archive');
    await archiveDatabase(app.database, path, worldOf(app), null);
    const [open] = await driver.all<{ count: number }>(
      'select count(*) as count from deliveries where next_attempt_at is not null',
    );
    assert.ok((open?.count ?? 0) > 0);
    app.clock.advance({ days: 3 });
    await using place = await createEmptyPlace(engine);

    const { closed } = await restoreTo(place.database, path, app.clock);

    assert.equal(closed, open?.count);
    await using restored = await openTestDriver(place.database);
    const [left] = await restored.all<{ open: number; told: number; beat: number }>(
      `select (select count(*) from deliveries where next_attempt_at is not null) as "open",
              (select count(*) from deliveries where state = 'skipped' and error = 'restored') as told,
              (select max(beat_at) from watch) as beat`,
    );
    assert.deepEqual({ open: left?.open, told: left?.told }, { open: 0, told: open?.count });
    assert.ok(
      Number(left?.beat) <= app.clock.now() - seconds(3 * 86_400),
      'the last beat is the one of the backup',
    );
    const verified = await verifyDatabase(place.database, null, { clock: app.clock, random: systemRandom });
    assert.deepEqual(verified.faults, []);
    const sequence =
      engine === 'sqlite'
        ? `select seq as last from sqlite_sequence where name = 'checks'`
        : `select pg_sequence_last_value(pg_get_serial_sequence('checks', 'id')) as last`;
    assert.deepEqual({ ...(await restored.all<{ last: number }>(sequence))[0] }, { last });
  });
});

forEachEngine((engine) => {
  test('an archive of an older Tocsin is restored to the present schema', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    await live(app);
    const path = join(folder.path, 'archive');
    await writeOlderArchive(app, path);
    await using place = await createEmptyPlace(engine);

    const { header } = await restoreTo(place.database, path, app.clock);

    const [oldest] = await loadMigrations(engine);
    assert.equal(header.schema, oldest?.version);
    assert.deepEqual(await stateOf(place.database), await stateOf(app.database));
    const verified = await verifyDatabase(place.database, SECRETS, {
      clock: app.clock,
      random: systemRandom,
    });
    assert.deepEqual(verified, { faults: [], hasSecret: true });
  });
});

/** Writes what a program would have written of the database that knew the first schema alone. */
async function writeOlderArchive(app: TestApp, path: string): Promise<void> {
  const [oldest] = await loadMigrations(app.database.engine);
  assert.ok(oldest !== undefined);
  await using place = await createEmptyPlace(app.database.engine);
  await using driver = await openTestDriver(place.database);
  await driver.transaction((tx) => migrateWithin(tx, driver, app.clock, [oldest]));
  const catalog = await readCatalog(driver, app.database.engine);
  const shapes = new Map(catalog.map(({ name, columns }) => [name, columns.map((column) => column.name)]));
  await writeArchive(path, systemRandom, async (sink) => {
    let kept: number[] = [];
    await readDatabase(app.database, worldOf(app), null, async (part) => {
      if (part.kind === 'header') return sink({ ...part, schema: oldest.version });
      if (part.kind === 'rows')
        return kept.length === 0
          ? undefined
          : sink({ ...part, rows: part.rows.map((row) => kept.map((index) => row[index] ?? null)) });
      const known = shapes.get(part.name) ?? [];
      kept = part.columns.flatMap((column, index) => (known.includes(column) ? [index] : []));
      if (kept.length > 0)
        await sink({ ...part, columns: part.columns.filter((column) => known.includes(column)) });
    });
  });
}

forOneEngine((engine) => {
  test('no secret is in an archive without a passphrase, and with one it comes back', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    const { secrets } = await live(app);
    await app.deps.store.transaction((tx) => tx.instance.set('secret_key', TEST_SECRET));
    const [bare, locked] = [join(folder.path, 'bare'), join(folder.path, 'locked')];

    await archiveDatabase(app.database, bare, worldOf(app), null);
    await archiveDatabase(app.database, locked, worldOf(app), { secrets: SECRETS, passphrase: PASSPHRASE });

    for (const path of [bare, locked]) {
      const text = zstdDecompressSync(await readFile(path)).toString('utf8');
      for (const secret of [TEST_SECRET, PASSPHRASE, ...secrets]) assert.ok(!text.includes(secret), secret);
    }
    const { header } = await openSource(locked, worldOf(app));
    assert.ok(header.secret !== null);
    assert.deepEqual(await openSecret(header.secret, PASSPHRASE), SECRETS);
    await assert.rejects(
      openSecret(header.secret, 'another passphrase'),
      /^StorageError: the passphrase is not/,
    );
    assert.equal((await openSource(bare, worldOf(app))).header.secret, null);
  });

  test('an archive that is cut off, changed or newer is refused, and the database is as before', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    await live(app);
    await using target = await startTestApp(engine);
    await live(target);
    target.clock.advance({ minutes: 5 });
    const path = join(folder.path, 'archive');
    await archiveDatabase(app.database, path, worldOf(app), null);
    const [whole, before] = [await readFile(path), await stateOf(target.database)];
    const text = zstdDecompressSync(whole);
    const turned = (bytes: Buffer, at: number) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    };
    const digit = text.indexOf('"accounts"') + text.subarray(text.indexOf('"accounts"')).indexOf('\n[') + 20;
    const spoiled: [Buffer, RegExp][] = [
      [whole.subarray(0, whole.length - 1), /is (cut off|damaged)/],
      [whole.subarray(0, whole.length >> 1), /is (cut off|damaged)/],
      [zstdCompressSync(text.subarray(0, text.length >> 1)), /is (cut off|damaged)/],
      [zstdCompressSync(text.subarray(0, text.lastIndexOf('\n', text.length - 2) + 1)), /is cut off/],
      [turned(whole, whole.length >> 1), /is (cut off|damaged)/],
      [zstdCompressSync(turned(text, digit)), /is damaged/],
      [zstdCompressSync(Buffer.concat([text, Buffer.from('[1]\n')])), /is damaged/],
      [zstdCompressSync(Buffer.from(text.toString().replace('"format":1', '"format":2'))), /has format 2/],
      [zstdCompressSync(Buffer.from('{"kind":"header"}\n')), /is no archive of Tocsin/],
      [Buffer.from('nothing'), /is no backup of Tocsin/],
      [Buffer.alloc(0), /is no backup of Tocsin/],
    ];
    for (const [bytes, reason] of spoiled) {
      await writeFile(path, bytes);
      await assert.rejects(restoreTo(target.database, path, target.clock, { replaces: true }), {
        name: 'StorageError',
        message: reason,
      });
      assert.deepEqual(await stateOf(target.database), before);
    }
    await writeFile(path, whole);
    await assert.rejects(
      restoreTo(target.database, path, target.clock),
      /is not empty: restore to another one/,
    );
    assert.deepEqual(await stateOf(target.database), before);
  });

  test('pings that are written meanwhile are in the archive or not, and what is in it is sound', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    const { checks } = await live(app);
    const path = join(folder.path, 'archive');
    const state = { isDone: false };

    const pinging = (async () => {
      while (!state.isDone) await app.ping(`/${checks[0]?.uuid}`, { body: 'meanwhile' });
    })();
    await archiveDatabase(app.database, path, worldOf(app), null).finally(() => {
      state.isDone = true;
    });
    await pinging;

    await using place = await createEmptyPlace(other(engine));
    await restoreTo(place.database, path, app.clock);
    const verified = await verifyDatabase(place.database, SECRETS, {
      clock: app.clock,
      random: systemRandom,
    });
    assert.deepEqual(verified.faults, []);
  });
});

test('a copy is restored beside a stale log, which goes, and into the other engine', async () => {
  await using folder = await temporaryFolder();
  await using app = await startTestApp('sqlite');
  await live(app);
  const [copy, target] = [join(folder.path, 'copy.db'), join(folder.path, 'new.db')];
  assert.ok(app.database.engine === 'sqlite');
  await backupSqlite(app.database.path, copy, systemRandom);
  for (const ending of ['-wal', '-shm'])
    await writeFile(`${target}${ending}`, await readFile(`${app.database.path}${ending}`));
  await using postgres = await createEmptyPlace('postgres');

  await restoreTo({ engine: 'sqlite', path: target }, copy, app.clock);
  await restoreTo(postgres.database, copy, app.clock);

  assert.deepEqual((await readdir(folder.path)).toSorted(), ['copy.db', 'new.db', 'new.db.lock']);
  const expected = await stateOf(app.database);
  assert.deepEqual(await stateOf({ engine: 'sqlite', path: target }), expected);
  assert.deepEqual(await stateOf(postgres.database), expected);
});

test('a restore to SQLite brings the secret, and replaces a database with its log', async () => {
  await using folder = await temporaryFolder();
  await using app = await startTestApp('postgres');
  await live(app);
  await using target = await startTestApp('sqlite');
  await live(target);
  await target.givenProject();
  const path = join(folder.path, 'archive');
  await archiveDatabase(app.database, path, worldOf(app), null);
  await using sqlite = await createEmptyPlace('sqlite');
  assert.ok(sqlite.database.engine === 'sqlite');
  await restoreTo(sqlite.database, path, app.clock, { secrets: SECRETS });

  const file = sqlite.database.path;
  assert.equal(await readFile(`${file}.secret`, 'utf8'), `${SECRETS.current}\n`);
  assert.equal(await readFile(`${file}.secret.previous`, 'utf8'), `${SECRETS.fallbacks[0]}\n`);
  assert.ok(!existsSync(`${file}-wal`));
  assert.ok((await readdir(dirname(file))).every((name) => !name.includes('partial')));

  await restoreTo(target.database, path, app.clock, { replaces: true });
  await using reopened = await openDriver(target.database, {
    clock: app.clock,
    onLostConnection: () => undefined,
  });
  const [row] = await reopened.all<{ count: number }>('select count(*) as count from accounts');
  assert.equal(row?.count, 1);
});

test('a PostgreSQL that a node uses is not replaced, and one that is replaced keeps its secret', async () => {
  await using folder = await temporaryFolder();
  await using app = await startTestApp('postgres');
  await live(app);
  await app.deps.store.transaction((tx) => tx.instance.set('secret_key', TEST_SECRET));
  const path = join(folder.path, 'archive');
  await archiveDatabase(app.database, path, worldOf(app), null);
  const replaces = { replaces: true };

  await assert.rejects(restoreTo(app.database, path, app.clock, replaces), /a node is running, or was/);
  app.clock.advance({ minutes: 1 });
  await restoreTo(app.database, path, app.clock, replaces);

  assert.equal(await app.deps.store.instance.get('secret_key'), TEST_SECRET);
});

test('a copy is of the time of its last beat, and not of the moment at which it is read', async () => {
  await using app = await startTestApp('sqlite');
  await using folder = await temporaryFolder();
  const { database, clock, deps } = app;
  assert.ok(database.engine === 'sqlite');
  const beatAt = clock.now();
  await deps.store.transaction((tx) => tx.liveness.beat('a node', beatAt, 0));
  const copy = join(folder.path, 'copy.db');
  await backupSqlite(database.path, copy, systemRandom);
  clock.advance({ hours: 5 });

  const { header } = await openSource(copy, worldOf(app));

  assert.equal(header.at, beatAt);
});
