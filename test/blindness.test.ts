import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { START } from './app.ts';
import { createMigratedPlace } from './engines.ts';
import { FakeClock } from './fake-clock.ts';

test('the very first ping after a time of blindness finds its check up', async () => {
  await using place = await createMigratedPlace('postgres');
  const clock = new FakeClock(START);
  const log = pino({ level: 'silent' });
  const config = {
    ...readConfig({ SECRET_KEY: 'a secret for tests only, and a long one' }),
    database: place.database,
    listen: { host: '127.0.0.1', port: 0 },
  };
  await using app = await startApp(config, { clock, random: systemRandom, log });
  const headers = { 'x-api-key': app.firstKeys?.readWrite ?? assert.fail() };
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${app.port}${path}`, { headers, ...init });
  const edit = JSON.stringify({ timeout: 60, grace: 60 });
  const created = await request('/api/v3/checks/', { method: 'POST', body: edit });
  const { uuid } = (await created.json()) as { uuid: string };
  assert.equal((await request(`/ping/${uuid}`)).status, 200);

  clock.advance({ hours: 3 });
  assert.equal((await request(`/ping/${uuid}`)).status, 200);

  const flips = (await (await request(`/api/v3/checks/${uuid}/flips/`)).json()) as { up: number }[];
  assert.deepEqual(
    flips.map(({ up }) => up),
    [1],
  );
});
