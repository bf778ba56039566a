import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { loadAsItWas } from '../../src/storage/archive/restore.ts';
import { openSource } from '../../src/storage/archive/source.ts';
import { openTestDriver } from '../engines.ts';
import { TEST_SECRET } from '../node-parts.ts';
import { REPOSITORY, temporaryFolder } from '../process.ts';
import { commandsOf, runCommands, TOCSIN } from './commands.ts';

/** An installation as a program of an earlier schema has left it. */
async function givenOldInstallation(folder: string): Promise<void> {
  const [archive = assert.fail()] = globSync(join(REPOSITORY, 'test/upgrade/released/*.archive')).toSorted();
  const source = await openSource(archive, { clock: systemClock, release: '1.0.0' });
  const path = join(folder, 'data', 'tocsin.db');
  await using driver = await openTestDriver({ engine: 'sqlite', path });
  await driver.transaction((tx) => loadAsItWas(tx, driver, source, systemClock));
  await writeFile(`${path}.secret`, `${TEST_SECRET}\n`, { mode: 0o600 });
}

test('the commands of the page about upgrades do what it says, one after the other', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'data'));
  await givenOldInstallation(folder.path);
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

  assert.match(said['Before an upgrade'] ?? '', /would apply 0037_\S+ .*\.\nWould copy it to \S+before-/);
  assert.match(said.Upgrading ?? '', /Applied 0037_\S+ .*\.\n[\s\S]*no fault found/);
  assert.match(said['Going back'] ?? '', /Applied 0052_deliveries_by_ordinal\./);
  assert.match(said['Restoring a backup'] ?? '', /no fault found/);
  assert.match(said['Changing the machine'] ?? '', /no fault found/);
});
