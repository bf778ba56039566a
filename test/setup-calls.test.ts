import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import type { OutboundRequest } from '../src/integrations/registry.ts';
import { systemClock } from '../src/lib/clock.ts';
import { HttpClient, type HttpResult } from '../src/lib/http-client.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { assertError } from './api/answers.ts';
import { startTestApp, type TestApp } from './app.ts';
import { givenTeam } from './dashboard/team.ts';
import { createMigratedPlace } from './engines.ts';

const MATRIX = { kind: 'matrix', settings: { room: '#ops:example.org' } };

/** A node whose requests go out through this client, and what became of them. */
async function startNode(client: HttpClient) {
  const results: HttpResult[] = [];
  const http = async (request: OutboundRequest) => {
    const result = await client.send(request);
    results.push(result);
    return result;
  };
  const app = await startTestApp('sqlite', {}, {}, null, {}, { transports: { http, mail: null } });
  return { app, results, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** A person comes back from Slack with a code, which the node has to exchange. */
async function connectSlack(app: TestApp) {
  const { browser, path } = await givenTeam(app);
  const { json } = await browser.post(`${path}/do/beginConnection`, { kind: 'slack' });
  const state = new URL(json.address).searchParams.get('state') ?? assert.fail();
  const answer = new URLSearchParams({ code: 'a-code', state }).toString();
  return browser.post('/do/finishConnection', { path: 'add_slack_btn', answer });
}

suite('what is asked of a provider while an integration is set up', () => {
  for (const { what, options, error } of [
    {
      what: 'reaches no private address',
      options: { resolve: async () => ['127.0.0.1'] },
      error: 'Connections to private IP addresses are not allowed',
    },
    {
      what: 'is not waited for without end',
      options: { resolve: () => new Promise<string[]>(() => undefined), timeoutMs: 50 },
      error: 'Connection timed out',
    },
  ] as const) {
    test(what, async () => {
      await using client = new HttpClient({
        userAgent: 'test',
        allowPrivateAddresses: false,
        proxies: { http: null, https: null },
        ...options,
      });
      await using node = await startNode(client);
      const { key } = await node.app.givenProject();

      const exchanged = await connectSlack(node.app);
      const joined = await node.app.request('POST', '/api/v3/channels/', { key, body: MATRIX });

      assert.deepEqual(
        [exchanged.status, exchanged.json.error],
        [424, 'Received an unexpected response from Slack. Integration not added.'],
      );
      assertError(joined, 400, `room cannot be joined: ${error}`);
      assert.deepEqual(node.results, [{ error }, { error }]);
    });
  }

  for (const [allowed, requests] of [
    ['False', []],
    // The account joins the room, and posts a code there.
    ['True', ['/_matrix/client/v3/join/%23ops%3Aexample.org', '/_matrix/client/v3/rooms/!ops%3Aexample.org']],
  ] as const) {
    test(`meets the guard of the whole service: INTEGRATIONS_ALLOW_PRIVATE_IPS=${allowed}`, async () => {
      const seen: (string | undefined)[] = [];
      await using homeserver = createServer(({ url }, response) => {
        seen.push(url?.split('/send/')[0]);
        response.end('{"room_id": "!ops:example.org"}');
      });
      await once(homeserver.listen(0, '127.0.0.1'), 'listening');
      const { port } = homeserver.address() as AddressInfo;
      await using place = await createMigratedPlace('sqlite');
      const config = {
        ...readConfig({
          SECRET_KEY: 'a secret for tests only, and a long one',
          INTEGRATIONS_ALLOW_PRIVATE_IPS: allowed,
          MATRIX_HOMESERVER: `http://127.0.0.1:${port}`,
          MATRIX_ACCESS_TOKEN: 'a-token',
        }),
        database: place.database,
        listen: { host: '127.0.0.1', port: 0 },
      };
      await using app = await startApp(config, {
        clock: systemClock,
        random: systemRandom,
        log: pino({ level: 'silent' }),
      });

      const { status } = await fetch(`http://127.0.0.1:${app.port}/api/v3/channels/`, {
        method: 'POST',
        headers: { 'x-api-key': app.firstProject?.keys?.readWrite ?? assert.fail() },
        body: JSON.stringify(MATRIX),
      });

      assert.deepEqual([status, seen], [allowed === 'True' ? 201 : 400, requests]);
    });
  }
});
