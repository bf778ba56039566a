import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { type Health, runHealth, waitForHealth } from './health.ts';

/** Answers the question of the health check below the path, and 404 elsewhere. */
async function service(status: number, line: string, prefix = '') {
  const server = createServer((request, response) => {
    response.statusCode = request.url === `${prefix}/api/v3/accepts/` ? status : 404;
    response.end(response.statusCode === 404 ? '' : line);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = String(typeof address === 'object' ? address?.port : '');
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

async function asked(args: readonly string[], settings: Parameters<typeof runHealth>[1]) {
  const lines: string[] = [];
  const code = await runHealth(args, settings, (line) => lines.push(line));
  return { code, lines };
}

test('a service that takes pings is healthy', async () => {
  await using up = await service(200, 'yes');
  assert.deepEqual(await asked([], { PORT: up.port }), { code: 0, lines: ['yes'] });
});

test('it is asked below the path of its site', async () => {
  await using up = await service(200, 'yes', '/watch');
  const settings = { PORT: up.port, SITE_ROOT: 'https://example.org/watch/', HOST: '::' };
  assert.deepEqual(await asked([], settings), { code: 0, lines: ['yes'] });
  assert.deepEqual(await asked([], { PORT: up.port }), { code: 1, lines: ['status 404'] });
});

test('one that refuses pings, or starts, says why', async () => {
  await using starting = await service(503, 'starting: migration 3 of 5: 0012_links');
  assert.deepEqual(await asked([], { PORT: starting.port }), {
    code: 1,
    lines: ['starting: migration 3 of 5: 0012_links'],
  });
});

test('a port where nobody listens, or that is none, is told', async () => {
  const { port, ...gone } = await service(200, 'yes');
  await gone[Symbol.asyncDispose]();
  assert.deepEqual(await asked([], { PORT: port }), {
    code: 1,
    lines: [`127.0.0.1:${port}: ECONNREFUSED`],
  });
  assert.deepEqual(await asked([], { PORT: 'x' }), {
    code: 1,
    lines: ['PORT=x is no port that can be asked'],
  });
});

test('other arguments are refused', async () => {
  for (const args of [['--wait'], ['--wait', 'x'], ['now'], ['--wait', '1', '2']])
    assert.deepEqual(await asked(args, {}), { code: 2, lines: ['Usage: tocsin health [--wait SECONDS]'] });
});

test('waiting ends with the first good answer, or so long after the last sign of progress', async () => {
  const at = { ms: 0 };
  const world = {
    now: () => at.ms,
    rest: async (ms: number) => {
      at.ms += ms;
    },
  };
  const answering = (line: (ms: number) => string) => async (): Promise<Health> => ({
    isHealthy: line(at.ms) === 'yes',
    line: line(at.ms),
  });
  assert.deepEqual(
    await waitForHealth(
      answering((ms) => (ms < 5_000 ? 'starting' : 'yes')),
      10,
      world,
    ),
    {
      isHealthy: true,
      line: 'yes',
    },
  );

  at.ms = 0;
  const step = (ms: number) => `starting: migration ${Math.min(5, 1 + Math.floor(ms / 8_000))} of 5`;
  assert.equal((await waitForHealth(answering(step), 10, world)).line, 'starting: migration 5 of 5');
  assert.equal(at.ms, 42_000);
});
