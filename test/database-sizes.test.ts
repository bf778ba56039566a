import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepDatabaseSize, readDatabaseSizes } from '../src/services/instance/database-sizes.ts';
import { startTestApp } from './app.ts';
import { givenAccount, newBrowser } from './dashboard/browser.ts';
import { forEachEngine } from './engines.ts';

forEachEngine((engine) => {
  test('the size of the database is kept once a day, and an administrator sees how it has grown', async () => {
    await using app = await startTestApp(engine);
    const { deps, clock } = app;
    const account = await givenAccount(app, { isAdmin: true });
    const browser = newBrowser(app);
    await browser.signIn(account.email);
    const growth = async () => (await browser.get('/read/instanceHealth')).json.growth;

    await Promise.all([keepDatabaseSize(deps), keepDatabaseSize(deps)]);
    clock.advance({ hours: 1 });
    await keepDatabaseSize(deps);
    const [first, ...others] = await readDatabaseSizes(deps);
    assert.ok(first !== undefined && first.bytes > 4_096);
    assert.deepEqual(others, []);
    assert.deepEqual([(await growth()).weekBytes, (await growth()).bytesPerDay], [null, null]);

    clock.advance({ hours: 24 * 7 });
    await keepDatabaseSize(deps);
    assert.equal((await readDatabaseSizes(deps)).length, 2);
    const bytes = await deps.store.instance.databaseBytes();
    await browser.signIn(account.email);
    assert.equal((await growth()).weekBytes, bytes - first.bytes);
  });
});
