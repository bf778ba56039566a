import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { MAX_SHELL_COMMANDS, ShellThread } from './shell-thread.ts';

suite('a command', { skip: process.platform === 'win32' }, () => {
  test('ends with the code that it chooses', async () => {
    await using shell = new ShellThread();

    const codes = await Promise.all(
      ['exit 0', 'exit 1', 'nowhere-to-be-found'].map((command) => shell.run({ command, variables: {} })),
    );

    assert.deepEqual(codes, [{ exitCode: 0 }, { exitCode: 1 }, { exitCode: 127 }]);
  });

  test('has its variables, and nothing of the environment of the service', async () => {
    process.env.SECRET_OF_THE_SERVICE = 'hidden';
    await using folder = await temporaryFolder();
    await using shell = new ShellThread();

    const result = await shell.run({
      command: `env | sort > '${folder.path}/env'`,
      variables: { NAME: 'a $(reboot) "b" \'c\'\n; d' },
    });

    const seen = await readFile(join(folder.path, 'env'), 'utf8');
    assert.deepEqual(result, { exitCode: 0 });
    assert.match(seen, /^NAME=a \$\(reboot\) "b" 'c'\n/m);
    const names = seen
      .match(/^[A-Z_]+(?==)/gm)
      ?.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
    assert.deepEqual(names, ['HOME', 'LANG', 'NAME', 'PATH']);
    delete process.env.SECRET_OF_THE_SERVICE;
  });

  // Only root can start a process as somebody else.
  test('of another user has neither the rights nor the groups of the service, nor its environment by way of /proc', {
    skip: process.getuid?.() !== 0,
  }, async () => {
    await using folder = await temporaryFolder();
    await chmod(folder.path, 0o777);
    await writeFile(join(folder.path, 'secret'), 'hidden', { mode: 0o600 });
    await using shell = new ShellThread({ user: { uid: 65_534, gid: 65_534, home: '/nonexistent' } });
    const reads = (path: string) => `{ cat '${path}' > /dev/null 2>&1 && echo read || echo refused; }`;

    const result = await shell.run({
      command: `{ id -u; id -G; echo $HOME; pwd; ${reads(join(folder.path, 'secret'))}; ${reads(`/proc/${process.pid}/environ`)}; } > '${folder.path}/seen'`,
      variables: {},
    });

    assert.deepEqual(result, { exitCode: 0 });
    const seen = (await readFile(join(folder.path, 'seen'), 'utf8')).trim().split('\n');
    assert.deepEqual(seen, ['65534', '65534', '/nonexistent', '/', 'refused', 'refused']);
  });

  test('that hangs is ended, with what it has started', async () => {
    await using folder = await temporaryFolder();
    await using shell = new ShellThread({ timeoutMs: 1_000 });
    const pidFile = join(folder.path, 'pid');

    const result = await shell.run({
      command: `sh -c 'echo $$ > "${pidFile}"; exec sleep 600'; true`,
      variables: {},
    });

    assert.deepEqual(result, { error: 'Command timed out' });
    const pid = Number(await readFile(pidFile, 'utf8'));
    await ended(pid);
  });

  test('waits while many others run', async () => {
    await using folder = await temporaryFolder();
    await using shell = new ShellThread();
    const log = join(folder.path, 'log');
    // Each writes how many are running at that moment.
    const command = `mkdir -p '${folder.path}/now'; mkdir "${folder.path}/now/$N"; ls '${folder.path}/now' | wc -l >> '${log}'; rmdir "${folder.path}/now/$N"`;

    const results = await Promise.all(
      Array.from({ length: 3 * MAX_SHELL_COMMANDS }, (_, n) =>
        shell.run({ command, variables: { N: String(n) } }),
      ),
    );

    assert.ok(results.every((result) => 'exitCode' in result && result.exitCode === 0));
    const counts = (await readFile(log, 'utf8')).trim().split('\n').map(Number);
    assert.equal(counts.length, 3 * MAX_SHELL_COMMANDS);
    assert.ok(Math.max(...counts) <= MAX_SHELL_COMMANDS);
  });

  test('that a signal ends says so', async () => {
    await using shell = new ShellThread();

    assert.deepEqual(await shell.run({ command: 'kill -TERM $$', variables: {} }), {
      error: 'Command was ended by SIGTERM',
    });
  });

  test('is ended when the service stops', async () => {
    await using folder = await temporaryFolder();
    const shell = new ShellThread();
    const fifo = join(folder.path, 'fifo');
    await shell.run({ command: `mkfifo '${fifo}'`, variables: {} });
    const running = shell.run({ command: `echo $$ > '${fifo}'; exec sleep 600`, variables: {} });
    const pid = Number(await readFile(fifo, 'utf8'));

    await shell[Symbol.asyncDispose]();

    assert.deepEqual(await running, { error: 'Command was ended' });
    assert.deepEqual(await shell.run({ command: 'true', variables: {} }), { error: 'Command was ended' });
    await ended(pid);
  });
});

/** Resolves when there is no such process. An ended one may need a moment to be cleared away. */
async function ended(pid: number): Promise<void> {
  while (await isRunning(pid)) await new Promise((resolve) => setImmediate(resolve));
}

async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    // Nobody may wait for it, then it stays in the table of processes.
    return !/^State:\s+Z/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''));
  } catch {
    return false;
  }
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'shell-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
