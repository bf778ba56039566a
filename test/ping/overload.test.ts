import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Check } from '../../src/domain/check/check.ts';
import { AppError } from '../../src/domain/errors.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { ingestPings } from '../../src/services/ping/ingest.ts';
import { type Ingest, PING_WRITER_DEFAULTS, PingWriter } from '../../src/services/ping/ping-writer.ts';
import { listen, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { until } from '../waiting.ts';
import { pingsOf, signalsOf, stored } from './answers.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenCheck(overrides: Partial<Check> = {}) {
    const { project } = await app().givenProject();
    return app().givenCheck(project, overrides);
  }

  /** A door of its own, whose writer does as the test wants. */
  async function openDoor(ingest: Ingest, options: Partial<typeof PING_WRITER_DEFAULTS> = {}) {
    await using opened = new AsyncDisposableStack();
    const writer = opened.use(new PingWriter(ingest, { ...PING_WRITER_DEFAULTS, ...options }));
    const events: { event: string; level: number }[] = [];
    const server = createHttpServer(app().deps, writer, {
      ...app().node.http,
      log: pino({}, { write: (line: string) => void events.push(JSON.parse(line)) }),
    });
    opened.defer(() => server.close());
    const port = await listen(server);
    const parts = opened.move();
    return {
      events,
      ping: async (check: Check, path = '', body?: string) => {
        const init = body === undefined ? {} : { method: 'POST', body };
        const reply = await fetch(`http://127.0.0.1:${port}/ping/${check.uuid}${path}`, init);
        const { status, headers } = reply;
        return { status, text: await reply.text(), retryAfter: headers.get('retry-after'), headers };
      },
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  /** Real ingestion that stands still until it is let go. */
  function gate(): { ingest: Ingest; entered: Promise<void>; open: () => void } {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const ingest: Ingest = async (batch) => {
      enter();
      await opened;
      return ingestPings(app().deps, batch);
    };
    return { ingest, entered, open };
  }

  test('a full queue is answered 503 at once, and nothing of that is recorded', async () => {
    const check = await givenCheck();
    const { ingest, entered, open } = gate();
    await using door = await openDoor(ingest, { maxQueuedPings: 2 });

    const written = door.ping(check, '/start');
    await entered;
    const answers: Awaited<typeof written>[] = [];
    const others = Array.from({ length: 6 }, async () => answers.push(await door.ping(check, '/log')));
    await until('all but those that have room are answered', () => answers.length === 4);
    const refused = [...answers];
    open();
    await Promise.all(others);

    for (const { status, text, retryAfter, headers } of refused) {
      assert.deepEqual([status, text, retryAfter], [503, 'overloaded', '1']);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('ping-body-limit'), null);
    }
    assert.equal((await written).text, 'OK');
    for (const { text } of answers.slice(4)) assert.equal(text, 'OK');
    assert.deepEqual(await signalsOf(app(), check), ['start', 'log', 'log']);
    assert.equal((await door.ping(check)).text, 'OK');
  });

  test('so is a queue that is full of bytes', async () => {
    const check = await givenCheck();
    const { ingest, entered, open } = gate();
    await using door = await openDoor(ingest, { maxQueuedBytes: 10 });

    const written = door.ping(check, '/start');
    await entered;
    const long = await Promise.race([
      door.ping(check, '/log', '12345678'),
      door.ping(check, '/log', '12345678'),
    ]);
    open();

    assert.deepEqual([long.status, long.retryAfter], [503, '1']);
    assert.equal((await written).text, 'OK');
  });

  test('while the database is away the whole batch is answered 503, and the next is recorded', async () => {
    const check = await givenCheck();
    let isAway = true;
    await using door = await openDoor(async (batch) => {
      if (isAway) throw new AppError('storage_unavailable', 'no connection', { retryAfterSeconds: 1 });
      return ingestPings(app().deps, batch);
    });

    const lost = await Promise.all([1, 2, 3].map(() => door.ping(check, '/fail', 'body')));
    isAway = false;
    const kept = await door.ping(check);

    for (const { status, text, retryAfter } of lost)
      assert.deepEqual([status, text, retryAfter], [503, 'temporarily unavailable', '1']);
    assert.equal(kept.text, 'OK');
    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });

  test('a fault of the database is answered 500 without details, told in the log, and the next is recorded', async () => {
    const check = await givenCheck();
    let isBroken = true;
    const fault = new Error('relation "pings" does not exist');
    await using door = await openDoor(async (batch) => {
      if (isBroken) throw fault;
      return ingestPings(app().deps, batch);
    });

    const lost = await Promise.all([1, 2, 3].map(() => door.ping(check, '/fail')));
    isBroken = false;

    for (const { status, text } of lost) assert.deepEqual([status, text], [500, 'internal error']);
    assert.deepEqual(
      door.events.map(({ event, level }) => [event, level]),
      [['ping.failed', 50]],
    );
    assert.ok(!JSON.stringify(door.events).includes(check.uuid), 'the log does not tell the secret');
    assert.equal((await door.ping(check)).text, 'OK');
  });

  test('a check that cannot be evaluated is answered 500, the others of its batch are recorded', async () => {
    const { project } = await app().givenProject();
    const poisoned = await app().givenCheck(project);
    const healthy = await app().givenCheck(project);
    await app().deps.store.transaction((tx) =>
      tx.checks.saveConfig({ ...poisoned, kind: 'oncalendar', schedule: 'sometimes' }),
    );
    const { ingest, entered, open } = gate();
    await using door = await openDoor(ingest);

    const first = door.ping(healthy, '/start');
    await entered;
    const [bad, good] = [door.ping(poisoned), door.ping(healthy)];
    open();

    assert.equal((await first).text, 'OK');
    assert.deepEqual([(await bad).status, (await bad).text], [500, 'internal error']);
    assert.equal((await good).text, 'OK');
    assert.deepEqual(await signalsOf(app(), healthy), ['start', 'success']);
    assert.deepEqual(await pingsOf(app(), poisoned), []);
  });

  test('a thousand pings of two hundred clients at once on one check are numbered 1 to 1000', async () => {
    const check = await givenCheck();

    await Promise.all(
      Array.from({ length: 200 }, async () => {
        for (let n = 0; n < 5; n++)
          assert.equal((await app().ping(`/${check.uuid}/log`, { body: String(n) })).text, 'OK');
      }),
    );

    const numbers = (await pingsOf(app(), check)).map(({ n }) => n);
    assert.deepEqual(
      numbers,
      Array.from({ length: 1_000 }, (_, index) => index + 1),
    );
    assert.equal((await stored(app(), check)).pingCount, 1_000);
  });

  test('pings of one connection after the other keep their order', async () => {
    const check = await givenCheck();
    const paths = ['/start', '/log', '', '/fail', '/log', '/start', '/7', '/0'];

    for (const path of paths) await app().ping(`/${check.uuid}${path}`);

    const expected = ['start', 'log', 'success', 'fail', 'log', 'start', 'fail', 'success'];
    assert.deepEqual(await signalsOf(app(), check), expected);
  });
});
