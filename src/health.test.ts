import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProcess, temporaryFolder } from '../test/process.ts';
import { type Health, runHealth, waitForHealth } from './health.ts';

const PROGRAM = join(import.meta.dirname, 'health.ts');

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

/** Modules of Node that a program has loaded when it ends with 0. */
async function loadedBy(program: string, env: Record<string, string>): Promise<string[]> {
  // It is not declared, since it is for people who look into Node.
  const telling = `process.on('exit', () => process._rawDebug(process.moduleLoadList.join('\\n')))`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(telling)}`, program];
  await using run = startProcess(process.execPath, args, { cwd: '/', env });
  const { code, stderr } = await run.exit();
  assert.equal(code, 0, stderr);
  return stderr.split('\n').filter((line) => line.startsWith('NativeModule '));
}

test('the program loads nothing that a bare connection does not load', async () => {
  await using up = await service(200, 'yes');
  await using folder = await temporaryFolder();
  const bare = join(folder.path, 'bare.ts');
  const request = JSON.stringify('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await writeFile(
    bare,
    `import { connect } from 'node:net'; connect(${up.port}, '127.0.0.1').end(${request}).resume();`,
  );

  const [own, least] = [await loadedBy(PROGRAM, { PORT: up.port }), await loadedBy(bare, {})];

  assert.ok(least.includes('NativeModule net'));
  assert.deepEqual(
    own.filter((name) => !least.includes(name)),
    [],
  );
});

test('the program finds the port in a file beside it, as the service does', async () => {
  await using up = await service(200, 'yes');
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, '.env'), `\ufeffPORT=${up.port}\n`);

  await using run = startProcess(process.execPath, [PROGRAM], { cwd: folder.path });

  const { code, stdout } = await run.exit();
  assert.deepEqual({ code, stdout }, { code: 0, stdout: 'yes\n' });
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
