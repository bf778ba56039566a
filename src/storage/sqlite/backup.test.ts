import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openTestDatabase, type TestStore } from '../../../test/engines.ts';
import { addCheck, checkRecord, givenCheck, givenProject } from '../../../test/records.ts';
import { systemRandom } from '../../lib/random.ts';
import { createSqlStore } from '../sql/store.ts';
import { backupSqlite } from './backup.ts';
import { SqliteDriver } from './driver.ts';

/** An open database and a folder, so far without anything in it, for copies of it. */
async function openWithFolder(): Promise<TestStore & { path: string; folder: string; target: string }> {
  const opened = await openTestDatabase('sqlite');
  assert.ok(opened.database.engine === 'sqlite');
  const { path } = opened.database;
  const folder = join(dirname(path), 'copies');
  await mkdir(folder);
  return { ...opened, path, folder, target: join(folder, 'copy.db') };
}

test('a copy made while checks are created is sound and has all that was committed before it began', async () => {
  await using opened = await openWithFolder();
  const { store } = opened;
  const { project } = await givenProject(store);
  // Enough pages for more than one step of the copy.
  await store.transaction(async (tx) => {
    for (let n = 0; n < 300; n++)
      await tx.checks.insert(checkRecord(project.id, { description: 'x'.repeat(20_000) }));
  });
  const before = await store.checks.ofProject(project.id);

  const copy = { done: false, written: 0 };
  const writing = (async () => {
    for (; !copy.done; copy.written++) {
      await addCheck(store, project, { description: 'later' });
      await nextTurn();
    }
  })();
  const size = await backupSqlite(opened.path, opened.target, systemRandom).finally(() => {
    copy.done = true;
  });
  await writing;

  assert.ok(copy.written > 0, 'there were writes meanwhile');
  assert.equal((await readFile(opened.target)).length, size);
  assert.deepEqual(await readdir(opened.folder), ['copy.db']);
  const database = new DatabaseSync(opened.target);
  assert.equal(database.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
  database.close();
  await using copied = createSqlStore(new SqliteDriver(opened.target));
  const found = await copied.checks.ofProject(project.id);
  assert.deepEqual(found.slice(0, before.length), before);
  assert.ok(found.length <= before.length + copy.written);
});

test('a copy replaces the remains of one that was interrupted', async () => {
  await using opened = await openWithFolder();
  await writeFile(`${opened.target}.0123456789abcdef.partial`, 'half of a database');

  await backupSqlite(opened.path, opened.target, systemRandom);

  assert.deepEqual(await readdir(opened.folder), ['copy.db']);
});

test('a copy does not replace a file that exists', async () => {
  await using opened = await openWithFolder();
  await writeFile(opened.target, 'precious');

  await assert.rejects(backupSqlite(opened.path, opened.target, systemRandom), {
    name: 'StorageError',
    message: `${opened.target} exists already`,
  });

  assert.equal(await readFile(opened.target, 'utf8'), 'precious');
  assert.deepEqual(await readdir(opened.folder), ['copy.db']);
});

test('a database that does not exist cannot be copied, and does not come into being', async () => {
  await using opened = await openWithFolder();
  const missing = join(opened.folder, 'missing.db');

  await assert.rejects(backupSqlite(missing, opened.target, systemRandom), {
    name: 'StorageError',
    message: `there is no database at ${missing}`,
  });

  assert.deepEqual(await readdir(opened.folder), []);
});

test('something that is no database leaves no partial copy', async () => {
  await using opened = await openWithFolder();
  const notes = join(dirname(opened.path), 'notes.txt');
  await writeFile(notes, 'This is not a database, and it is long enough to see that.\n'.repeat(100));

  await assert.rejects(backupSqlite(notes, opened.target, systemRandom), {
    name: 'StorageError',
    message: `cannot copy ${notes}: file is not a database`,
  });

  assert.deepEqual(await readdir(opened.folder), []);
});

test('a damaged database leaves no copy', async () => {
  await using opened = await openWithFolder();
  await givenCheck(opened.store);
  const source = join(dirname(opened.path), 'damaged.db');
  await backupSqlite(opened.path, source, systemRandom);
  const pages = await readFile(source);
  await writeFile(source, pages.fill(0xff, 4096 * 3, 4096 * 12));

  await assert.rejects(backupSqlite(source, opened.target, systemRandom), {
    name: 'StorageError',
    message: `cannot copy ${source}: database disk image is malformed`,
  });

  assert.deepEqual(await readdir(opened.folder), []);
});

test('of copies to one file that run at the same time at most one succeeds, and what it leaves is complete', async () => {
  await using opened = await openWithFolder();
  const { project } = await givenProject(opened.store);
  await opened.store.transaction(async (tx) => {
    for (let n = 0; n < 300; n++)
      await tx.checks.insert(checkRecord(project.id, { description: 'x'.repeat(20_000) }));
  });

  const copies = await Promise.allSettled(
    Array.from({ length: 3 }, () => backupSqlite(opened.path, opened.target, systemRandom)),
  );

  const done = copies.filter(({ status }) => status === 'fulfilled');
  assert.equal(
    done.length,
    1,
    copies.map((copy) => ('reason' in copy ? copy.reason : copy.value)).join('\n'),
  );
  assert.deepEqual(await readdir(opened.folder), ['copy.db']);
  await using copied = createSqlStore(new SqliteDriver(opened.target));
  assert.equal(await copied.checks.count(1_000), 300);
});

test('a folder that does not exist is named', async () => {
  await using opened = await openWithFolder();
  const target = join(opened.folder, 'missing/copy.db');

  await assert.rejects(backupSqlite(opened.path, target, systemRandom), {
    name: 'StorageError',
    message: /^cannot copy .*: ENOENT: no such file or directory, open '.*\/missing\/copy\.db\..*'$/,
  });
});
