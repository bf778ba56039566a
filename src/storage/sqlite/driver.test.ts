import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createMigratedPlace, openTestDatabase, type TestPlace } from '../../../test/engines.ts';
import { accountRecord, addCheck, givenCheck, givenProject } from '../../../test/records.ts';
import { countCommits } from '../../../test/wal-commits.ts';
import { systemRandom } from '../../lib/random.ts';
import { StorageError, type Writer } from '../driver.ts';
import { createSqlStore } from '../sql/store.ts';
import { backupSqlite } from './backup.ts';
import { MAX_TRANSACTIONS_PER_COMMIT, SqliteDriver } from './driver.ts';

function pathOf({ database }: TestPlace): string {
  assert.equal(database.engine, 'sqlite');
  return database.engine === 'sqlite' ? database.path : '';
}

/** A connection such as another process has. */
function openOther(place: TestPlace): DatabaseSync & Disposable {
  const database = new DatabaseSync(pathOf(place));
  return Object.assign(database, { [Symbol.dispose]: () => database.close() });
}

describe('the connection that writes', () => {
  const expected = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1, busy_timeout: 5000 };
  for (const [name, value] of Object.entries(expected)) {
    test(`has ${name} ${value}`, async () => {
      await using opened = await openTestDatabase('sqlite');

      const [row] = await opened.driver.transaction((tx) => tx.all<object>(`pragma ${name}`));

      assert.deepEqual(Object.values(row ?? {}), [value]);
    });
  }
});

describe('reads that share a state', () => {
  const names = (driver: SqliteDriver) =>
    driver.all<{ key: string }>('select key from instance order by key');
  const insert = (key: string) => `insert into instance (key, value) values ('${key}', '')`;

  test('see no later commit until the callback and its promises are done', async () => {
    await using place = await createMigratedPlace('sqlite');
    await using driver = new SqliteDriver(pathOf(place));
    using other = openOther(place);

    driver.shareState();
    driver.shareState();
    const before = await names(driver);
    other.exec(insert('one'));
    assert.deepEqual(await names(driver), before);

    await setImmediate();
    assert.deepEqual(await names(driver), [{ key: 'one' }]);
  });

  test('share none where the database cannot be read, and tell the reason themselves', async () => {
    await using place = await createMigratedPlace('sqlite');
    const driver = new SqliteDriver(pathOf(place));
    await driver[Symbol.asyncDispose]();

    driver.shareState();
    await assert.rejects(names(driver), StorageError);
  });

  test('see what the same connections commit', async () => {
    await using place = await createMigratedPlace('sqlite');
    await using driver = new SqliteDriver(pathOf(place));

    driver.shareState();
    assert.deepEqual(await names(driver), []);
    await driver.transaction((tx) => tx.run(insert('one')));

    assert.deepEqual(await names(driver), [{ key: 'one' }]);
  });
});

describe('another connection', () => {
  test('that reads for long never holds up a write, and keeps its own view', async () => {
    await using opened = await openTestDatabase('sqlite');
    const check = await givenCheck(opened.store);
    using other = openOther(opened);
    other.exec('begin');
    assert.deepEqual(countChecks(other), 1);

    const { project } = await givenProject(opened.store);
    for (let n = 0; n < 20; n++) await addCheck(opened.store, project);
    await opened.store.transaction((tx) => tx.checks.saveConfig({ ...check, name: 'changed' }));

    assert.equal(countChecks(other), 1);
    other.exec('commit');
    assert.equal(countChecks(other), 21);
  });

  test('that holds the write lock too long makes a write unavailable, not a crash', async () => {
    await using place = await createMigratedPlace('sqlite');
    await using driver = new SqliteDriver(pathOf(place), { busyTimeoutMs: 50 });
    const store = createSqlStore(driver);
    using other = openOther(place);
    other.exec('begin immediate');

    await assert.rejects(givenCheck(store), { name: 'AppError', code: 'storage_unavailable' });

    other.exec('commit');
    const { uuid } = await givenCheck(store);
    assert.equal((await store.checks.byUuid(uuid))?.uuid, uuid);
  });

  test('that holds the write lock does not hold up reads', async () => {
    await using opened = await openTestDatabase('sqlite');
    const { uuid } = await givenCheck(opened.store);
    using other = openOther(opened);
    other.exec('begin immediate');

    assert.equal((await opened.store.checks.byUuid(uuid))?.uuid, uuid);
    other.exec('rollback');
  });

  test('that locks the whole file makes opening it unavailable, which passes', async () => {
    await using place = await createMigratedPlace('sqlite');
    using other = openOther(place);
    other.exec('pragma locking_mode = exclusive; begin exclusive; delete from instance; commit');

    assert.throws(() => new SqliteDriver(pathOf(place), { busyTimeoutMs: 50 }), {
      name: 'AppError',
      code: 'storage_unavailable',
    });
  });
});

