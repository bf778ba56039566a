import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpServer } from '../src/http/server.ts';
import { systemClock } from '../src/lib/clock.ts';
import { startReaderThreads } from '../src/reader-thread.ts';
import type { Deps } from '../src/services/deps.ts';
import type { CheckReads } from '../src/storage/store.ts';
import { sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { SITE, TEST_SECRET } from './node-parts.ts';

/** What reads many checks at once. */
const LONG_READS = [
  'ofProject',
  'pageOfProject',
  'tagsOfProject',
  'outlinesOf',
  'byIds',
  'channelsOfProject',
] as const satisfies readonly (keyof CheckReads)[];

/** The same store, whose long reads fail. */
function withoutLongReads({ store, ...deps }: Deps): Deps {
  const refuse = () => assert.fail('this was read on the thread that answers pings');
  const refused = Object.fromEntries(LONG_READS.map((name) => [name, { value: refuse }]));
  const checks: CheckReads = Object.create(store.checks, refused);
  return { ...deps, store: Object.create(store, { checks: { value: checks } }) };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function startServer() {
    await using started = new AsyncDisposableStack();
    const { database } = app();
    const secretKeys = { current: TEST_SECRET, fallbacks: [] };
    const reads = started.use(startReaderThreads({ database, secretKeys, site: SITE }, app().clock));
    const deps = withoutLongReads(app().deps);
    const server = createHttpServer(deps, app().pings, { ...app().node.http, reads });
    started.defer(() => server.close());
    const parts = started.move();
    return {
      get: async (url: string, key?: string) => {
        const headers = key === undefined ? {} : { 'x-api-key': key, authorization: `Bearer ${key}` };
        const reply = await server.inject({ url, headers });
        return { status: reply.statusCode, type: reply.headers['content-type'], text: reply.body };
      },
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  test('lists, badges of tags and metrics are made away from the thread that answers pings, byte by byte the same', async () => {
    const { project, key, readOnlyKey } = await app().givenProject({
      limits: { checks: 1_000, pings: 100 },
    });
    const channel = await app().givenChannel(project);
    for (let n = 0; n < 250; n++) {
      const check = await app().givenCheck(project, {
        name: `Check ${n} ✓`,
        tags: n % 2 === 0 ? 'even prod' : 'odd',
        status: n % 50 === 0 ? 'down' : 'up',
        lastPingAt: app().clock.now(),
        description: 'd'.repeat(1_000),
      });
      if (n % 3 === 0) await app().assign(check, channel);
    }
    const badge = app().deps.vault.badgeSignature(project.badgeKey, 'even');
    const asked: [url: string, key?: string][] = [
      ['/api/v3/checks/', key],
      ['/api/v1/checks/', readOnlyKey],
      ['/api/v3/checks/?tag=even&tag=prod', key],
      ['/api/v3/checks/?tag=nobody', key],
      ['/api/v3/checks/?slug=nobody%00', key],
      ['/api/v3/badges/', readOnlyKey],
      [`/badge/${project.badgeKey}/${badge}/even.json`],
      [`/projects/${project.uuid}/metrics/`, readOnlyKey],
    ];
    await using server = await startServer();

    for (const [url, asker] of asked) {
      const fresh = await app().request('GET', url, {
        ...(asker !== undefined && { key: asker, headers: { authorization: `Bearer ${asker}` } }),
      });
      assert.equal(fresh.status, 200, url);
      assert.deepEqual(await server.get(url, asker), {
        status: 200,
        type: fresh.headers['content-type'],
        text: fresh.text,
      });
    }
    assert.equal((await server.get(`/badge/${project.badgeKey}/AAAAAAAA/even.json`)).status, 404);
  });

  test('a database that is away fails the question, not the process', async () => {
    const unreachable = { ...app().database, ...(engine === 'sqlite' ? { path: '/nowhere/at.all' } : {}) };
    if (unreachable.engine === 'postgres') Object.assign(unreachable, { url: 'postgres://localhost:1/none' });
    await using reads = startReaderThreads(
      { database: unreachable, secretKeys: { current: TEST_SECRET, fallbacks: [] }, site: SITE },
      systemClock,
    );

    const { project } = await app().givenProject();
    const actor = { projectId: project.id, caller: { kind: 'system' } } as const;
    await assert.rejects(reads.ask({ kind: 'project_metrics', actor }));
  });
});
