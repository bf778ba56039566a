import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestApp } from '../app.ts';
import { settingsFor } from '../cli.test-support.ts';
import { SECRET, startService } from '../crash/service.ts';
import { createEmptyPlace, forEachEngine, openTestDriver, type TestPlace } from '../engines.ts';
import { live } from '../lived.ts';
import { TEST_SECRET } from '../node-parts.ts';
import { limitFileSize, runCli, temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { contentOf } from './content.ts';

forEachEngine((engine) => {
  test('backup, verify and restore take an archive from one engine to the other, with its secret', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    await live(app);
    await using there = await createEmptyPlace(engine === 'sqlite' ? 'postgres' : 'sqlite');
    const options = { cwd: folder.path, env: { ...settingsFor(app), SECRET_KEY: TEST_SECRET } };
    await writeFile(join(folder.path, 'passphrase'), 'a passphrase for tests\n');
    await writeFile(join(folder.path, 'wrong'), 'another passphrase\n');
    const { DATABASE_URL: to = '' } = settingsFor(there);
    const withPassphrase = ['--passphrase-file', 'passphrase'];

    const made = await runCli(['backup', 'archive', '--archive', ...withPassphrase], options);
    const verified = await runCli(['verify', 'archive', ...withPassphrase], { cwd: folder.path });
    const wrong = await runCli(['restore', 'archive', '--to', to, '--passphrase-file', 'wrong'], options);
    const restored = await runCli(['restore', 'archive', '--to', to, ...withPassphrase], options);
    const again = await runCli(['restore', 'archive', '--to', to], options);
    const recovered = await runCli(['recovered'], { cwd: folder.path, env: settingsFor(there) });

    assert.deepEqual([made.code, made.stderr], [0, '']);
    assert.match(
      made.stdout,
      /^Archived .* to archive \(\d+ bytes\)\.\nThe secret key is in it: keep the passphrase/,
    );
    assert.deepEqual([verified.code, verified.stdout], [0, 'archive: no fault found.\n']);
    assert.deepEqual(
      [wrong.code, wrong.stderr],
      [1, 'the passphrase is not the one with which the archive was made\n'],
    );
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(
      restored.stdout,
      /^Restored .* as it was at 20\S+\.\nMessages .* not sent: \d+\.\nThe secret key was restored\.\n/,
    );
    assert.equal(again.code, 1);
    assert.match(again.stderr, /is not empty: restore to another one, or give --replace/);
    assert.equal(recovered.code, 0, recovered.stderr);
    assert.match(recovered.stdout, /not sent: 0\.\nChecks that fell due since 2024-03-01T\S+ are excused/);
    const sound = await runCli(['verify'], { cwd: folder.path, env: settingsFor(there) });
    assert.match(sound.stdout, /^(SQLite|PostgreSQL), \S+: no fault found\.\n$/);
  });
});

forEachEngine((engine) => {
  test('an archive of a service under load has every ping that was acknowledged before, on the other engine', async () => {
    await using folder = await temporaryFolder();
    await using place = await createEmptyPlace(engine);
    await using there = await createEmptyPlace(engine === 'sqlite' ? 'postgres' : 'sqlite');
    const options = { cwd: folder.path, env: { ...settingsFor(place), SECRET_KEY: SECRET } };
    const acknowledged = new Map<string, number>();
    let isOver = false;
    await using service = await startService(folder.path, place.database);
    const clients = Array.from({ length: 8 }, async () => {
      const { uuid } = await service.createCheck('job');
      for (let count = 1; !isOver; count++) if (await service.ping(uuid)) acknowledged.set(uuid, count);
    });
    const sum = () => acknowledged.values().reduce((all, count) => all + count, 0);
    await until('pings are acknowledged', () => sum() > 1_000);

    const before = new Map(acknowledged);
    const made = await runCli(['backup', 'archive', '--archive'], options);
    const after = sum();
    isOver = true;
    await Promise.all(clients);
    const { DATABASE_URL: to = '' } = settingsFor(there);
    const restored = await runCli(['restore', 'archive', '--to', to], options);

    assert.deepEqual([made.code, restored.code], [0, 0], made.stderr + restored.stderr);
    assert.ok(after > before.values().reduce((all, count) => all + count, 0), 'pings came meanwhile');
    const env = { ...settingsFor(there), SECRET_KEY: SECRET };
    const verified = await runCli(['verify'], { cwd: folder.path, env });
    assert.equal(verified.code, 0, verified.stdout);
    await using driver = await openTestDriver(there.database);
    const rows = await driver.all<{ uuid: string; count: number }>(
      'select uuid, ping_count as count from checks',
    );
    const found = new Map(rows.map(({ uuid, count }) => [uuid, count]));
    for (const [uuid, count] of before) assert.ok((found.get(uuid) ?? 0) >= count, uuid);
  });

  test('after a recovery by other tools, old messages are closed, and what fell due since is excused', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    await live(app);
    // The database is as it was years ago, and no restore of ours has touched it.
    const options = { cwd: folder.path, env: settingsFor(app) };
    await using driver = await openTestDriver(app.database);
    const [open] = await driver.all<{ count: number }>(
      `select (select count(*) from deliveries where next_attempt_at is not null)
            + (select count(*) from mails where next_attempt_at is not null) as count`,
    );

    const first = await runCli(['recovered'], options);
    const again = await runCli(['recovered'], options);

    assert.ok(Number(open?.count) > 0);
    assert.match(first.stdout, new RegExp(`not sent: ${open?.count}\\.\n.*since 2024-\\S+ are excused at`));
    assert.match(again.stdout, /not sent: 0\.\n/);
  });
});

