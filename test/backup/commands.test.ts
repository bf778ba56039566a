import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../app.ts';
import { settingsFor } from '../cli.test-support.ts';
import { forOneEngine, openTestDriver } from '../engines.ts';
import { live } from '../lived.ts';
import { TEST_SECRET } from '../node-parts.ts';
import { runCli, temporaryFolder } from '../process.ts';

forOneEngine((engine) => {
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
