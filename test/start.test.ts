import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
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
import { deliver } from './smtp/dialogue.ts';
import { until } from './waiting.ts';

const PINGS = 40;
const SECRET_KEY = 'a secret for tests only, and a long one';
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

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
          ...readConfig({ SECRET_KEY }),
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

test('without HOST the service takes pings and mails on every address, and shows IPv4 clients by their address', async () => {
  await using place = await createMigratedPlace('sqlite');
  const config = readConfig({ SECRET_KEY, PORT: '0', SMTPD_PORT: '0' });
  const world = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };
  await using app = await startApp({ ...config, database: place.database }, world);
  const { port, firstProject, report } = app;
  const { mail } = report.listens;
  const created = await fetch(`http://127.0.0.1:${port}/api/v3/checks/`, {
    method: 'POST',
    headers: { 'x-api-key': firstProject?.keys?.readWrite ?? assert.fail() },
    body: '{}',
  });
  const { uuid } = (await created.json()) as { uuid: string };

  assert.equal(await statusOf(`http://127.0.0.1:${port}/ping/${uuid}`), 200);
  // The proxy is trusted though its address arrives in the form of IPv6.
  await fetch(`http://127.0.0.1:${port}/ping/${uuid}`, { headers: { 'x-forwarded-for': '192.0.2.7' } });
  if (hasIpv6) assert.equal(await statusOf(`http://[::1]:${port}/ping/${uuid}`), 200);
  assert.ok(mail !== null);
  await deliver(mail.port, { to: [`${uuid}@${mail.domain}`], raw: 'Subject: done\r\n\r\n' });

  await using driver = await openTestDriver(place.database);
  const seen = await driver.all<{ remote_addr: string }>('select remote_addr from pings order by n');
  assert.deepEqual(
    seen.map((ping) => ping.remote_addr),
    ['127.0.0.1', '192.0.2.7', ...(hasIpv6 ? ['::1'] : []), '127.0.0.1'],
  );
  const audited = await driver.all(
    `select remote_addr from audit_log where action = 'check.created' or remote_addr is not null`,
  );
  assert.deepEqual(audited, [{ remote_addr: '127.0.0.1' }]);
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