describe('a disk', () => {
  test('that is full makes writes unavailable; reads go on, and writes too once there is room', async () => {
    await using opened = await openTestDatabase('sqlite');
    const check = await givenCheck(opened.store);
    const limitPages = (text: string) => opened.driver.transaction((tx) => tx.script(text));
    const describeAtLength = (length: number) =>
      opened.store.transaction((tx) => tx.checks.saveConfig({ ...check, description: 'x'.repeat(length) }));
    // Less than there is means: not one more.
    await limitPages('pragma max_page_count = 1');

    await assert.rejects(describeAtLength(100_000), { name: 'AppError', code: 'storage_unavailable' });
    assert.deepEqual(await opened.store.checks.byUuid(check.uuid), check);

    await limitPages('pragma max_page_count = 100000');
    await describeAtLength(100_000);
    assert.equal((await opened.store.checks.byUuid(check.uuid))?.description.length, 100_000);
  });

  test('that lets nothing be written makes writes unavailable', async () => {
    await using opened = await openTestDatabase('sqlite');
    const check = await givenCheck(opened.store);
    await opened.driver.transaction((tx) => tx.script('pragma query_only = on'));

    await assert.rejects(
      opened.store.transaction((tx) => tx.checks.saveConfig(check)),
      { name: 'AppError', code: 'storage_unavailable' },
    );
  });
});

describe('a database', () => {
  test('gets its folder made', async () => {
    await using place = await createMigratedPlace('sqlite');

    await using driver = new SqliteDriver(join(dirname(pathOf(place)), 'a/b/c.db'));

    assert.deepEqual((await driver.all<{ one: number }>('select 1 as one'))[0]?.one, 1);
  });

  test('in a folder that cannot be made is a fault that names its path', async () => {
    await using place = await createMigratedPlace('sqlite');
    const path = join(pathOf(place), 'folder/tocsin.db');

    assert.throws(() => new SqliteDriver(path), {
      name: 'StorageError',
      kind: 'fault',
      message: `cannot open the database ${path}: ENOTDIR: not a directory, realpath '${path}'`,
    });
  });

  test('that is something else is a fault that names its path', async () => {
    await using place = await createMigratedPlace('sqlite');
    const path = join(dirname(pathOf(place)), 'notes.txt');
    await writeFile(path, 'This is not a database, and it is long enough to see that.\n'.repeat(100));

    assert.throws(() => new SqliteDriver(path), {
      name: 'StorageError',
      message: `cannot open the database ${path}: file is not a database`,
    });
  });

  test('keeps what was committed when it is closed and opened again', async () => {
    await using place = await createMigratedPlace('sqlite');
    const first = createSqlStore(new SqliteDriver(pathOf(place)));
    const check = await givenCheck(first);
    await first[Symbol.asyncDispose]();

    await using second = createSqlStore(new SqliteDriver(pathOf(place)));

    assert.deepEqual(await second.checks.byUuid(check.uuid), check);
  });

  test('finishes the transactions it has accepted before it closes', async () => {
    await using place = await createMigratedPlace('sqlite');
    const first = createSqlStore(new SqliteDriver(pathOf(place)));
    const { project } = await givenProject(first);

    const accepted = Array.from({ length: 20 }, () => addCheck(first, project));
    await first[Symbol.asyncDispose]();
    await Promise.all(accepted);

    await using second = createSqlStore(new SqliteDriver(pathOf(place)));
    assert.equal(await second.checks.count(1_000), 20);
  });
});

