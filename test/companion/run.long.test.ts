import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withoutTerminals } from '../process.ts';
import { until } from '../waiting.ts';
import { buildCompanion } from './built.ts';
import { endInput, PROGRAM, Program, place } from './wrapper.ts';

const oldNode = findOldNode();
const never = () => 'never' as const;
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The most memory that the wrapper has had, as its job reads it. */
const PEAK = 'grep VmHWM /proc/$PPID/status >&2';

describe('tocsin run', () => {
  test('ten megabytes of random bytes pass on each stream, byte for byte', async () => {
    await using here = await place();
    const job = `
      const { createHash, randomBytes } = require('node:crypto');
      for (const stream of [process.stdout, process.stderr]) {
        const bytes = randomBytes(10_000_000);
        require('node:fs').writeFileSync('digest-' + stream.fd, createHash('sha256').update(bytes).digest('hex'));
        stream.write(bytes);
      }`;
    const streams = [[], []] as [Buffer[], Buffer[]];

    const wrapper = here.start(['--', process.execPath, '-e', job]);
    wrapper.process.stdout?.on('data', (chunk: Buffer) => streams[0].push(chunk));
    wrapper.process.stderr?.on('data', (chunk: Buffer) => streams[1].push(chunk));
    await wrapper.ended;

    const wrote = [1, 2].map((fd) => execFileSync('cat', [join(here.folder, `digest-${fd}`)]).toString());
    assert.deepEqual(
      streams.map((chunks) => digest(Buffer.concat(chunks))),
      wrote,
    );
  });

  test('a gigabyte of output takes no more memory than none', {
    skip: process.platform !== 'linux',
  }, async () => {
    await using here = await place();
    const peak = async (job: string) => {
      const wrapper = here.start(['--pass-fd', '3', '-c', `read go <&3; ${job}; ${PEAK}`], {
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      });
      const before = here.pings().length;
      await until('the network is there', () => here.pings().length > before);
      endInput(wrapper, 'go\n');
      return Number(/VmHWM:\s+(\d+) kB/.exec((await wrapper.ended).stderr)?.[1]);
    };

    const [silent, loud] = [await peak('true'), await peak('head -c 1000000000 /dev/zero')];

    assert.ok(loud < silent + 20_000, `${silent} kB without output, ${loud} kB with it`);
  });

  test('a server that never answers costs the time for reporting, and both pings are kept', async () => {
    await using here = await place(never);

    const ended = await here.run(['--report-within', '0.5s', '-c', 'exit 6']);

    assert.deepEqual([ended.code, ended.stderr], [6, '']);
    const kept = (await readdir(join(here.folder, 'spool'))).filter((name) => name.endsWith('.ping'));
    assert.equal(kept.length, 2);
  });

  test('a file that hangs costs the time for reporting', async () => {
    await using here = await place();
    execFileSync('mkfifo', [join(here.folder, 'key')]);

    const ended = await here.run(['--report-within', '0.5s', '--ping-key', 'file:key', '-c', 'exit 6']);

    assert.equal(ended.code, 6);
    assert.deepEqual(here.pings(), []);
  });

  test('a name look-up that hangs costs the time for reporting', { skip: cannotFakeLookUps() }, async () => {
    await using here = await place();
    // It takes questions and never answers.
    const server = createSocket('udp4');
    await new Promise<void>((resolve) => server.bind(53, '127.0.0.77', resolve));
    await writeFile(
      join(here.folder, 'resolv.conf'),
      'nameserver 127.0.0.77\noptions timeout:30 attempts:5\n',
    );
    const line = `mount --bind resolv.conf /etc/resolv.conf && exec ${process.execPath} ${PROGRAM} run "$@"`;
    const url = ['--ping-url', 'http://nobody.example.org/ping/k/job'];

    const wrapper = new Program(
      spawn('unshare', ['-m', 'sh', '-c', line, 'sh', ...url, '--report-within', '0.5s', '-c', 'exit 6'], {
        cwd: here.folder,
        env: here.environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );

    const { code, stderr } = await wrapper.ended;
    server.close();
    assert.deepEqual([code, stderr], [6, '']);
  });

  test('SIGUSR1 goes to the job and opens no inspector', async () => {
    await using here = await place();

    const wrapper = here.start(['-c', 'trap "exit 8" USR1; echo ready; while :; do sleep 0.01; done']);
    await wrapper.says('ready');
    wrapper.kill('SIGUSR1');

    const { code, stderr } = await wrapper.ended;
    assert.deepEqual([code, stderr], [8, '']);
  });

  test('with --output none a terminal stays a terminal', { skip: withoutTerminals }, async () => {
    await using here = await place();
    const command = `exec ${process.execPath} ${PROGRAM} run --output none -- test -t 1`;

    const terminal = new Program(
      spawn('script', ['-qfec', command, '/dev/null'], {
        env: here.environment,
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    );

    assert.equal((await terminal.ended).code, 0);
    assert.equal((await here.run(['--output', 'none', '--', 'test', '-t', '1'])).code, 1);
    assert.deepEqual(here.pings(), ['/start', '', '/start', '/1']);
  });
});

describe('the built package on an older Node', {
  skip: oldNode === null && 'there is no Node 20 to 25 on the PATH',
}, () => {
  test('a job is run, reported and ended as on a newer one, also if a file hangs', async () => {
    await using here = await place();
    const node = [oldNode ?? '', await buildCompanion(join(here.folder, 'package'))];

    const ended = await here.run(['-c', 'echo $DB_PASSWORD; echo err > /dev/stderr; exit 3'], {
      node,
      environment: { DB_PASSWORD: 'correct-horse' },
    });
    const killed = await here.run(['-c', 'kill -TERM $$'], { node });
    execFileSync('mkfifo', [join(here.folder, 'key')]);
    const hung = await here.run(['--report-within', '0.5s', '--ping-key', 'file:key', '-c', 'exit 6'], {
      node,
    });

    assert.deepEqual([ended.code, ended.stdout.toString(), ended.stderr], [3, 'correct-horse\n', 'err\n']);
    assert.deepEqual([killed.signal, hung.code], ['SIGTERM', 6]);
    assert.deepEqual(here.pings(), ['/start', '/3', '/start', '/143']);
    assert.match(here.server.received[1]?.body ?? '', /^\[redacted\]$/m);
  });

  test('what no server answers is kept', async () => {
    await using here = await place(never);
    const node = [oldNode ?? '', await buildCompanion(join(here.folder, 'package'))];

    const ended = await here.run(['--report-within', '0.5s', '-c', 'exit 6'], { node });

    assert.equal(ended.code, 6);
    const kept = (await readdir(join(here.folder, 'spool'))).filter((name) => name.endsWith('.ping'));
    assert.equal(kept.length, 2);
  });
});

function findOldNode(): string | null {
  const candidates = [
    '/usr/bin/node',
    '/usr/local/bin/node',
    ...(process.env.PATH ?? '').split(':').map((path) => join(path, 'node')),
  ];
  return (
    candidates.find((path) => {
      try {
        const version = Number(/^v(\d+)/.exec(execFileSync(path, ['--version']).toString())?.[1]);
        return version >= 20 && version < 26;
      } catch {
        return false;
      }
    }) ?? null
  );
}

function cannotFakeLookUps(): string | false {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'it needs root and a file system of its own';
  }
}
