/** The service below a service manager: sockets that it passes on, system calls that it refuses. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { DECLARATION, declaredChecks } from './cli.test-support.ts';
import { freePort } from './free-port.ts';
import { listenWithoutAccepting } from './libc.ts';
import { COMPILED, listening, REPOSITORY, startProcess, temporaryFolder } from './process.ts';

const CLI = join(REPOSITORY, 'src/cli/index.ts');
const FILTER = join(import.meta.dirname, 'strict-unit.test-support.ts');

const skip =
  process.platform !== 'linux' && 'only Linux has descriptors of systemd and filters of system calls';

suite('below a service manager', { skip, concurrency: true }, () => {
  test('the service listens on the socket that it is given, and answers who came before it and between two runs', async () => {
    await using folder = await temporaryFolder();
    const port = await freePort();
    using socket = listenWithoutAccepting(port);
    const start = () => startWithSocket(socket.descriptor, folder.path, String(port));

    const early = answerOf(port);
    {
      await using service = start();
      assert.match(await early, /^HTTP\/1\.1 200 /);
      service.kill('SIGTERM');
      assert.deepEqual(await service.exit, [0, null]);
    }
    const between = answerOf(port);
    await using _again = start();
    assert.match(await between, /^HTTP\/1\.1 200 /);
  });

  test('a port that is not the one of the socket is refused: the health check would ask in vain', async () => {
    await using folder = await temporaryFolder();
    const port = await freePort();
    using socket = listenWithoutAccepting(port);
    await using service = startWithSocket(socket.descriptor, folder.path, String(port + 1));

    assert.deepEqual(await service.exit, [1, null]);
    assert.match(
      service.said(),
      new RegExp(`PORT=${port + 1}: the socket .* is on port ${port}, set PORT to that`),
    );
  });

  test('the service runs where the kernel refuses netlink and priorities', async () => {
    await using folder = await temporaryFolder();
    const declaration = join(folder.path, 'declaration.yaml');
    await writeFile(declaration, DECLARATION);
    await using service = startProcess(process.execPath, [FILTER, process.execPath, CLI, 'serve'], {
      cwd: folder.path,
      env: { PORT: '0', PROVISION_FILE: declaration },
    });
    const url = await listening(service);
    // A reader's thread makes the list, and lowers its priority.
    assert.equal((await declaredChecks(url)).length, 1);
    service.signal('SIGTERM');
    assert.equal((await service.exit()).code, 0);
  });
});

/** As systemd does it: the descriptor is the third, and a variable names the process that it is for. */
function startWithSocket(descriptor: number, cwd: string, port: string) {
  const command = `LISTEN_FDS=1 LISTEN_PID=$$ exec "${process.execPath}" "${CLI}" serve`;
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: { PATH: process.env.PATH, PORT: port, ...COMPILED },
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const exit = once(child, 'close');
  return {
    exit,
    said: () => said,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** The answer to a question that is sent at once, whenever it comes. */
async function answerOf(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.end('GET /api/v3/live/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  let answer = '';
  for await (const bytes of socket.setEncoding('latin1')) answer += bytes;
  return answer;
}
