import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { access, open, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { DECLARATION, declaredChecks, KEY, requestOf, settingsFor } from './cli.test-support.ts';
import { createEmptyPlace, createMigratedPlace, forEachEngine, openTestDriver } from './engines.ts';
import { Wire } from './ping/wire.ts';
import { someoneWaits } from './postgres-locks.ts';
import {
  COMPILED,
  listening,
  REPOSITORY,
  runCli,
  startCli,
  temporaryFolder,
  withoutTerminals,
} from './process.ts';
import { becomes, HANG_MS, until } from './waiting.ts';

/** A server that says nothing. */
async function listenSomewhere(onContact = () => {}): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer(onContact);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

test('a second start on a terminal prints no keys, but where it listens and what it watches', {
  skip: withoutTerminals,
}, async () => {
  await using folder = await temporaryFolder();
  const options = { cwd: folder.path, env: { PROMETHEUS_ENABLED: 'False' }, hasTerminal: true };
  await using first = startCli(['serve'], options);
  await first.output(/^Watching +0 checks in 1 project; nobody has watched before\n/m);
  const [, create = ''] = await first.output(/^ +(curl .* -d .*)\n/m);
  await requestOf(create);
  // Until somebody administers the service, a start offers a link.
  await first.output(/becomes its first account:\n\n {2}http:\S+\/accounts\/setup\/#[\w-]{43}\n/);
  first.signal('SIGTERM');
  assert.doesNotMatch(
    (await first.exit()).stdout,
    /Prometheus|metrics/,
    'no address of what is switched off',
  );
  const made = await runCli(['account', 'create', 'alice@example.org', '--admin'], { cwd: folder.path });
  assert.equal(made.code, 0, made.stderr);

  await using second = startCli(['serve'], options);
  await listening(second);
  // The first administrator has the project of the first start.
  await second.output(/^Watching +1 check in 1 project; last beat \S+ m?s ago, so nothing was missed\n/m);
  second.signal('SIGTERM');
  const { stdout, stderr } = await second.exit();

  assert.doesNotMatch(stdout + stderr, /hcw_|hcr_|first start|curl/);
  assert.doesNotMatch(stdout, /administers|setup/);
});

test('a first start without a terminal makes and prints no key, but the link of the first account', async () => {
  await using folder = await temporaryFolder();
  await using service = startCli(['serve'], { cwd: folder.path });
  await listening(service);

  await service.output(
    /^This is the first start: .* Keys are shown on a terminal only: make them on its pages\.\n/m,
  );
  await service.output(/becomes its first account:\n\n {2}http:\S+\/accounts\/setup\/#[\w-]{43}\n/);
  service.signal('SIGTERM');
  const { stdout, stderr } = await service.exit();

  assert.doesNotMatch(stdout + stderr, /hcw_|hcr_|curl/);
  using database = new DatabaseSync(join(folder.path, 'data/tocsin.db'), { readOnly: true });
  assert.deepEqual(database.prepare('select id from api_keys').all(), []);
  assert.equal(database.prepare('select ping_key_sealed from projects').get()?.ping_key_sealed, null);
});

test('a first start that finds its port taken says so in one line, and leaves the first project to the next one', async () => {
  await using folder = await temporaryFolder();
  await using holder = await listenSomewhere();
  const failed = await runCli(['serve'], { cwd: folder.path, env: { PORT: String(holder.port) } });
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /EADDRINUSE.*\n$/);
  assert.doesNotMatch(failed.stderr, /^ +at /m);

  await using service = startCli(['serve'], { cwd: folder.path });
  await listening(service);

  await service.output(/^This is the first start: there is now a project/m);
});

/** Sends the head of a POST and waits until the service has accepted it: it asks for the body. */
async function beginRequest(url: string, body: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (text: string) => {
    received += text;
  });
  const until = async (pattern: RegExp) => {
    while (!pattern.test(received)) await once(socket, 'data', { signal: AbortSignal.timeout(HANG_MS) });
    return received;
  };
  socket.write(
    `POST /api/v3/checks/ HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\nExpect: 100-continue\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  );
  await until(/^HTTP\/1\.1 100 Continue\r\n/);
  return { socket, until };
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} stops the service with exit code 0: it answers what it has accepted, nothing later, and waits for no client that keeps its connection`, async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'declaration.yaml'), DECLARATION);
    const env = { PROVISION_FILE: 'declaration.yaml', SHUTDOWN_TIMEOUT: '120' };
    await using service = startCli(['serve'], { cwd: folder.path, env });
    const body = JSON.stringify({ name: 'Created while stopping' });
    const url = await listening(service);
    assert.equal((await fetch(`${url}/api/v3/status/`)).status, 200);

    const { socket, until } = await beginRequest(url, body);
    socket.write(body.slice(0, 10));
    service.signal(signal);
    await service.output(/^Stopping/m);
    socket.write(body.slice(10));
    const reply = await until(/Created while stopping.*\}$/);
    const exit = await service.exit();
    socket.destroy();

    assert.match(reply, /^HTTP\/1\.1 201 /m);
    assert.equal(exit.code, 0, exit.stderr);
    await assert.rejects(fetch(`${url}/api/v3/status/`), 'nothing is left that takes connections');
  });
}

