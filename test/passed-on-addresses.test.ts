import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { createMigratedPlace } from './engines.ts';

suite("the operator's Apprise server, which may have a private address", () => {
  for (const [allowed, url, isHanded] of [
    ['False', 'tgram://987654321:abcdefg_hijklmnop/12315544/ json://localhost/', false],
    ['False', 'tgram://987654321:abcdefg_hijklmnop/12315544/', true],
    ['True', 'json://127.0.0.1:6379/', true],
  ] as const) {
    test(`is ${isHanded ? '' : 'not '}handed ${url} with INTEGRATIONS_ALLOW_PRIVATE_IPS=${allowed}`, async () => {
      let handed = 0;
      await using apprise = createServer((_request, response) => {
        handed += 1;
        response.end();
      });
      await once(apprise.listen(0, '127.0.0.1'), 'listening');
      const { port } = apprise.address() as AddressInfo;
      await using place = await createMigratedPlace('sqlite');
      const config = {
        ...readConfig({
          SECRET_KEY: 'a secret for tests only, and a long one',
          INTEGRATIONS_ALLOW_PRIVATE_IPS: allowed,
          APPRISE_API_URL: `http://127.0.0.1:${port}`,
        }),
        database: place.database,
        listen: { host: '127.0.0.1', port: 0 },
      };
      await using app = await startApp(config, {
        clock: systemClock,
        random: systemRandom,
        log: pino({ level: 'silent' }),
      });
      const ask = async (path: string, body?: object) => {
        const reply = await fetch(`http://127.0.0.1:${app.port}/api/v3/channels/${path}`, {
          method: 'POST',
          headers: { 'x-api-key': app.firstProject?.keys?.readWrite ?? assert.fail() },
          body: JSON.stringify(body ?? {}),
        });
        return (await reply.json()) as { readonly id: string; readonly ok: boolean; readonly error?: string };
      };

      const { id } = await ask('', { kind: 'apprise', settings: { url } });
      const { ok, error } = await ask(`${id}/test`);

      const reason = isHanded ? undefined : 'Connections to private IP addresses are not allowed';
      assert.deepEqual([ok, error, handed], [isHanded, reason, isHanded ? 1 : 0]);
    });
  }
});
