import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpServer } from '../../src/http/server.ts';
import { performCommands } from '../../src/services/check/check-commands.ts';
import {
  CHECK_WRITER_DEFAULTS,
  CheckWriter,
  type CheckWriterOptions,
  type PerformCommands,
} from '../../src/services/check/check-writer.ts';
import { type Driver, storageUnavailable } from '../../src/storage/driver.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine, openTestDriver } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { storedChecks } from '../records.ts';
import { until } from '../waiting.ts';

/** A database that does everything but commit. */
function withoutCommits(driver: Driver): Driver {
  return {
    dialect: driver.dialect,
    all: (sql, params) => driver.all(sql, params),
    probe: () => driver.probe(),
    transaction: (work) =>
      driver.transaction(async (tx) => {
        await work(tx);
        throw storageUnavailable('the disk is full');
      }),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A server whose commands are performed as the test wants. */
  async function openServer(perform: PerformCommands, options: Partial<CheckWriterOptions> = {}) {
    await using opened = new AsyncDisposableStack();
    const checkWriter = opened.use(new CheckWriter(perform, { ...CHECK_WRITER_DEFAULTS, ...options }));
    const server = createHttpServer(app().deps, app().pings, { ...app().node.http, checkWriter });
    opened.defer(() => server.close());
    const parts = opened.move();
    return {
      send: async (method: 'POST' | 'DELETE', path: string, key: string, body?: object) => {
        const url = `/api/v3/checks/${path}`;
        const reply = await injectInto(server, {
          method,
          url,
          headers: { 'x-api-key': key },
          ...(body && { payload: body }),
        });
        return { status: reply.statusCode, text: reply.body, retryAfter: reply.headers['retry-after'] };
      },
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  test('requests that are refused leave the others of the same moment, and projects stay apart', async () => {
    const limits = { checks: 12, pings: 100 };
    const [one, other] = [await app().givenProject({ limits }), await app().givenProject({ limits })];
    const own = await app().givenCheck(one.project, { name: 'own', status: 'up' });
    const foreign = await app().givenCheck(other.project, { name: 'foreign' });
    const send = (method: string, path: string, body?: object) =>
      app().request(method, `/api/v3/checks/${path}`, { key: one.key, ...(body && { body }) });

    const replies = await Promise.all([
      send('POST', '', { name: 'new 1' }),
      send('POST', '', { name: 'lost', channels: 'nobody' }),
      send('POST', foreign.uuid, { name: 'stolen' }),
      send('POST', own.uuid, { tags: 'prod' }),
      send('POST', `${own.uuid}/resume`),
      send('DELETE', foreign.uuid),
      app().request('POST', '/api/v3/checks/', { key: one.readOnlyKey, body: { name: 'lost' } }),
      app().request('POST', '/api/v3/checks/', { key: other.key, body: { name: 'new 2' } }),
      send('POST', '', { name: 'new 3' }),
    ]);

    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 400, 403, 200, 409, 403, 401, 201, 201],
    );
    const namesOf = async ({ project }: typeof one) =>
      (await storedChecks(app().deps.store, project)).map(({ name }) => name).sort();
    assert.deepEqual(await namesOf(one), ['new 1', 'new 3', 'own']);
    assert.deepEqual(await namesOf(other), ['foreign', 'new 2']);
  });

  test('of requests that come together only as many create a check as the account has room for', async () => {
    const { project, key } = await app().givenProject({ limits: { checks: 5, pings: 100 } });

    const replies = await Promise.all(
      Array.from({ length: 20 }, () => app().request('POST', '/api/v3/checks/', { key, body: {} })),
    );

    assert.equal(replies.filter(({ status }) => status === 201).length, 5);
    assert.equal(replies.filter(({ status }) => status === 403).length, 15);
    assert.equal((await storedChecks(app().deps.store, project)).length, 5);
  });

  test('what cannot be committed is answered 503, and nothing of it is stored', async () => {
    const { project, key } = await app().givenProject();
    const check = await app().givenCheck(project, { name: 'own' });
    await using driver = await openTestDriver(app().database);
    const store = createSqlStore(withoutCommits(driver));
    await using server = await openServer((batch) => performCommands({ ...app().deps, store }, batch));

    const replies = await Promise.all([
      server.send('POST', '', key, { name: 'new' }),
      server.send('POST', check.uuid, key, { name: 'changed' }),
      server.send('POST', `${check.uuid}/pause`, key),
      server.send('DELETE', check.uuid, key),
    ]);

    for (const { status, text, retryAfter } of replies) {
      assert.deepEqual([status, text, retryAfter], [503, '{"error":"temporarily unavailable"}', '1']);
    }
    assert.deepEqual(await storedChecks(app().deps.store, project), [check]);
  });

  test('more writes than may wait are answered 503 at once, those before them after their commit', async () => {
    const { project, key } = await app().givenProject();
    const gate = Promise.withResolvers<void>();
    let batches = 0;
    const perform: PerformCommands = async (batch) => {
      batches++;
      await gate.promise;
      return performCommands(app().deps, batch);
    };
    const limits = { maxQueuedCommands: 4, maxBatchSize: 1, maxConcurrentBatches: 1 };
    await using server = await openServer(perform, limits);

    const statuses: number[] = [];
    const create = async () => {
      const reply = await server.send('POST', '', key, { name: 'new' });
      statuses.push(reply.status);
      return reply;
    };
    const first = create();
    await until('the first one is being written', () => batches === 1);
    const others = [create(), create(), create(), create()];
    await until('two are refused', () => statuses.length === 2);
    assert.deepEqual(statuses, [503, 503]);
    gate.resolve();
    const replies = await Promise.all([first, ...others]);

    const refused = replies.filter(({ status }) => status === 503);
    assert.deepEqual(
      refused.map(({ text, retryAfter }) => [text, retryAfter]),
      Array(2).fill(['{"error":"overloaded"}', '1']),
    );
    assert.equal((await storedChecks(app().deps.store, project)).length, 3);
  });
});
