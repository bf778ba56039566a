import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestApp } from '../app.ts';
import { settingsFor } from '../cli.test-support.ts';
import { forEachEngine, openTestDriver } from '../engines.ts';
import { live } from '../lived.ts';
import { TEST_SECRET } from '../node-parts.ts';
import { runCli, temporaryFolder } from '../process.ts';

forEachEngine((engine) => {
  test('verify says that there is no fault, or which, with exit code 1', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    await live(app);
    const options = { cwd: folder.path, env: { ...settingsFor(app), SECRET_KEY: TEST_SECRET } };

    const sound = await runCli(['verify'], options);
    await using driver = await openTestDriver(app.database);
    await driver.transaction((tx) => tx.run('update accounts set check_count = 99'));
    const faulty = await runCli(['verify'], options);

    assert.deepEqual([sound.code, sound.stderr], [0, '']);
    assert.match(sound.stdout, /^(SQLite|PostgreSQL), \S+: no fault found\.\n$/);
    assert.equal(faulty.code, 1);
    assert.match(faulty.stdout, /^accounts 1: check_count is not the number of its checks\n/);
  });
});

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