test('signals that come together are one request to stop', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'declaration.yaml'), DECLARATION);
  const env = { PROVISION_FILE: 'declaration.yaml' };
  await using service = startCli(['serve'], { cwd: folder.path, env });
  const body = JSON.stringify({ name: 'Created while stopping' });

  const { socket, until } = await beginRequest(await listening(service), body);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) service.signal(signal);
  await service.output(/^Stopping/m);
  socket.write(body);
  const reply = await until(/Created while stopping.*\}$/);
  socket.end();

  assert.match(reply, /^HTTP\/1\.1 201 /m);
  assert.equal((await service.exit()).code, 0);
});

test('a signal that comes long after the first ends the service at once', async () => {
  await using folder = await temporaryFolder();
  await using service = startCli(['serve'], { cwd: folder.path, env: { SHUTDOWN_TIMEOUT: '600' } });
  const ended = service.exit();

  const { socket } = await beginRequest(await listening(service), 'a body that never comes');
  const insist = setInterval(() => service.signal('SIGTERM'), 50);
  const { code } = await ended;
  clearInterval(insist);
  socket.destroy();

  assert.equal(code, 130);
});

test('a service that still waits for its database ends when it is asked to', async () => {
  await using folder = await temporaryFolder();
  const env = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' };
  await using service = startCli(['serve'], { cwd: folder.path, env });

  await service.output(/database\.waiting/);
  service.signal('SIGTERM');
  const exit = await service.exit();

  assert.equal(exit.code, 0, exit.stderr);
  assert.equal(exit.stdout, 'Stopped during the start: nothing was accepted yet.\n');
});

test('a service that still waits for another one to apply its file ends when it is asked to', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'declaration.yaml'), DECLARATION);
  await using place = await createMigratedPlace('postgres');
  const patient = { ...place.database, statementTimeoutSeconds: 600 };
  await using driver = await openTestDriver(patient);
  const store = createSqlStore(driver);
  const env = { ...settingsFor(place), PROVISION_FILE: 'declaration.yaml' };

  const exit = await store.transaction(async (tx) => {
    await tx.declarations.lock();
    await using service = startCli(['serve'], { cwd: folder.path, env });
    await until('the service waits', () => someoneWaits(driver));
    service.signal('SIGTERM');
    return await service.exit();
  });

  assert.equal(exit.code, 0, exit.stderr);
  assert.equal(exit.stdout, 'Stopped during the start: nothing was accepted yet.\n');
  assert.equal(await store.checks.count(1_000), 0);
});

test('a command that is no service ends with the first signal', async () => {
  await using folder = await temporaryFolder();
  const contacted = Promise.withResolvers<void>();
  await using silent = await listenSomewhere(contacted.resolve);
  const env = { DATABASE_URL: `postgres://u:p@127.0.0.1:${silent.port}/x` };
  await using command = startCli(['account', 'list'], { cwd: folder.path, env });

  await contacted.promise;
  command.signal('SIGTERM');

  assert.equal((await command.exit()).signal, 'SIGTERM');
});

