import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { OLD_NODE } from './old-node.ts';
import { Wire } from './ping/wire.ts';
import { listening, REPOSITORY, type RunningProcess, startProcess, temporaryFolder } from './process.ts';

const PING_KEY = 'abcdefghijklmnopqrstuv';

const DECLARATION = `accounts:
  - email: ops@example.org
projects:
  - name: Alpha
    owner: ops@example.org
    keys: { ping: ${PING_KEY} }
    checks:
      - { slug: heartbeat, timeout: 3600 }
`;

interface Started extends AsyncDisposable {
  readonly npm: RunningProcess;
  readonly url: string;
  readonly databasePath: string;
}

/** Runs npm as the README does. Nothing of what it starts outlives the test, whatever the test finds. */
async function startWithNpm(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const databasePath = join(folder.path, 'tocsin.db');
  const declaration = join(folder.path, 'declaration.yaml');
  await writeFile(declaration, DECLARATION);
  const npm = opened.use(
    startProcess('npm', args, {
      cwd: REPOSITORY,
      env: {
        HOST: '127.0.0.1',
        PORT: '0',
        DATABASE_URL: `sqlite:${databasePath}`,
        PROVISION_FILE: declaration,
        SECRET_KEY: 'a secret of this test, and long enough to be one',
        npm_config_update_notifier: 'false',
        ...env,
      },
    }),
  );
  const url = await listening(npm);
  const [, pid] = await npm.output(/"pid":(\d+),"event":"server.listening"/);
  opened.defer(() => endIfRunning(Number(pid)));
  const parts = opened.move();
  return { npm, url, databasePath, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Sends the first half of a ping; returns what sends the second and waits for the answer. */
async function beginPing(url: string): Promise<() => Promise<string>> {
  const wire = new Wire(Number(new URL(url).port));
  await wire.send(
    `POST /ping/${PING_KEY}/heartbeat HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`,
  );
  await wire.until(/^HTTP\/1\.1 100 Continue\r\n/);
  return async () => {
    await wire.send('done');
    return wire.untilClosed();
  };
}

function pingsIn(databasePath: string): number {
  using database = new DatabaseSync(databasePath, { readOnly: true });
  return Number(database.prepare('select count(*) as n from pings').get()?.n);
}

for (const args of [['start'], ['run', 'tocsin', '--', 'serve'], ['run', 'dev']]) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) {
    test(`${signal} to npm ${args.join(' ')} ends the service, which answers what it has accepted`, async () => {
      await using started = await startWithNpm(args);
      const { npm, url, databasePath } = started;

      const endPing = await beginPing(url);
      npm.signal(signal);
      await npm.output(/^Stopping/m);
      const answer = await endPing();
      // Resolves when npm has ended and nobody is left who could write to its streams.
      const exit = await npm.exit();

      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/m);
      await assert.rejects(fetch(`${url}/api/v3/status/`));
      assert.equal(pingsIn(databasePath), 1);
      const isPassedOn = signal === 'SIGTERM' || signal === 'SIGINT';
      assert.deepEqual(
        { code: exit.code, signal: exit.signal },
        isPassedOn ? { code: 0, signal: null } : { code: null, signal },
      );
    });
  }
}

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const) {
  test(`${signal} to npm start ends the service that an older Node has launched, with the flags of its own`, async () => {
    await using started = await startWithNpm(['start'], OLD_NODE);
    const { npm, url } = started;

    await npm.output(/^Launched with --max-semi-space-size=8$/m);
    npm.signal(signal);
    await npm.output(/^Stopping/m);
    // Resolves when nobody is left who could write to the streams, the launcher included.
    await npm.exit();

    await assert.rejects(fetch(`${url}/api/v3/status/`));
  });
}
