import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { storageUnavailable } from '../../src/storage/driver.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError, assertStatus } from './answers.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const VERSIONS = [1, 2, 3];

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('the status needs no key and says whether the database answers', async () => {
    for (const version of VERSIONS) {
      const { status, headers, text } = await app().request('GET', `/api/v${version}/status/`);

      assert.deepEqual([status, headers['content-type'], text], [200, 'text/html; charset=utf-8', 'OK']);
      assert.equal('access-control-allow-origin' in headers, false);
    }
    assertStatus(await app().request('GET', '/api/v3/status/', { key: 'nonsense' }), 200);
    assertStatus(await app().request('HEAD', '/api/v3/status/'), 200);
    assertStatus(await app().request('OPTIONS', '/api/v3/status/'), 200);
    assertError(await app().request('POST', '/api/v3/status/'), 405, 'method not allowed');
  });

  for (const [what, error] of [
    ['is broken', new Error('disk image is malformed')],
    ['is away for a while', storageUnavailable('gone')],
  ] as const) {
    test(`the status is 500 while the database ${what}`, async (t) => {
      app().clock.advance({ seconds: 1 });
      t.mock.method(app().deps.store, 'probe', () => Promise.reject(error));

      assertError(await app().request('GET', '/api/v3/status/'), 500, 'the database does not answer');
    });
  }

  test('the database is asked once a second at the most, however many ask for the status', async (t) => {
    app().clock.advance({ seconds: 1 });
    const asked = t.mock.method(app().deps.store, 'probe');
    const ask = () => app().request('GET', '/api/v3/status/');

    await Promise.all(Array.from({ length: 20 }, ask));
    await ask();
    assert.equal(asked.mock.callCount(), 1);
    app().clock.advance({ seconds: 1 });
    await ask();

    assert.equal(asked.mock.callCount(), 2);
  });

  test('without a key in the settings the metrics are shut', async () => {
    const wrong = { status: 403, error: 'wrong metrics key' };

    for (const headers of [{}, { 'x-metrics-key': '' }, { 'x-metrics-key': 'null' }]) {
      const reply = await app().request('GET', '/api/v3/metrics/', { headers });
      assertError(reply, wrong.status, wrong.error);
    }
  });

  test('a callback about a delivery that there is not changes nothing, and says so to nobody', async () => {
    for (const version of VERSIONS) {
      for (const body of [
        '',
        'error=gone&mark_disabled=1',
        'MessageStatus=failed',
        '{"a":',
        Buffer.from([0, 255]),
      ]) {
        const path = `/api/v${version}/notifications/${NOWHERE}/status`;
        const reply = await app().request('POST', path, { body });
        assert.deepEqual([reply.status, reply.text], [200, '']);
        assert.equal('access-control-allow-origin' in reply.headers, false);
      }
    }
  });

  test('a long or strange error text is no trouble either', async () => {
    const path = `/api/v3/notifications/${NOWHERE}/status`;

    for (const error of ['x'.repeat(5_000), '🔔'.repeat(300), '\0', '\uFFFF'])
      assertStatus(
        await app().request('POST', path, { body: new URLSearchParams({ error }).toString() }),
        200,
      );
  });

  test('a callback is posted, to an address with a UUID', async () => {
    const path = `/api/v3/notifications/${NOWHERE}/status`;

    assertError(await app().request('GET', path), 405, 'method not allowed');
    assertStatus(await app().request('POST', '/api/v3/notifications/x/status'), 404);
    assertStatus(await app().request('POST', `${path}/`), 404);
  });

  suite('with a key for the metrics', () => {
    const open = sharedTestApp(engine, { metricsKey: 'sesame' });
    const metrics = (key?: string, version = 3) =>
      open().request('GET', `/api/v${version}/metrics/`, {
        headers: key === undefined ? {} : { 'x-metrics-key': key },
      });

    test('any other key is wrong', async () => {
      const { key } = await open().givenProject();

      for (const wrong of [undefined, '', 'Sesame', 'sesame2', 'sesam', key])
        assertError(await metrics(wrong), 403, 'wrong metrics key', wrong);
      const reply = await open().request('GET', '/api/v3/metrics/', { key: 'sesame' });
      assertError(reply, 403, 'wrong metrics key');
    });

    test('the right one sees how far the instance has come', async () => {
      const { project } = await open().givenProject();
      const check = await open().givenCheck(project);
      const before = (await metrics('sesame')).json as { max_ping_id: number };
      for (const signal of ['start', 'success', 'log'] as const) await open().receive(check, signal);

      for (const version of VERSIONS) {
        const reply = await metrics('sesame', version);
        assert.equal(reply.status, 200);
        assert.equal(reply.headers['content-type'], 'application/json');
        assert.equal(
          reply.text,
          JSON.stringify({
            ts: 1_709_294_400,
            max_ping_id: before.max_ping_id + 3,
            max_notification_id: null,
            num_unprocessed_flips: 0,
          }),
        );
        assert.equal('access-control-allow-origin' in reply.headers, false);
      }
    });
  });
});