/** Starts the service with streams of the test's choice, and waits until it listens. */
async function startWithStreams(folder: string, stderr: 'pipe' | number) {
  await writeFile(join(folder, 'declaration.yaml'), DECLARATION);
  const cli = join(REPOSITORY, 'src/cli/index.ts');
  const service = spawn(process.execPath, [cli, 'serve'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      PROVISION_FILE: 'declaration.yaml',
      ...COMPILED,
    },
    stdio: ['ignore', 'pipe', stderr],
  });
  const exit = once(service, 'exit');
  let said = '';
  for await (const text of service.stdout?.setEncoding('utf8') ?? []) {
    said += text;
    if (/^Watching/m.test(said)) break;
  }
  const [, port] = /^Listens +\S+:(\d+)$/m.exec(said) ?? [];
  return {
    url: `http://localhost:${port}`,
    async stop() {
      service.kill('SIGTERM');
      return exit;
    },
    closeStreams() {
      service.stdout?.destroy();
      service.stderr?.destroy();
    },
    [Symbol.dispose]: () => void service.kill('SIGKILL'),
  };
}

test('a service whose terminal is gone goes on, and stops when it is asked to', async () => {
  await using folder = await temporaryFolder();
  using service = await startWithStreams(folder.path, 'pipe');

  service.closeStreams();

  assert.deepEqual(await declaredChecks(service.url), [{ name: 'Heartbeat', timeout: 3600 }]);
  assert.deepEqual(await service.stop(), [0, null]);
});

test('a service whose log is on a full disk goes on, and stops when it is asked to', {
  skip: !existsSync('/dev/full'),
}, async () => {
  await using folder = await temporaryFolder();
  await using full = await open('/dev/full', 'w');
  using service = await startWithStreams(folder.path, full.fd);

  assert.deepEqual(await declaredChecks(service.url), [{ name: 'Heartbeat', timeout: 3600 }]);
  assert.deepEqual(await service.stop(), [0, null]);
});

test('a ping that is answered while the service stops is told that its connection ends', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'declaration.yaml'), DECLARATION);
  const env = { PROVISION_FILE: 'declaration.yaml' };
  await using service = startCli(['serve'], { cwd: folder.path, env });
  const url = await listening(service);
  const created = await fetch(`${url}/api/v3/checks/`, {
    method: 'POST',
    headers: { 'X-Api-Key': KEY },
    body: JSON.stringify({ name: 'Backup' }),
  });
  const { ping_url: pingUrl } = (await created.json()) as { ping_url: string };
  using wire = new Wire(Number(new URL(url).port));

  const path = new URL(pingUrl).pathname;
  await wire.send(`POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`);
  await wire.until(/^HTTP\/1\.1 100 Continue\r\n/);
  service.signal('SIGTERM');
  await service.output(/^Stopping/m);
  await wire.send('done');
  const answer = await wire.untilClosed();

  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/m);
  assert.match(answer, /\r\nConnection: close\r\n/);
  assert.equal((await service.exit()).code, 0);
});

test('a request that does not end keeps the service for SHUTDOWN_TIMEOUT, and then it ends with code 1', async () => {
  await using folder = await temporaryFolder();
  const env = { SHUTDOWN_TIMEOUT: '1' };
  await using service = startCli(['serve'], { cwd: folder.path, env });

  const { socket } = await beginRequest(await listening(service), 'a body that never comes');
  service.signal('SIGTERM');
  const exit = await service.exit();
  socket.destroy();

  assert.equal(exit.code, 1);
  assert.match(exit.stderr, /^Stopped after 1 second/m);
});

test('the .env file of the working folder is read, and the environment wins over it', async () => {
  await using folder = await temporaryFolder();
  await writeFile(
    join(folder.path, '.env'),
    'PROVISION_FILE=declaration.yaml\nDATABASE_URL=sqlite:from-the-file.db\nPORT=abc\n',
  );
  await writeFile(join(folder.path, 'declaration.yaml'), DECLARATION);
  await using service = startCli(['serve'], { cwd: folder.path, env: { PORT: '0' } });

  const checks = await declaredChecks(await listening(service));

  assert.deepEqual(checks, [{ name: 'Heartbeat', timeout: 3600 }]);
  await access(join(folder.path, 'from-the-file.db'));
});

test('a start with a wrong PROVISION_FILE fails and tells file, line and reason', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'wrong.yaml'), DECLARATION.replace('3600', 'soon'));

  const refused = await runCli(['serve'], { cwd: folder.path, env: { PROVISION_FILE: 'wrong.yaml' } });

  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^wrong\.yaml:11: .*timeout is not a number$/m);
  assert.doesNotMatch(refused.stdout, /listens/);
});

