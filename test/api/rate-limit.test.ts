import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../src/domain/errors.ts';
import { RateLimit } from '../../src/http/rate-limit.ts';
import { type Reply, START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { FakeClock } from '../fake-clock.ts';
import { assertCors, assertError, assertStatus, checksOf } from './answers.ts';

const CHECKS = '/api/v3/checks/';
const PER_MINUTE = 6;
const BURST = PER_MINUTE * 2;

describe('the bucket of a key', () => {
  const refusal = (limit: RateLimit, keyId: number): number | null => {
    try {
      limit.take(keyId);
      return null;
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'too_many_requests');
      return error.retryAfterSeconds;
    }
  };
  const taken = (limit: RateLimit, keyId: number, most = 10_000_000): number => {
    let count = 0;
    while (count < most && refusal(limit, keyId) === null) count++;
    return count;
  };

  test('holds the requests of a minute twice', () => {
    for (const perMinute of [1, 7, 100, 1_000]) {
      const limit = new RateLimit(perMinute, new FakeClock(START));
      assert.equal(taken(limit, 1), perMinute * 2, String(perMinute));
    }
  });

  test('waiting as long as it was told is always enough, and a second less is not', () => {
    for (let perMinute = 1; perMinute <= 200; perMinute++) {
      const clock = new FakeClock(START);
      const limit = new RateLimit(perMinute, clock);
      taken(limit, 1);
      for (let round = 0; round < 5; round++) {
        const wait = refusal(limit, 1);
        assert.ok(wait !== null && wait >= 1 && wait <= 60, `${perMinute} a minute: ${wait}`);
        clock.advance({ seconds: wait - 1 });
        if (perMinute < 60) assert.notEqual(refusal(limit, 1), null, `${perMinute} a minute, round ${round}`);
        clock.advance({ seconds: 1 });
        assert.equal(refusal(limit, 1), null, `${perMinute} a minute, round ${round}`);
        taken(limit, 1);
      }
    }
  });

  test('trying in vain meanwhile neither shortens nor lengthens the wait', () => {
    for (let perMinute = 1; perMinute <= 60; perMinute++) {
      const clock = new FakeClock(START);
      const limit = new RateLimit(perMinute, clock);
      taken(limit, 1);

      const tenths = Math.ceil(600 / perMinute);
      for (let tenth = 1; tenth < tenths; tenth++) {
        clock.advance({ seconds: 0.1 });
        assert.notEqual(refusal(limit, 1), null, `${perMinute} a minute, after ${tenth} tenths`);
      }
      clock.advance({ seconds: 0.1 });

      assert.equal(taken(limit, 1), 1, `${perMinute} a minute`);
    }
  });

  test('fills at the sustained rate, and never beyond its size', () => {
    const clock = new FakeClock(START);
    const limit = new RateLimit(100, clock);
    taken(limit, 1);

    clock.advance({ seconds: 30 });
    assert.equal(taken(limit, 1), 50);
    clock.advance({ days: 365 });
    assert.equal(taken(limit, 1), 200);
  });

  test('is not emptied by a clock that is set back', () => {
    const clock = new FakeClock(START);
    const limit = new RateLimit(100, clock);
    limit.take(1);

    clock.advance({ days: -1 });

    assert.equal(taken(limit, 1), 199);
    assert.equal(refusal(limit, 1), 1);
  });

  test('bears the greatest limit that can be set', () => {
    const clock = new FakeClock(START);
    const limit = new RateLimit(1_000_000_000, clock);

    assert.equal(taken(limit, 1, 1000), 1000);
    clock.advance({ days: 365 });
    assert.equal(taken(limit, 1, 1000), 1000);
  });

  test('has no bottom when the limit is zero', () => {
    const limit = new RateLimit(0, new FakeClock(START));

    assert.equal(taken(limit, 1, 10_000), 10_000);
  });

  test('is forgotten once ten thousand other keys were used after it', () => {
    const limit = new RateLimit(1, new FakeClock(START));
    taken(limit, 0);

    for (let key = 1; key < 10_000; key++) limit.take(key);
    assert.notEqual(refusal(limit, 0), null, 'it is remembered, and now the one used last');
    for (let key = 10_000; key < 20_000; key++) limit.take(key);

    assert.equal(taken(limit, 0), 2);
  });
});

forEachEngine((engine) => {
  const app = sharedTestApp(engine, { rateLimitPerMinute: PER_MINUTE });

  const list = (key: string) => app().request('GET', CHECKS, { key });

  async function listed(key: string, times: number): Promise<void> {
    for (let n = 1; n <= times; n++) assertStatus(await list(key), 200, `request ${n}`);
  }

  const assertTooMany = (reply: Reply, retryAfter: number) => {
    assertError(reply, 429, 'too many requests');
    assert.equal(reply.headers['retry-after'], String(retryAfter));
  };

  test('more than a minute and its burst are refused, telling when to come again', async () => {
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
