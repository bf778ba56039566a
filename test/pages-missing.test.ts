import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { temporaryFolder } from './process.ts';

test('pages that cannot be read do not keep the service from starting', async () => {
  await using folder = await temporaryFolder();
  const env = { DATABASE_URL: `sqlite:${folder.path}/tocsin.db`, HOST: '127.0.0.1', PORT: '0' };
  const world = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };
  // A file where the folder should be: it is there, and cannot be listed.
  await using app = await startApp(readConfig(env), { ...world, pagesFolder: import.meta.filename });

  const status = async (path: string) => (await fetch(`http://127.0.0.1:${app.port}${path}`)).status;
  assert.deepEqual([await status('/api/v3/status/'), await status('/')], [200, 404]);
  assert.equal(app.setupToken, null);
});