test('backup copies the database while the service runs, and never over a file', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'declaration.yaml'), DECLARATION);
  await using service = startCli(['serve'], {
    cwd: folder.path,
    env: { PROVISION_FILE: 'declaration.yaml' },
  });
  const url = await listening(service);
  await writeFile(join(folder.path, 'data/tocsin.db.secret.previous'), 'a secret from before\n');

  const copied = await runCli(['backup', 'copy.db'], { cwd: folder.path });
  const again = await runCli(['backup', 'copy.db'], { cwd: folder.path });

  assert.equal(copied.code, 0);
  assert.match(copied.stdout, /^Copied \S+ to copy\.db /);
  assert.match(copied.stdout, /^Keep \S+tocsin\.db\.secret, \S+tocsin\.db\.secret\.previous with it/m);
  assert.equal(again.code, 1);
  assert.equal(again.stderr, 'copy.db exists already\n');
  using copy = new DatabaseSync(join(folder.path, 'copy.db'), { readOnly: true });
  assert.deepEqual({ ...copy.prepare('select name from checks').get() }, { name: 'Heartbeat' });
  assert.equal((await fetch(`${url}/api/v3/status/`)).status, 200);
});

forEachEngine((engine) => {
  test('a project that is exported and applied goes on as it was, and a job that died meanwhile is told of once', async () => {
    await using folder = await temporaryFolder();
    await using here = await createEmptyPlace(engine);
    await using there = await createEmptyPlace(engine);
    const uuid = (n: number) => `5c7e2a10-93b4-4d6f-8a21-00000000000${n}`;
    const at = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString();
    const minutesAgo = at(600);
    const declared = `${DECLARATION}      - { uuid: ${uuid(1)}, slug: up, last_ping: ${at(60)} }
      - { uuid: ${uuid(2)}, slug: dead, timeout: 3600, last_ping: ${minutesAgo} }
      - { uuid: ${uuid(3)}, slug: down, last_ping: ${at(60)}, down: true }
      - { uuid: ${uuid(4)}, slug: paused, paused: true }
`;
    await writeFile(join(folder.path, 'here.yaml'), declared);
    const env = { PROVISION_FILE: 'here.yaml', ...settingsFor(here) };
    await using first = startCli(['serve'], { cwd: folder.path, env });

    const url = await listening(first);
    const args = ['--url', url, '--owner', 'ops@example.org', '--output', 'there.yaml'];
    const moved = await runCli(['export', ...args], { cwd: folder.path, env: { TOCSIN_API_KEY: KEY } });
    assert.equal(moved.code, 0, moved.stderr);
    assert.match(moved.stderr, /^API keys do not move\./m);
    const file = join(folder.path, 'there.yaml');
    const text = await readFile(file, 'utf8');
    const shown = `${minutesAgo.slice(0, 19)}+00:00`;
    assert.ok(text.includes(shown), text);
    // Like after the time of the job.
    const late = text
      .replace(shown, at(9_000))
      .replace('    checks:', `    keys: { read_write: ${KEY} }\n$&`);
    await writeFile(file, late);
    const options = { cwd: folder.path, env: settingsFor(there) };
    const applied = await runCli(['apply', 'there.yaml'], options);
    assert.equal(applied.code, 0, applied.stderr);
    await using second = startCli(['serve'], options);
    const newUrl = await listening(second);
    const ask = async (path: string) =>
      (await fetch(`${newUrl}/api/v3/checks/${path}`, { headers: { 'X-Api-Key': KEY } })).json();
    const flipsOf = async (n: number) =>
      ((await ask(`${uuid(n)}/flips/`)) as { up: number }[]).map(({ up }) => up);

    await becomes(() => flipsOf(2), [0]);
    const { checks } = (await ask('')) as { checks: { slug: string; status: string }[] };
    assert.deepEqual(
      checks.map(({ slug, status }) => `${slug} ${status}`),
      ['heartbeat new', 'up up', 'dead down', 'down down', 'paused paused'],
    );
    assert.deepEqual(await flipsOf(3), []);
  });

  test('the file of PROVISION_FILE is applied at every start', async () => {
    await using folder = await temporaryFolder();
    await using place = await createEmptyPlace(engine);
    const options = { cwd: folder.path, env: { ...settingsFor(place), PROVISION_FILE: 'declaration.yaml' } };
    await writeFile(join(folder.path, 'declaration.yaml'), DECLARATION);

    await using first = startCli(['serve'], options);
    const before = await declaredChecks(await listening(first));
    first.signal('SIGTERM');
    const stopped = await first.exit();
    await writeFile(join(folder.path, 'declaration.yaml'), DECLARATION.replace('3600', '7200'));
    await using second = startCli(['serve'], options);
    const after = await declaredChecks(await listening(second));

    assert.equal(stopped.code, 0, stopped.stderr);
    assert.match(stopped.stdout, /^created check Alpha\/heartbeat$/m);
    assert.doesNotMatch(stopped.stdout, /first start/);
    assert.deepEqual(before, [{ name: 'Heartbeat', timeout: 3600 }]);
    assert.deepEqual(after, [{ name: 'Heartbeat', timeout: 7200 }]);
    assert.doesNotMatch(stopped.stdout + stopped.stderr, new RegExp(KEY));
  });
});

