/** What takes `tocsin run` longer than a second or two, and what needs the rights of root. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Answering } from '../../src/companion/recording-server.test-support.ts';
import { withoutTerminals } from '../process.ts';
import { until } from '../waiting.ts';
import { cannotMount, NAMED, whereNamesHang } from './hanging-names.ts';
import { cannotTrace, type Ended, endInput, type Place, Program, place, type Words } from './wrapper.ts';

const never = () => 'never' as const;
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The most memory that the wrapper has had, as its job reads it. */
const PEAK = 'grep VmHWM /proc/$PPID/status >&2';

export function describeSlowRuns(name: string, words: Words): void {
  const given = (answer?: Answering) => place(answer, words);

  /** With a folder `disk` whose file system hangs. */
  async function besideHangingDisk({ folder, environment }: Place, args: readonly string[]): Promise<Ended> {
    await mkdir(join(folder, 'disk'));
    // Nobody answers what the system asks this one. The process that could lives longer than the wrapper.
    const line = `exec 3<>/dev/fuse
      mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 none disk || exit 1
      sleep 1000 & holder=$!
      exec 3<&-
      ${words.join(' ')} run "$@"
      code=$?; kill $holder; exit $code`;
    const child = spawn('unshare', ['-m', 'sh', '-c', line, 'sh', ...args], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return await new Program(child).ended;
  }

  describe(`tocsin run: ${name}`, () => {
    test('ten megabytes of random bytes pass on each stream, byte for byte', async () => {
      await using here = await given();
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
      await using here = await given();
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
      await using here = await given(never);

      const ended = await here.run(['--report-within', '3s', '-c', 'exit 6']);

      assert.deepEqual([ended.code, ended.stderr], [6, '']);
      const kept = (await readdir(join(here.folder, 'spool'))).filter((name) => name.endsWith('.ping'));
      assert.equal(kept.length, 2);
    });

    test('a file that hangs costs the time for reporting', async () => {
      await using here = await given();
      execFileSync('mkfifo', [join(here.folder, 'key')]);

      const ended = await here.run(['--report-within', '3s', '--ping-key', 'file:key', '-c', 'exit 6']);

      assert.equal(ended.code, 6);
      assert.deepEqual(here.pings(), []);
    });

    test('a file system that hangs costs the time for reporting, and a line', {
      skip: cannotMount(),
    }, async () => {
      await using here = await given(never);
      const args = ['--spool', 'disk/spool', '--report-within', '2s', '-c', 'exit 6'];

      const { code, stderr } = await besideHangingDisk(here, args);

      const lost = 'tocsin: pings may be lost: they could be neither delivered nor kept in time\n';
      assert.deepEqual([code, stderr], [6, lost]);
    });

    test('a file that is expected where the disk hangs makes a failure in time, and the job ends as it ended', {
      skip: cannotMount(),
    }, async () => {
      await using here = await given();

      const { code, stderr } = await besideHangingDisk(here, ['--expect-file', 'disk/*', '-c', 'exit 0']);

      assert.deepEqual([code, stderr], [0, 'tocsin: --expect-file: the disk does not answer\n']);
      assert.deepEqual(here.pings(), ['/start', '/fail']);
      assert.match(here.server.received[1]?.body ?? '', /; --expect-file: the disk does not answer$/);
    });

    test('a name look-up that hangs costs the time for reporting', {
      skip: cannotMount(),
    }, async () => {
      await using here = await given();
      const args = ['--ping-url', `${NAMED}/k/job`, '--report-within', '3s', '-c', 'exit 6'];

      const { code, stderr } = await whereNamesHang([...words, 'run', ...args], here);

      assert.deepEqual([code, stderr], [6, '']);
    });

    test('a signal that asks to end leaves three seconds for the report', async () => {
      await using here = await given(never);
      const long = ['--ping-timeout', '1h', '--report-within', '1h'];

      const wrapper = here.start([
        ...long,
        '-c',
        'trap "exit 9" TERM; echo ready; while :; do sleep 0.01; done',
      ]);
      await wrapper.says('ready');
      wrapper.kill('SIGTERM');

      const { code, stderr } = await wrapper.ended;
      assert.deepEqual([code, stderr], [9, '']);
      const kept = (await readdir(join(here.folder, 'spool'))).filter((one) => one.endsWith('.ping'));
      assert.equal(kept.length, 2);
    });

    test('the job runs before the server sees a connection', { skip: cannotTrace() }, async () => {
      await using here = await given();
      // With the streams and the limits of others no shell stands between us and the job.
      const line = `ulimit -Sn $(ulimit -Hn)
        exec strace -f -qq -e trace=execve,connect -o trace ${words.join(' ')} run --output none -- /bin/true`;

      await new Program(spawn('sh', ['-c', line], { cwd: here.folder, env: here.environment, stdio: 'pipe' }))
        .ended;

      const calls = (await readFile(join(here.folder, 'trace'), 'latin1')).split('\n');
      const job = calls.findIndex((call) => call.includes('execve("/bin/true"'));
      const network = calls.findIndex((call) => call.includes(`htons(${here.server.port})`));
      assert.ok(job > 0 && job < network, calls.join('\n'));
      assert.deepEqual(here.pings(), ['/start', '']);
    });

    test('SIGUSR1 goes to the job and opens no inspector', async () => {
      await using here = await given();

      const wrapper = here.start(['-c', 'trap "exit 8" USR1; echo ready; while :; do sleep 0.01; done']);
      await wrapper.says('ready');
      wrapper.kill('SIGUSR1');

      const { code, stderr } = await wrapper.ended;
      assert.deepEqual([code, stderr], [8, '']);
    });

    test('with --output none a terminal stays a terminal', { skip: withoutTerminals }, async () => {
      await using here = await given();
      const command = `exec ${words.join(' ')} run --output none -- test -t 1`;

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
}
