import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import type { Database } from '../src/storage/open.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { createMigratedPlace, forEachEngine, openTestDriver } from './engines.ts';
import { freePort } from './free-port.ts';
import { checkRecord, givenProject } from './records.ts';
import { until } from './waiting.ts';

const PINGS = 40;

forEachEngine((engine) => {
  suite('while the service starts', () => {
    test('pings wait for the database, and each that is acknowledged is stored', async () => {
      await using place = await createMigratedPlace(engine);
      const uuid = await givenCheck(place.database);
      const port = await freePort();
      const base = `http://127.0.0.1:${port}`;
      const database = Promise.withResolvers<null>();
      const starting = startApp(
        {
          ...readConfig({ SECRET_KEY: 'a secret for tests only, and a long one' }),
          database: place.database,
          listen: { host: '127.0.0.1', port },
        },
        {
          clock: systemClock,
          random: systemRandom,
          log: pino({ level: 'silent' }),
          // The start asks for the time before it builds anything.
          databaseTime: () => database.promise,
        },
      );
      await until('the port is open', async () => (await statusOf(`${base}/api/v3/live/`)) === 200);
      assert.equal(await statusOf(`${base}/api/v3/accepts/`), 503);
      const pings = Array.from({ length: PINGS }, () => statusOf(`${base}/ping/${uuid}`));
      assert.equal(await statusOf(`${base}/api/v3/checks/`), 503);

      database.resolve(null);
      {
        await using app = await starting;
        assert.equal(app.port, port);
        assert.deepEqual(await Promise.all(pings), Array(PINGS).fill(200));
        assert.equal(await statusOf(`${base}/api/v3/accepts/`), 200);
        assert.equal(await statusOf(`${base}/api/v3/live/`), 200);
      }
      await using driver = await openTestDriver(place.database);
      const check = await createSqlStore(driver, () => undefined).checks.byUuid(uuid);
      assert.equal(check?.pingCount, PINGS);
    });
  });
});

async function givenCheck(database: Database): Promise<string> {
  await using driver = await openTestDriver(database);
  const store = createSqlStore(driver, () => undefined);
  const { project } = await givenProject(store);
  const { uuid } = await store.transaction((tx) => tx.checks.insert(checkRecord(project.id)));
  return uuid;
}

async function statusOf(address: string): Promise<number | null> {
  try {
    const reply = await fetch(address);
    await reply.text();
    return reply.status;
  } catch {
    return null;
  }
}