forEachEngine((engine) => {
  test('apply --dry-run ends with 2 where something would change, with 0 where nothing would, and never writes', async () => {
    await using folder = await temporaryFolder();
    await using place = await createMigratedPlace(engine);
    const run = (...args: string[]) =>
      runCli(['apply', ...args], { cwd: folder.path, env: settingsFor(place) });
    const file = join(folder.path, 'declaration.yaml');

    await writeFile(file, DECLARATION);
    const foreseen = await run('declaration.yaml', '--dry-run');
    const again = await run('declaration.yaml', '--dry-run', '--json');
    const applied = await run('declaration.yaml');
    const same = await run('--dry-run', 'declaration.yaml');
    await writeFile(file, DECLARATION.replace('3600', 'soon'));
    const wrong = await run('declaration.yaml', '--dry-run');
    const unknown = await run('declaration.yaml', '--dry-run', '--nonsense');

    assert.equal(foreseen.code, 2, foreseen.stderr);
    assert.deepEqual(foreseen.stdout.split('\n'), [
      '+ account ops@example.org',
      '+ project Alpha',
      '+ check Alpha/heartbeat',
      '',
    ]);
    assert.deepEqual([again.code, JSON.parse(again.stdout).changes.length], [2, 3]);
    assert.match(applied.stdout, /^created account ops@example\.org\ncreated project Alpha\n/);
    assert.deepEqual([same.code, same.stdout], [0, 'Nothing to change.\n']);
    assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
    assert.equal(unknown.code, 64);
    assert.doesNotMatch(foreseen.stdout + again.stdout, /hcw_/);
  });

  test('apply --prune asks before it removes, refuses what declares nothing, and tells the list', async () => {
    await using folder = await temporaryFolder();
    await using place = await createMigratedPlace(engine);
    const run = (...args: string[]) =>
      runCli(['apply', ...args], {
        cwd: folder.path,
        env: { ...settingsFor(place), PROMETHEUS_ENABLED: 'False' },
      });
    const file = join(folder.path, 'declaration.yaml');
    await writeFile(file, `${DECLARATION}      - slug: old\n`);
    await run('declaration.yaml');
    await writeFile(file, DECLARATION);
    await writeFile(join(folder.path, 'empty.yaml'), '# Nothing yet.\n');

    const empty = await run('empty.yaml', '--prune', '--yes');
    const unasked = await run('declaration.yaml', '--prune');
    const none = await run('declaration.yaml', '--prune', '--yes', '--max-deletes', '0');
    const done = await run('declaration.yaml', '--prune', '--yes');

    assert.deepEqual(
      [empty.code, empty.stderr],
      [1, 'empty.yaml:1: nothing is declared here, so nothing is removed\n'],
    );
    assert.equal(unasked.code, 1);
    assert.match(
      unasked.stderr,
      /^- check Alpha\/old {2}made by this source, no longer in it\nNothing was changed\. --yes /,
    );
    assert.match(none.stderr, /^- check Alpha\/old .*\n1 entry would be removed, more than 0\./);
    assert.deepEqual([done.code, done.stdout], [0, 'removed check Alpha/old\n']);
  });
});