test('a restore for which the disk has no room leaves the database as it was', async () => {
  await using folder = await temporaryFolder();
  await using app = await startTestApp('sqlite');
  await live(app);
  const options = { cwd: folder.path, env: settingsFor(app) };
  const made = await runCli(['backup', 'archive', '--archive'], options);
  assert.equal(made.code, 0, made.stderr);

  const prelude = limitFileSize(100_000);
  const refused = await runCli(['restore', 'archive', '--to', 'sqlite:new.db'], { ...options, prelude });

  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^(The database cannot be used: )?(disk I\/O error|database or disk is full)/);
  assert.deepEqual((await readdir(folder.path)).toSorted(), ['archive']);
});

/** Lets the server say that its disk is full when a restore writes a row of `table`, or at its commit. */
function fullDisk(table: string, moment: 'write' | 'commit'): string {
  const [kind, late] =
    moment === 'write' ? ['trigger', ''] : ['constraint trigger', 'deferrable initially deferred'];
  return `
    create schema disk;
    create function disk.refuse() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
    end $$;
    create function disk.fill() returns event_trigger language plpgsql as $$ begin
      if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'public.${table}') then
        create ${kind} refuse after insert on public.${table} ${late} for each row execute function disk.refuse();
      end if;
    end $$;
    create event trigger fill on ddl_command_end when tag in ('CREATE TABLE') execute function disk.fill()`;
}

for (const [where, table, moment] of [
  ['in the middle', 'pings', 'write'],
  ['at the end', 'deliveries', 'commit'],
] as const) {
  test(`a restore for whose rows a PostgreSQL has no room ${where} leaves the database as it was`, async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp('postgres');
    await live(app);
    await using empty = await createEmptyPlace('postgres');
    const env = { ...settingsFor(app), SECRET_KEY: TEST_SECRET };
    const options = { cwd: folder.path, env };
    const made = await runCli(['backup', 'before', '--archive'], options);
    assert.equal(made.code, 0, made.stderr);
    const restoreTo = (place: TestPlace) =>
      runCli(['restore', 'before', '--replace', '--to', settingsFor(place).DATABASE_URL ?? ''], options);
    for (const { database } of [app, empty]) {
      await using driver = await openTestDriver(database);
      await driver.transaction((tx) => tx.script(fullDisk(table, moment)));
    }

    const refused = [await restoreTo(app), await restoreTo(empty)];

    for (const { code, stdout, stderr } of refused) {
      assert.deepEqual(
        [code, stdout, stderr],
        [1, '', 'The database cannot be used: could not extend file: No space left on device\n'],
      );
    }
    const after = await runCli(['backup', 'after', '--archive'], options);
    assert.equal(after.code, 0, after.stderr);
    assert.deepEqual(
      await contentOf(join(folder.path, 'after')),
      await contentOf(join(folder.path, 'before')),
    );
    await using driver = await openTestDriver(empty.database);
    assert.deepEqual(await driver.all(`select tablename from pg_tables where schemaname = 'public'`), []);
  });
}

test('verify looks at a copy, and refuses what is none', async () => {
  await using folder = await temporaryFolder();
  await using app = await startTestApp('sqlite');
  await live(app);
  const options = { cwd: folder.path, env: settingsFor(app) };
  const copied = await runCli(['backup', 'copy.db'], options);
  assert.equal(copied.code, 0, copied.stderr);
  const bytes = await readFile(join(folder.path, 'copy.db'));
  await writeFile(join(folder.path, 'damaged.db'), bytes.fill(0xff, 4096 * 3, 4096 * 12));
  await writeFile(join(folder.path, 'notes.txt'), 'no backup');

  const sound = await runCli(['verify', 'copy.db'], options);
  const damaged = await runCli(['verify', 'damaged.db'], options);
  const notes = await runCli(['verify', 'notes.txt'], options);

  assert.equal(sound.code, 0, sound.stdout);
  assert.match(sound.stdout, /^Sealed values were not opened: the secret key is not here\.\n/);
  assert.equal(damaged.code, 1);
  assert.equal(damaged.stdout + damaged.stderr, 'database disk image is malformed\n');
  assert.equal(notes.code, 1);
  assert.equal(notes.stderr, 'notes.txt is no backup of Tocsin\n');
});
