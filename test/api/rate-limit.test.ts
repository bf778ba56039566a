import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BODY_BYTES_PER_TOKEN, BUSY_PROJECTS_PER_ACCOUNT } from '../../src/http/limits.ts';
import { type Reply, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertCors, assertError, assertStatus, checksOf } from './answers.ts';

const CHECKS = '/api/v3/checks/';
const PER_MINUTE = 6;
const BURST = 12;

forEachEngine((engine) => {
  const app = sharedTestApp(engine, { rateLimitPerMinute: PER_MINUTE, rateBurst: BURST });

  const list = (key: string) => app().request('GET', CHECKS, { key });

  async function listed(key: string, times: number): Promise<void> {
    for (let n = 1; n <= times; n++) assertStatus(await list(key), 200, `request ${n}`);
  }

  const assertTooMany = (reply: Reply, retryAfter: number) => {
    assertError(reply, 429, 'too many requests');
    assert.equal(reply.headers['retry-after'], String(retryAfter));
  };

  test('more than the burst is refused, telling when to come again', async () => {
    const { key } = await app().givenProject();
    await listed(key, BURST);

    const reply = await list(key);

    assertTooMany(reply, 10);
    assertCors(reply, ['GET', 'POST', 'OPTIONS']);
  });

  test('after the wait one request is served, and after a minute a minute of them', async () => {
    const { key } = await app().givenProject();
    await listed(key, BURST);

    app().clock.advance({ seconds: 4 });
    assertTooMany(await list(key), 6);
    app().clock.advance({ seconds: 6 });
    await listed(key, 1);
    assertTooMany(await list(key), 10);
    app().clock.advance({ minutes: 1 });
    await listed(key, PER_MINUTE);
    assertTooMany(await list(key), 10);
  });

  test('every path, version and key of a project draws on one bucket, and each project has its own', async () => {
    const { key, readOnlyKey, project } = await app().givenProject();
    const stranger = await app().givenProject();
    const { uuid } = await app().givenCheck(project);
    const paths = [CHECKS, '/api/v1/checks/', CHECKS + uuid, '/api/v2/badges/', '/api/v3/channels/'];

    for (let n = 0; n < BURST; n++) {
      assertStatus(await app().request('GET', paths[n % paths.length] ?? '', { key }), 200);
    }

    for (const path of paths) assertTooMany(await app().request('GET', path, { key }), 10);
    assertTooMany(await app().request('GET', CHECKS, { key: readOnlyKey }), 10);
    await listed(stranger.key, BURST);
  });

  test('the projects of an account draw on a bucket of their own together, as large as those of a few projects', async () => {
    const { key, ownerId } = await app().givenProject();
    const stranger = await app().givenProject();
    const projects = await Promise.all(
      Array.from({ length: BUSY_PROJECTS_PER_ACCOUNT }, () => app().givenProject({ ownerId })),
    );

    for (const project of projects) await listed(project.key, BURST);

    assertTooMany(await list(key), Math.ceil(10 / BUSY_PROJECTS_PER_ACCOUNT));
    const { uuid } = await app().givenCheck(projects[0]?.project ?? assert.fail());
    app().clock.advance({ minutes: 1 });
    // A single check takes the quick way.
    for (const [n, project] of projects.entries())
      for (let served = 0; served < PER_MINUTE; served++)
        assertStatus(
          n === 0 ? await app().request('GET', CHECKS + uuid, { key: project.key }) : await list(project.key),
          200,
        );
    assertTooMany(await list(key), Math.ceil(10 / BUSY_PROJECTS_PER_ACCOUNT));
    await listed(stranger.key, BURST);
  });

  test('a key in the body counts as the same key', async () => {
    const { key } = await app().givenProject();
    await listed(key, BURST);

    assertTooMany(await app().request('POST', CHECKS, { body: { api_key: key } }), 10);
  });

  test('a refused request changes nothing, and is refused before the check is looked for', async () => {
    const { key, project } = await app().givenProject();
    const { uuid } = await app().givenCheck(project);
    await listed(key, BURST);

    assertTooMany(await app().request('DELETE', CHECKS + uuid, { key }), 10);
    assertTooMany(await app().request('POST', CHECKS, { key, body: { timeout: 1 } }), 10);
    assertTooMany(await app().request('GET', `${CHECKS}00000000-0000-4000-8000-000000000000`, { key }), 10);
    assert.equal((await app().deps.store.checks.ofProject(project.id)).length, 1);
  });

  test('what no key is needed for, or fails for want of one, is not counted', async () => {
    const { key } = await app().givenProject();

    for (let n = 0; n < BURST + 1; n++) {
      assertStatus(await app().request('OPTIONS', CHECKS), 204);
      assertStatus(await app().request('PUT', CHECKS, { key }), 405);
      assertStatus(await app().request('POST', CHECKS, { body: '{' }), 400);
      assertStatus(await app().request('GET', '/api/v3/checks', { key }), 301);
      assertStatus(await app().request('GET', CHECKS, { key: 'x'.repeat(32) }), 401);
      assertStatus(await app().request('GET', '/api/v3/status/'), 200);
    }

    await listed(key, BURST);
  });

  test('requests that fail by their content are counted', async () => {
    const { key } = await app().givenProject();

    for (let n = 0; n < BURST; n++) {
      const body = n % 2 === 0 ? { timeout: 1 } : '{';
      assertStatus(await app().request('POST', CHECKS, { key, body }), 400);
    }

    assertTooMany(await list(key), 10);
    assertTooMany(await app().request('POST', CHECKS, { key, body: '{' }), 10);
  });

  test('a long body counts for more, also with the key in it, and is refused before it is parsed', async () => {
    const { key, project } = await app().givenProject();
    const body = { name: 'x', desc: 'x'.repeat(4 * BODY_BYTES_PER_TOKEN) };

    assertStatus(await app().request('POST', CHECKS, { key, body }), 201);
    assertStatus(await app().request('POST', CHECKS, { body: { ...body, api_key: key } }), 201);
    await listed(key, 1);
    // One of twelve is left, which is taken before the length of the body is known.
    assertTooMany(await app().request('POST', CHECKS, { key, body: `{${' '.repeat(20_000)}` }), 50);

    assertTooMany(await list(key), 10);
    assert.equal((await app().deps.store.checks.ofProject(project.id)).length, 2);
    app().clock.advance({ seconds: 50 });
    assertStatus(await app().request('POST', CHECKS, { key, body }), 201);
  });

  test('the document states the burst, the rate and what counts as a request', async () => {
    const { text } = await app().request('GET', '/api/v3/openapi.json');

    assert.match(text, /6 a minute for as long as you like, and up to 12 at once; beyond that, 429/);
    assert.match(text, new RegExp(`once for each started ${BODY_BYTES_PER_TOKEN} bytes of its body`));
  });

  describe('with the limit turned off', () => {
    const unlimited = sharedTestApp(engine, { rateLimitPerMinute: 0 });

    test('any number of requests is served', async () => {
      const { key } = await unlimited().givenProject();

      for (let n = 0; n < 300; n++) {
        assertStatus(await unlimited().request('GET', CHECKS, { key }), 200, `request ${n}`);
      }
      assert.deepEqual(checksOf(await unlimited().request('GET', CHECKS, { key })), []);
    });
  });
});
