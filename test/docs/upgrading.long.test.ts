import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { announcingStore } from '../announcing-store.ts';
import { createMigratedPlace, openTestDriver } from '../engines.ts';
import { REPOSITORY, runCli, temporaryFolder } from '../process.ts';
import { addCheck, givenProject } from '../records.ts';
import { commandsOf, runCommands, TOCSIN } from './commands.ts';

/** An installation whose database lacks the last step of today. */
async function givenOldInstallation(folder: string): Promise<void> {
  await using place = await createMigratedPlace('sqlite');
  {
    await using driver = await openTestDriver(place.database);
    const store = announcingStore(driver);
    await addCheck(store, (await givenProject(store)).project);
    await driver.transaction((tx) =>
      tx.script(`update accounts set check_count = 1; alter table watch drop column version;
        delete from schema_migrations where version = 40`),
    );
  }
  assert.ok(place.database.engine === 'sqlite');
  const copied = await runCli(['backup', join(folder, 'data', 'tocsin.db')], {
    cwd: folder,
    env: { DATABASE_URL: `sqlite:${place.database.path}` },
  });
  assert.equal(copied.code, 0, copied.stderr);
}

test('the commands of the page about upgrades do what it says, one after the other', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'data'));
  await givenOldInstallation(folder.path);
  await writeFile(join(folder.path, 'data', 'tocsin.db.secret'), `${'s'.repeat(43)}\n`, { mode: 0o600 });
  await writeFile(join(folder.path, 'passphrase'), 'long enough to be guessed by nobody\n');
  const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));

  const said: Record<string, string> = {};
  for (const { section, script } of await commandsOf('upgrading.md')) {
    const { code, stdout, stderr } = await runCommands(script.replaceAll('1.4.0', version), {
      cwd: folder.path,
      programs: { tocsin: TOCSIN },
    });
    assert.equal(code, 0, `${script}\n${stdout}${stderr}`);
    said[section] = `${said[section] ?? ''}${stdout}`;
  }

  assert.match(
    said['Before an upgrade'] ?? '',
    /would apply 0040_version_of_nodes\.\nWould copy it to \S+before-/,
  );
  assert.match(said.Upgrading ?? '', /Applied 0040_version_of_nodes\.\n[\s\S]*no fault found/);
  assert.match(said['Going back'] ?? '', /The database is up to date\./);
  assert.match(said['Restoring a backup'] ?? '', /no fault found/);
  assert.match(said['Changing the machine'] ?? '', /no fault found/);
});
