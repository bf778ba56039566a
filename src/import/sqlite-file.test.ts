import assert from 'node:assert/strict';
import { copyFile, glob, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { SourceError } from './source-error.ts';
import { openSqliteFile } from './sqlite-file.ts';

describe('a SQLite file of another program', () => {
  test('is read while the program runs in WAL mode', async () => {
    await using folder = await madeFolder();
    using running = makeDatabase(folder.path, 'wal');
    assert.equal(countAt(running.path), 1);
  });

  test('is read with the -wal that a stopped program has left, and no file is added or changed', async () => {
    await using folder = await madeFolder();
    await using other = await madeFolder();
    using running = makeDatabase(other.path, 'wal');
    const copy = join(folder.path, `${basename(folder.path)}.db`);
    await copyFile(running.path, copy);
    await copyFile(`${running.path}-wal`, `${copy}-wal`);
    const before = await picture(folder.path);
    {
      using file = openSqliteFile(copy);
      // The copy is gone, and what was open of it stays.
      assert.deepEqual(
        await Array.fromAsync(glob(`tocsin-import-*/${basename(copy)}`, { cwd: tmpdir() })),
        [],
      );
      assert.equal(file.database.prepare('select count(*) as rows from entries').get()?.rows, 1);
    }
    assert.deepEqual(await picture(folder.path), before);
  });

  for (const mode of ['wal', 'delete']) {
    test(`of a program that was stopped in mode ${mode} is read, and no file is added or changed`, async () => {
      await using folder = await madeFolder();
      const { path } = folder;
      const database = makeDatabase(path, mode);
      database[Symbol.dispose]();
      const before = await picture(path);
      assert.equal(countAt(database.path), 1);
      assert.deepEqual(await picture(path), before);
    });
  }

  test('can be written to while it is read, also without WAL', async () => {
    await using folder = await madeFolder();
    using running = makeDatabase(folder.path, 'delete');
    using file = openSqliteFile(running.path);
    const count = () => file.database.prepare('select count(*) as rows from entries').get()?.rows;
    file.database.exec('begin');
    assert.equal(count(), 1);

    running.database.exec('insert into entries values (2)');

    assert.equal(count(), 1, 'it is read as it was');
    assert.equal(countAt(running.path), 2);
  });

  test('is refused with the reason if it is missing, a folder or no database', async () => {
    await using folder = await madeFolder();
    const text = join(folder.path, 'text');
    await writeFile(text, 'This is a text that is longer than the header of a database. '.repeat(20));
    const reasons: readonly [string, RegExp][] = [
      [join(folder.path, 'missing'), /there is no such file/],
      [folder.path, /is a folder/],
      [text, /is no SQLite database/],
    ];
    for (const [path, reason] of reasons)
      assert.throws(
        () => openSqliteFile(path),
        (error) => error instanceof SourceError && reason.test(error.message),
      );
  });
});

function countAt(path: string): unknown {
  using file = openSqliteFile(path);
  return file.database.prepare('select count(*) as rows from entries').get()?.rows;
}

function makeDatabase(folder: string, mode: string) {
  const path = join(folder, 'source.db');
  const database = new DatabaseSync(path);
  database.exec(
    `pragma journal_mode = ${mode}; create table entries (id integer); insert into entries values (1)`,
  );
  return { path, database, [Symbol.dispose]: () => database.close() };
}

/** Names, contents and times of all files. */
async function picture(folder: string) {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return [name, await readFile(path, 'hex'), (await stat(path)).mtimeMs];
    }),
  );
}

async function madeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
