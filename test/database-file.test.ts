import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { seconds } from '../src/lib/instant.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { createMigratedPlace } from './engines.ts';

/** A whole service on a file, whose answers a test can let grow old. */
async function startService() {
  await using opened = new AsyncDisposableStack();
  const { database } = opened.use(await createMigratedPlace('sqlite'));
  assert.ok(database.engine === 'sqlite');
  let ahead = 0;
  const clock = { now: () => systemClock.now(), monotonic: () => systemClock.monotonic() + ahead };
  const config = readConfig({ SECRET_KEY: 'a secret for tests only, and a long one' });
  const app = opened.use(
    await startApp(
      { ...config, database, listen: { host: '127.0.0.1', port: 0 } },
      { clock, random: systemRandom, log: pino({ level: 'silent' }) },
    ),
  );
  const parts = opened.move();
  return {
    path: database.path,
    async ask(path: string): Promise<{ status: number; text: string }> {
      ahead += seconds(1);
      const reply = await fetch(`http://127.0.0.1:${app.port}${path}`);
      return { status: reply.status, text: await reply.text() };
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

for (const [what, command] of [
  ['garbage', 'head -c 400000 /dev/zero | tr "\\0" Z | dd of="$FILE" conv=notrunc 2> /dev/null'],
  ['cut off', 'truncate -s 50000 "$FILE"'],
  ['gone', 'mv "$FILE" "$FILE.away"'],
] as const) {
  test(`a service whose database file is ${what} says so, and is not ready`, async () => {
    await using service = await startService();
    assert.deepEqual(await service.ask('/api/v3/status/'), { status: 200, text: 'OK' });

    execFileSync('sh', ['-c', command], { env: { ...process.env, FILE: service.path } });

    assert.equal((await service.ask('/api/v3/status/')).status, 500);
    const { status, text } = await service.ask('/api/v3/ready/');
    assert.equal(status, 503);
    assert.match(text, /"database_away"/);
  });
}
