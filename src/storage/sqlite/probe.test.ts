import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { createMigratedPlace } from '../../../test/engines.ts';
import { ChangeMarks } from '../../domain/change-marks.ts';
import { startWriterThread } from '../../writer-thread.ts';
import type { Driver } from '../driver.ts';
import { SqliteDriver } from './driver.ts';

/** A database whose tables are in its file, not in the log, and that has been read and written through all connections. */
async function open(openAt: OpenAt) {
  await using opened = new AsyncDisposableStack();
  const { database } = opened.use(await createMigratedPlace('sqlite'));
  assert.ok(database.engine === 'sqlite');
  const driver = await openAt(database.path, opened);
  await driver.all('select * from checks');
  await driver.transaction((tx) => tx.run(`insert into instance (key, value) values ('a', 'b')`));
  const parts = opened.move();
  return { driver, path: database.path, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

type OpenAt = (path: string, opened: AsyncDisposableStack) => Promise<Driver>;

/** From another process: to open and close the file in this one would drop SQLite's locks. */
function behindItsBack(command: string, path: string): void {
  execFileSync('sh', ['-c', command], { env: { ...process.env, FILE: path } });
}

const OPTIONS = {
  movesBodies: false,
  defaultLimits: { checks: 1, pings: 1 },
  keepFailuresDays: 93,
  marks: new ChangeMarks().buffer,
};

const inOneThread: OpenAt = async (path, opened) => opened.use(new SqliteDriver(path));

const withWriterThread: OpenAt = async (path, opened) =>
  opened.use(await startWriterThread(path, () => undefined, OPTIONS)).driver;

for (const [where, openAt] of [
  ['in one thread', inOneThread],
  ['with a thread that writes', withWriterThread],
] as const) {
  suite(`a probe of SQLite ${where}`, () => {
    test('succeeds as long as all is well, also while somebody else has the database open', async () => {
      await using database = await open(openAt);

      for (let n = 0; n < 3; n++) await database.driver.probe();
      await using other = new SqliteDriver(database.path);
      await other.transaction((tx) => tx.run(`insert into instance (key, value) values ('c', 'd')`));

      await database.driver.probe();
    });

    test('reads no tables but those of Tocsin, whatever else is in the file', async () => {
      await using database = await open(openAt);
      execute(
        database.path,
        `create table "my-notes" (text); create virtual table "search of notes" using fts5 (text);
         pragma writable_schema = on;
         insert into sqlite_schema (type, name, tbl_name, rootpage, sql)
         values ('table', 'unknown', 'unknown', 0, 'create virtual table unknown using not_installed ()')`,
      );

      await database.driver.probe();
    });

    test('fails when a table of Tocsin is gone', async () => {
      await using database = await open(openAt);
      await database.driver.probe();

      execute(database.path, 'drop table flapping_notices');

      await assert.rejects(database.driver.probe(), /no such table: flapping_notices/);
    });

    test('waits for the transaction that is under way, and takes no part in it', async () => {
      await using database = await open(openAt);
      const steps: string[] = [];
      let probed = Promise.resolve();

      await database.driver.transaction(async (tx) => {
        await tx.run(`insert into instance (key, value) values ('c', 'd')`);
        probed = database.driver.probe().then(() => void steps.push('probed'));
        await tx.run(`insert into instance (key, value) values ('e', 'f')`);
        steps.push('written');
      });
      await probed;

      assert.deepEqual(steps, ['written', 'probed']);
    });

    for (const [what, command] of [
      [
        'overwritten with garbage',
        'head -c $(wc -c < "$FILE") /dev/zero | tr "\\0" Z | dd of="$FILE" conv=notrunc',
      ],
      [
        'overwritten with garbage behind its first pages',
        'tr "\\0" Z < /dev/zero | head -c 200000 | dd of="$FILE" bs=4096 seek=3 conv=notrunc',
      ],
      ['emptied', ': > "$FILE"'],
      ['cut off', 'truncate -s 100000 "$FILE"'],
      ['deleted', 'rm "$FILE"'],
      ['replaced', 'cp "$FILE" "$FILE.copy" && mv "$FILE.copy" "$FILE"'],
    ] as const) {
      test(`fails when the file was ${what}, whatever was read of it before`, async () => {
        await using database = await open(openAt);
        await database.driver.probe();

        behindItsBack(`${command} 2> /dev/null`, database.path);

        await assert.rejects(database.driver.probe());
        await assert.rejects(database.driver.probe());
      });
    }

    test('succeeds again once the file is whole again', async () => {
      await using database = await open(openAt);
      const copy = `${database.path}.copy`;
      behindItsBack(`cat "$FILE" > ${copy}`, database.path);

      behindItsBack('truncate -s 100000 "$FILE"', database.path);
      await assert.rejects(database.driver.probe());
      behindItsBack(`cat ${copy} > "$FILE"`, database.path);

      await database.driver.probe();
    });

    test('succeeds after the file has become smaller because the database has', async () => {
      await using database = await open(openAt);
      const { driver } = database;
      await driver.transaction((tx) =>
        tx.run(`insert into instance (key, value) values ('long', $1)`, ['x'.repeat(1_000_000)]),
      );
      await using other = new SqliteDriver(database.path);
      await other.finishCheckpoint();
      await driver.probe();

      await driver.transaction((tx) => tx.run(`delete from instance where key = 'long'`));
      execute(database.path, 'vacuum');
      await other.finishCheckpoint();

      await driver.probe();
    });
  });
}

/** Outside a transaction, in which some statements are impossible. */
function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path, { defensive: false });
  database.exec(sql);
  database.close();
}