describe('transactions that wait at the same time', () => {
  const INSERT = 'insert into instance (key, value) values ($1, $2)';
  const insert = (key: string) => (tx: Writer) => tx.run(INSERT, [key, '']);
  const keysIn = async (driver: SqliteDriver) =>
    (await driver.all<{ key: string }>('select key from instance order by key')).map(({ key }) => key);

  async function openDriver() {
    const place = await createMigratedPlace('sqlite');
    const driver = new SqliteDriver(pathOf(place));
    return {
      driver,
      commits: () => countCommits(pathOf(place)),
      async [Symbol.asyncDispose]() {
        await driver[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  }

  test('share a commit, so many of them', async () => {
    await using opened = await openDriver();
    await opened.driver.transaction(insert('first'));
    const before = await opened.commits();

    await Promise.all(
      Array.from({ length: MAX_TRANSACTIONS_PER_COMMIT + 1 }, (_, index) =>
        opened.driver.transaction(insert(`key ${index}`)),
      ),
    );

    assert.equal((await opened.commits()) - before, 2);
  });

  test('do not wait for one that asks to be alone, nor does it wait for them', async () => {
    await using opened = await openDriver();
    await opened.driver.transaction(insert('0'));
    const before = await opened.commits();
    const alone = Promise.withResolvers<void>();

    const first = [opened.driver.transaction(insert('1')), opened.driver.transaction(insert('2'))];
    const waiting = opened.driver.transaction(
      async (tx) => {
        // Earlier transactions are committed by now.
        await Promise.all(first);
        assert.deepEqual(await keysIn(opened.driver), ['0', '1', '2']);
        await insert('3')(tx);
        alone.resolve();
      },
      { sharesCommit: false },
    );
    const last = [opened.driver.transaction(insert('4')), opened.driver.transaction(insert('5'))];
    await Promise.all([alone.promise, waiting, ...last]);

    assert.equal((await opened.commits()) - before, 3);
    assert.deepEqual(await keysIn(opened.driver), ['0', '1', '2', '3', '4', '5']);
  });

  test('all fail when the commit does, and leave nothing', async () => {
    await using opened = await openDriver();
    const { driver } = opened;
    const orphan = async (tx: Writer) => {
      await tx.script('pragma defer_foreign_keys = on');
      await tx.run('insert into check_tags (check_id, project_id, tag) values (0, 0, $1)', ['no such check']);
    };
    const refused = async () => {
      throw new Error('refused');
    };

    const settled = await Promise.allSettled(
      [insert('one'), orphan, refused, insert('two')].map((work) => driver.transaction<unknown>(work)),
    );

    for (const one of settled) {
      assert.ok(one.status === 'rejected' && one.reason instanceof StorageError, 'not told of the commit');
      assert.match(one.reason.message, /FOREIGN KEY/);
    }
    assert.deepEqual(await keysIn(driver), []);
    await driver.transaction(insert('three'));
    assert.deepEqual(await keysIn(driver), ['three']);
  });

  test('all fail when the disk is full, and leave nothing', async () => {
    await using opened = await openDriver();
    const { driver } = opened;
    await driver.transaction((tx) => tx.script('pragma max_page_count = 1'));
    const long = (tx: Writer) => tx.run(INSERT, ['long', 'x'.repeat(100_000)]);

    const settled = await Promise.allSettled(
      [insert('one'), long, insert('two')].map((work) => driver.transaction<unknown>(work)),
    );

    const codes = settled.map((one) => (one.status === 'rejected' ? one.reason.code : 'fulfilled'));
    assert.deepEqual(codes, Array(3).fill('storage_unavailable'));
    assert.deepEqual(await keysIn(driver), []);
    await driver.transaction((tx) => tx.script('pragma max_page_count = 100000'));
    await driver.transaction(insert('three'));
    assert.deepEqual(await keysIn(driver), ['three']);
  });
});

describe('a commit of somebody else', () => {
  test('is told of by the next transaction, once', async () => {
    await using place = await createMigratedPlace('sqlite');
    let told = 0;
    await using driver = new SqliteDriver(pathOf(place), { onForeignCommit: () => told++ });
    const own = createSqlStore(driver);
    await using other = createSqlStore(new SqliteDriver(pathOf(place)));

    await givenCheck(own);
    await givenCheck(own);
    assert.equal(told, 0);
    await givenCheck(other);
    await givenCheck(other);
    assert.equal(told, 0);
    await own.transaction(async () => undefined);
    await givenCheck(own);

    assert.equal(told, 1);
  });

  test('is neither a checkpoint nor a backup nor a transaction that is rolled back', async () => {
    await using place = await createMigratedPlace('sqlite');
    let told = 0;
    await using driver = new SqliteDriver(pathOf(place), { onForeignCommit: () => told++ });
    const own = createSqlStore(driver);
    await using other = new SqliteDriver(pathOf(place));

    await givenCheck(own);
    await other.finishCheckpoint();
    await backupSqlite(pathOf(place), join(dirname(pathOf(place)), 'copy.db'), systemRandom);
    const undone = new Error('undone');
    const work = createSqlStore(other).transaction(async (tx) => {
      await tx.accounts.insert(accountRecord());
      throw undone;
    });
    await assert.rejects(work, undone);
    await givenCheck(own);

    assert.equal(told, 0);
  });
});

function countChecks(database: DatabaseSync): unknown {
  return database.prepare('select count(*) as count from checks').get()?.count;
}
