import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { Api } from './api.ts';

const KEY = 'hcw_secret';

/** An API of which each request gets the next of the answers. Pauses take no time. */
async function apiWith(...answers: readonly RequestListener[]) {
  const asked: string[] = [];
  const pauses: number[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-api-key']}`);
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? assert.fail();
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A listening server has one.
  const { port } = server.address() as AddressInfo;
  const api = new Api({ root: `http://127.0.0.1:${port}`, key: KEY }, async (ms) => void pauses.push(ms));
  return {
    ...{ api, asked, pauses },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const reply =
  (status: number, body = '', headers = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

const failure = (code: number, message: RegExp) => (error: Error & { code?: number }) => {
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  assert.ok(!error.message.includes(KEY));
  return true;
};

describe('the API of another server', () => {
  test('is asked again while it is busy, as late as it says', async () => {
    await using server = await apiWith(
      reply(429, '', { 'retry-after': '7' }),
      reply(503),
      reply(200, '{"checks": [{"slug": "a"}]}'),
    );

    assert.deepEqual(await server.api.checks(), [{ slug: 'a' }]);
    assert.deepEqual(server.pauses, [7_000, 2_000]);
    assert.deepEqual(new Set(server.asked), new Set([`GET /api/v3/checks/ ${KEY}`]));
  });

  test('that knows nothing of how outages are told is asked once', async () => {
    await using server = await apiWith(reply(404, 'Not found'));

    assert.equal(await server.api.alerting(), null);
    assert.deepEqual(server.asked, [`GET /api/v3/alerting/ ${KEY}`]);
  });

  test('that fails for long, or is not there, ends the command with 5', async () => {
    await using server = await apiWith(reply(500));
    const away = new Api({ root: 'http://127.0.0.1:1', key: KEY }, async () => undefined);

    await assert.rejects(server.api.checks(), failure(5, /\/api\/v3\/checks\/ answers 500$/));
    assert.equal(server.asked.length, 4);
    await assert.rejects(away.checks(), failure(5, /does not answer: \S/));
  });

  test('that refuses ends the command with 4 and its reason', async () => {
    const cases: [number, string, RegExp][] = [
      [401, '{"error": "wrong api key"}', /does not accept the key/],
      [403, '', /takes no more checks/],
      [
        400,
        '{"error": "json validation error: slug is too long"}',
        /answers 400: json validation error: slug/,
      ],
      [404, '<html>', /answers 404, and not as API v3 does/],
    ];
    for (const [status, body, message] of cases) {
      await using server = await apiWith(reply(status, body));
      await assert.rejects(server.api.send('POST', 'checks/', {}), failure(4, message));
      assert.equal(server.asked.length, 1);
    }
  });

  test('that is no API ends the command', async () => {
    await using server = await apiWith(reply(200, '<html>'));

    await assert.rejects(server.api.checks(), failure(5, /does not answer as API v3 does/));
  });

  test('that points elsewhere does not pass the key on', async () => {
    await using elsewhere = await apiWith(reply(200, '{"checks": []}'));
    await using server = await apiWith(reply(301, '', { location: 'https://other.example/' }));

    await assert.rejects(server.api.checks(), failure(4, /is elsewhere now: https:\/\/other\.example\//));
    assert.deepEqual(elsewhere.asked, []);
  });

  test('a check that is gone already is deleted', async () => {
    await using server = await apiWith(reply(404));

    assert.equal(await server.api.send('DELETE', 'checks/x'), null);
  });
});
