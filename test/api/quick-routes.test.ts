import assert from 'node:assert/strict';
import { request as send } from 'node:http';
import { test } from 'node:test';
import { AppError } from '../../src/domain/errors.ts';
import { createHttpServer } from '../../src/http/server.ts';
import type { Store } from '../../src/storage/store.ts';
import { listen, sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answered {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

/** What differs from answer to answer, and what the connection is about. */
const OF_THE_MOMENT = ['x-request-id', 'date', 'connection', 'keep-alive', 'retry-after'];

function withoutMoment(headers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.includes(name)));
}

/** Through a socket: quick answers take this way alone. */
async function overSocket(
  app: TestApp,
  { path, method = 'GET', headers = {}, body = '' }: Asked,
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  send({ port: await app.port(), path, method, headers }, async (response) => {
    const text = Buffer.concat(await Array.fromAsync(response)).toString();
    resolve({ status: response.statusCode ?? 0, headers: withoutMoment(response.headers), text });
  })
    .on('error', reject)
    .end(body);
  return promise;
}

/** The usual way, through the framework. */
async function throughFramework(app: TestApp, asked: Asked): Promise<Answered> {
  const { path, method = 'GET', headers = {}, body } = asked;
  const reply = await app.request(method, path, { headers, ...(body !== undefined && { body }) });
  return { status: reply.status, headers: withoutMoment(reply.headers), text: reply.text };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a check is answered past the framework as through it, and what is in the way as well', async () => {
    const { project, key, readOnlyKey } = await app().givenProject();
    const other = await app().givenProject();
    const check = await app().givenCheck(project, { name: 'Näme', description: 'd'.repeat(5_000) });
    await app().assign(check, await app().givenChannel(project));
    const path = `/api/v3/checks/${check.uuid}`;
    const { etag } = (await app().request('GET', path, { key })).headers;
    const own = { 'x-api-key': key };
    const asked: Asked[] = [
      { path, headers: own },
      { path: path.replace('v3', 'v1'), headers: own },
      { path: `/api/v2/checks/${check.uniqueKey}`, headers: { 'x-api-key': readOnlyKey } },
      { path, headers: { ...own, 'if-none-match': etag ?? '' } },
      { path, headers: { ...own, 'x-forwarded-for': '203.0.113.1' } },
      { path: `${path}?slug=a`, headers: own },
      { path, headers: { ...own, 'content-length': '2' }, body: '{}' },
      { path, method: 'OPTIONS', headers: own },
      { path, method: 'PUT', headers: own },
      { path },
      { path, headers: { 'x-api-key': `${key.slice(0, -1)}_` } },
      { path, headers: { 'x-api-key': other.key } },
      { path: `/api/v3/checks/${crypto.randomUUID()}`, headers: own },
      { path: `/api/v3/checks/${other.project.uuid}x`, headers: own },
      { path: `/api/v4/checks/${check.uuid}`, headers: own },
      { path: `/api/v3/checks/${check.uuid.replace('-', '%2d')}`, headers: own },
    ];

    for (const one of asked) {
      assert.deepEqual(
        await overSocket(app(), one),
        await throughFramework(app(), one),
        `${one.method ?? 'GET'} ${one.path}`,
      );
    }
  });

  test('badges are answered past the framework as through it', async () => {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project, { name: 'Näme', tags: 'prod ä*' });
    const { badgeKey } = project;
    const signature = (tag: string) => app().deps.vault.badgeSignature(badgeKey, tag);
    const path = `/badge/${badgeKey}/${signature('prod')}/prod.svg`;
    const { etag } = (await app().request('GET', path)).headers;
    const asked: Asked[] = [
      { path },
      { path: path.replace('.svg', '.json') },
      { path: path.replace('.svg', '.shields'), headers: { 'if-none-match': etag ?? '' } },
      { path, headers: { 'if-none-match': etag ?? '' } },
      { path: `/badge/${badgeKey}/${signature('*')}-2.svg` },
      { path: `/badge/${badgeKey}/${signature('ä*')}/${encodeURIComponent('ä*')}.json` },
      { path: `/b/3/${check.badgeKey}.json` },
      { path: `/b/2/${check.badgeKey}.exe` },
      { path: `/badge/${badgeKey}/AAAAAAAA/prod.svg` },
      { path: `${path}?a=b` },
      { path, method: 'POST' },
      { path, method: 'OPTIONS' },
    ];

    for (const one of asked) {
      const [quick, usual] = [await overSocket(app(), one), await throughFramework(app(), one)];
      assert.deepEqual(quick, usual, `${one.method ?? 'GET'} ${one.path}`);
    }
  });

  test('a check that has just changed is never answered as it was', async () => {
    const { project, key } = await app().givenProject();
    const { uuid } = await app().givenCheck(project);
    const asked = { path: `/api/v3/checks/${uuid}`, headers: { 'x-api-key': key } };

    for (let count = 1; count <= 5; count++) {
      await app().ping(`/${uuid}`);
      const { text } = await overSocket(app(), asked);
      assert.equal(JSON.parse(text).n_pings, count);
    }
  });

  test('a failure of the database is answered as on the usual way, and the database is not asked again', async () => {
    const { project, key } = await app().givenProject();
    const { uuid } = await app().givenCheck(project);
    let asked = 0;
    const fail = async () => {
      asked++;
      throw new AppError('storage_unavailable');
    };
    const { deps } = app();
    const checks = Object.create(deps.store.checks, { revisionByUuid: { value: fail } });
    const store: Store = Object.create(deps.store, { checks: { value: checks } });
    const server = createHttpServer({ ...deps, store }, app().pings, app().node.http);
    const path = `/api/v3/checks/${uuid}`;
    const headers = { 'x-api-key': key };

    const quick = await fetch(`http://127.0.0.1:${await listen(server)}${path}`, { headers });
    const usual = await server.inject({ url: path, headers });
    const answered = [quick.status, await quick.text(), quick.headers.get('access-control-allow-origin')];
    await server.close();

    assert.deepEqual(answered, [503, usual.body, '*']);
    assert.equal(usual.statusCode, 503);
    assert.equal(asked, 2, 'once for each request');
  });

  test('quick answers use up the rate of the project, and are refused when it is used up', async () => {
    await using limited = await startTestApp(engine, { rateLimitPerMinute: 60, rateBurst: 3 });
    const { project, key } = await limited.givenProject();
    const { uuid } = await limited.givenCheck(project);
    const asked = { path: `/api/v3/checks/${uuid}`, headers: { 'x-api-key': key } };

    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await overSocket(limited, asked)).status);

    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
  });
});
