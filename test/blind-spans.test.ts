import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { HOUR } from '../src/domain/check/check.test-support.ts';
import { seconds } from '../src/lib/instant.ts';
import type { Mail } from '../src/lib/mail-sender.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { buildNode } from '../src/node/node.ts';
import { startLoops, startWatching } from '../src/node/start-loops.ts';
import { recordBeat } from '../src/services/core/liveness.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { FakeMailSender } from './account-mails.ts';
import { START } from './app.ts';
import { createMigratedPlace, forEachEngine, openTestDatabase, openTestDriver } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { freePort } from './free-port.ts';
import { LoopTime } from './loop-time.ts';
import { NO_READS, testDatabase, testParts } from './node-parts.ts';
import { someoneWaits } from './postgres-locks.ts';
import { checkRecord, givenProject, mailRecord } from './records.ts';
import { until } from './waiting.ts';

/** The loops of a node with mail, and without object storage. */
const LOOPS_WITHOUT_WATCHING = 15;

async function listening(server: Server): Promise<AddressInfo> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address() as AddressInfo;
}

test('the very first ping after a time of blindness finds its check up', async () => {
  await using place = await createMigratedPlace('postgres');
  const clock = new FakeClock(START);
  const log = pino({ level: 'silent' });
  const config = {
    ...readConfig({ SECRET_KEY: 'a secret for tests only, and a long one' }),
    database: place.database,
    listen: { host: '127.0.0.1', port: 0 },
  };
  await using app = await startApp(config, { clock, random: systemRandom, log });
  const headers = { 'x-api-key': app.firstProject?.keys?.readWrite ?? assert.fail() };
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${app.port}${path}`, { headers, ...init });
  const edit = JSON.stringify({ timeout: 60, grace: 60 });
  const created = await request('/api/v3/checks/', { method: 'POST', body: edit });
  const { uuid } = (await created.json()) as { uuid: string };
  assert.equal((await request(`/ping/${uuid}`)).status, 200);

  clock.advance({ hours: 3 });
  assert.equal((await request(`/ping/${uuid}`)).status, 200);

  const flips = (await (await request(`/api/v3/checks/${uuid}/flips/`)).json()) as { up: number }[];
  assert.deepEqual(
    flips.map(({ up }) => up),
    [1],
  );
});

test('the very first request after a time of blindness finds checks as they are once it is known of', async () => {
  await using place = await createMigratedPlace('postgres');
  await using driver = await openTestDriver(place.database);
  const clock = new FakeClock(START);
  const port = await freePort();
  const start = () =>
    startApp(
      {
        ...readConfig({ SECRET_KEY: 'a secret for tests only, and a long one' }),
        database: place.database,
        listen: { host: '127.0.0.1', port },
      },
      { clock, random: systemRandom, log: pino({ level: 'silent' }) },
    );
  const earlier = await start();
  const headers = { 'x-api-key': earlier.firstProject?.keys?.readWrite ?? assert.fail() };
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers, ...init });
  const edit = JSON.stringify({ timeout: 60, grace: 60 });
  const created = await request('/api/v3/checks/', { method: 'POST', body: edit });
  const { uuid } = (await created.json()) as { uuid: string };
  assert.equal((await request(`/ping/${uuid}`)).status, 200);
  await earlier[Symbol.asyncDispose]();
  clock.advance({ hours: 3 });

  const looked = Promise.withResolvers<void>();
  const holding = driver.transaction(async (tx) => {
    await tx.all('select node from watch for update');
    await looked.promise;
  });
  const starting = start();
  await until('the service listens, and would know of the blindness', () => someoneWaits(driver));
  const reply = request(`/api/v3/checks/${uuid}`);
  // By the time that another one is answered, the first has been received.
  await request('/ping/', { method: 'OPTIONS' });
  looked.resolve();

  const { status } = (await (await reply).json()) as { status: string };
  await holding;
  await using _serving = await starting;
  assert.equal(status, 'grace');
});

forEachEngine((engine) => {
  test('a mail to an account waits until the node watches, and names no check that is excused then', async () => {
    await using opened = await openTestDatabase(engine);
    const { store } = opened;
    const { account, project } = await givenProject(store);
    const clock = new FakeClock(START);
    await recordBeat({ store, clock, reads: NO_READS }, systemRandom.uuid(), true);
    const lastPingAt = START - HOUR;
    await store.transaction(async (tx) => {
      const flip = { status: 'down', lastFlipAt: START - HOUR, lastPingAt } as const;
      await tx.checks.insert(checkRecord(project.id, { name: 'Broken', ...flip, deadlineAt: null }));
      const cadence = { timeoutSeconds: 3600, graceSeconds: 3600, deadlineAt: START + HOUR };
      await tx.checks.insert(
        checkRecord(project.id, { name: 'Silent', status: 'up', lastPingAt, ...cadence }),
      );
      await tx.mailPreferences.setReminders(account.id, 3600);
      await tx.mails.insertMany([mailRecord(account.id, { nextAttemptAt: START })]);
    });
    clock.advance({ hours: 3 });
    const time = new LoopTime(clock, LOOPS_WITHOUT_WATCHING);
    const sender = new FakeMailSender();
    const given = testParts(testDatabase(store, engine), clock);
    const mail = { send: (one: Mail) => sender.send(one), [Symbol.asyncDispose]: async () => undefined };
    await using node = await buildNode({
      ...given,
      timers: { ...given.timers, rest: time.rest },
      transports: { ...given.transports, mail },
    });

    await startLoops(node);
    await time.pass(5);
    assert.deepEqual(sender.subjects(), []);
    startWatching(node);
    await until('the mail is sent', async () => {
      await time.pass(5);
      return sender.sent.length > 0;
    });

    const [{ text } = assert.fail()] = sender.sent;
    assert.match(text, /Broken/);
    assert.doesNotMatch(text, /Silent/);
  });

  test('a service that cannot listen does not watch: no check goes down while it is started again and again', async () => {
    await using opened = await openTestDatabase(engine);
    const { project } = await givenProject(opened.store);
    const cadence = { timeoutSeconds: 3600, graceSeconds: 60 };
    const deadlineAt = START + seconds(40);
    const lastPingAt = deadlineAt - seconds(3660);
    const { id } = await opened.store.transaction((tx) =>
      tx.checks.insert(checkRecord(project.id, { status: 'up', ...cadence, lastPingAt, deadlineAt })),
    );
    const clock = new FakeClock(START);
    await using other = createServer();
    const { port } = await listening(other);
    const start = (at: number) =>
      startApp(
        {
          ...readConfig({ SECRET_KEY: 'a secret for tests only, and a long one' }),
          database: opened.database,
          listen: { host: '127.0.0.1', port: at },
        },
        { clock, random: systemRandom, log: pino({ level: 'silent' }) },
      );
    await (await start(0))[Symbol.asyncDispose]();

    for (const pause of [25, 25]) {
      clock.advance({ seconds: pause });
      await assert.rejects(start(port), /EADDRINUSE/);
    }

    assert.equal((await opened.store.checks.byId(id))?.status, 'up');
    await using _serving = await start(0);
    await until('the service watches', async () => (await opened.store.liveness.blindSpanCount()) === 1);
    assert.equal((await opened.store.checks.byId(id))?.excusedUntilAt, START + seconds(350));
  });

  test('however many came due, each statement excuses so few that it does not take too long', async () => {
    await using opened = await openTestDatabase(engine);
    const { project } = await givenProject(opened.store);
    const count = 2_100;
    await opened.store.transaction(async (tx) => {
      for (let index = 0; index < count; index++) {
        await tx.checks.insert(checkRecord(project.id, { status: 'up', deadlineAt: START + (index % 3) }));
      }
    });
    const changes: number[] = [];
    const store = createSqlStore({
      dialect: opened.driver.dialect,
      all: (sql, params) => opened.driver.all(sql, params),
      transaction: (work) =>
        opened.driver.transaction((tx) =>
          work({
            ...tx,
            run: async (sql, params) => {
              const changed = await tx.run(sql, params);
              changes.push(changed);
              return changed;
            },
          }),
        ),
      probe: () => opened.driver.probe(),
      [Symbol.asyncDispose]: async () => undefined,
    });
    const excuse = () => store.transaction((tx) => tx.checks.excuseOverdue(START - 1, START + 5, HOUR));

    assert.equal(await excuse(), count);
    assert.ok(Math.max(...changes) <= 1_000);
    const excused = await store.checks.ofProject(project.id);
    assert.deepEqual(new Set(excused.map(({ deadlineAt }) => deadlineAt)), new Set([START + 5 + HOUR]));
    assert.equal(await excuse(), 0);
  });
});
