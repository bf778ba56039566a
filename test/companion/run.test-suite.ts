/** How a job runs below `tocsin run`. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Answering, AWARE } from '../../src/companion/recording-server.test-support.ts';
import { unless, withoutTerminals } from '../process.ts';
import { until } from '../waiting.ts';
import { endInput, freshName, Program, place, type Words } from './wrapper.ts';

const V4 = /rid=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** What a server answers that never does. */
const never = () => 'never' as const;

/** What is wrong with our own arguments alone. */
const FAULTY: readonly (readonly string[])[] = [
  ['--no-such-option'],
  ['--uuid', 'x'],
  ['--ping-key', 'file:/none'],
  // A slug needs a key.
  ['--ping-key', ''],
];

export function describeRuns(name: string, words: Words): void {
  const given = (answer?: Answering) => place(answer, words);

  describe(`tocsin run: ${name}`, { concurrency: 3 }, () => {
    test('a job is told of twice under one run id, and nothing is printed', async () => {
      await using here = await given();

      const ended = await here.run(['--', 'true']);

      assert.deepEqual([ended.code, ended.stdout.toString(), ended.stderr], [0, '', '']);
      const [start, result] = here.server.received;
      assert.deepEqual(here.pings(), ['/start', '']);
      assert.match(start?.path ?? '', V4);
      // A machine that is busy adds an age.
      assert.equal(start?.path.replace('/start', ''), result?.path.replace(/&age=.*/, ''));
      assert.deepEqual([result?.method, result?.headers['content-length']], ['POST', '0']);
      assert.match(result?.headers['user-agent'] ?? '', /^tocsin\/\d+\.\d+\.\d+\S* \(\w+-\w+\)$/);
      assert.equal(start?.connection, result?.connection);
    });

    test('streams go to their own places, and the exit code is that of the job', async () => {
      await using here = await given();

      const ended = await here.run(['-c', 'echo out; echo err > /dev/stderr; exit 3']);

      assert.deepEqual([ended.code, ended.stdout.toString(), ended.stderr], [3, 'out\n', 'err\n']);
      assert.deepEqual(here.pings(), ['/start', '/3']);
      assert.deepEqual(here.server.received[1]?.body.split('\n').sort(), ['', 'err', 'out']);
    });

    test('a program that is not there, or that cannot be executed, is reported with its name', async () => {
      await using here = await given();
      const file = join(here.folder, 'plain-file');
      await writeFile(file, '');
      await chmod(file, 0o600);

      const missing = await here.run(['--no-start', '--', 'no-such-program']);
      const plain = await here.run(['--no-start', '--', file]);

      assert.deepEqual([missing.code, plain.code], [127, 126]);
      assert.match(missing.stderr, /^tocsin: .*no-such-program.*not found\n$/);
      assert.deepEqual(here.pings(), ['/127', '/126']);
      assert.match(here.server.received[0]?.body ?? '', /no-such-program/);
      assert.match(here.server.received[1]?.body ?? '', /plain-file/);
    });

    test('whatever is wrong with our arguments, the job runs, with one line', async () => {
      await using here = await given();
      for (const faulty of [...FAULTY, ['--timeout', 'soon']]) {
        const ended = await here.run([...faulty, '--', 'sh', '-c', 'exit 5']);

        assert.equal(ended.code, 5);
        assert.match(ended.stderr, /^tocsin: [^\n]+\n$/);
      }
    });

    test('with --strict, and where the job is in doubt, wrong arguments are refused', async () => {
      await using here = await given();
      const wrong = [
        ...FAULTY.map((faulty) => ['--strict', ...faulty, '--', 'touch', 'ran']),
        ['--no-such-option', 'touch', 'ran'],
        [],
      ];

      for (const args of wrong) assert.equal((await here.run(args)).code, 2, args.join(' '));
      assert.deepEqual(await readdir(here.folder), []);
      assert.deepEqual(here.pings(), []);
    });

    test('bytes pass while the job is still running', async () => {
      await using here = await given();

      const wrapper = here.start(['-c', 'echo first; read line; echo "$line"'], {
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      await wrapper.says('first');
      wrapper.process.stdin?.end('second\n');

      assert.equal((await wrapper.ended).stdout.toString(), 'first\nsecond\n');
    });

    test('a job whose reader goes away gets SIGPIPE, and so do we', async () => {
      await using here = await given();

      const wrapper = here.start(['--', 'yes']);
      await wrapper.says('y');
      wrapper.process.stdout?.destroy();

      const { signal } = await wrapper.ended;
      assert.equal(signal, 'SIGPIPE');
      assert.equal(here.pings()[1], '/141');
    });

    test('signals reach the job, each once', async () => {
      await using here = await given();
      const job = `
      for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGINT']) process.on(signal, () => {
        console.log(signal);
        if (signal === 'SIGINT') process.exit(0);
      });
      console.log('ready');
      setInterval(() => undefined, 1000);`;

      const wrapper = here.start(['--', process.execPath, '-e', job]);
      await wrapper.says('ready');
      for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGINT'] as const) {
        wrapper.kill(signal);
        await wrapper.says(signal);
      }

      const { code, stdout } = await wrapper.ended;
      assert.equal(code, 0);
      assert.equal(stdout.toString(), 'ready\nSIGTERM\nSIGHUP\nSIGUSR1\nSIGUSR2\nSIGALRM\nSIGINT\n');
    });

    test('we end by the signal that ended the job, but leave no core file', async () => {
      await using here = await given();
      const endings = ['TERM', 'KILL', 'SEGV'].map((name) =>
        here.run(['--no-start', '-c', `kill -${name} $$`]),
      );

      const ended = await Promise.all(endings);

      assert.deepEqual(
        ended.map(({ code, signal }) => code ?? signal),
        ['SIGTERM', 'SIGKILL', 139],
      );
      assert.deepEqual(here.pings().sort(), ['/137', '/139', '/143']);
      assert.match(here.server.received[0]?.body ?? '', /^\[tocsin\] ended by SIG\w+ after \d+\.\d s$/);
    });

    test('a terminal sends Ctrl-C to the job itself', { skip: withoutTerminals }, async () => {
      await using here = await given();
      const job = `
      process.on('SIGINT', () => console.log('interrupted'));
      process.on('SIGUSR1', () => process.exit(7));
      console.log('wrapped by', process.ppid, 'ready');
      setInterval(() => undefined, 1000);`;
      const command = ['exec', ...words, 'run', '--output=none', '--', process.execPath, '-e', '"$JOB"'].join(
        ' ',
      );
      const terminal = new Program(
        spawn('script', ['-qfec', command, '/dev/null'], {
          env: { ...here.environment, JOB: job },
          stdio: ['pipe', 'pipe', 'pipe'],
        }),
      );
      await terminal.says('ready');
      const wrapper = Number(/wrapped by (\d+)/.exec(terminal.stdout)?.[1]);

      terminal.process.stdin?.write('\x03');
      await terminal.says('interrupted');
      // Signals are passed on in order: an interruption that was passed on would come before this.
      process.kill(wrapper, 'SIGUSR1');

      assert.equal((await terminal.ended).code, 7);
      assert.equal(terminal.stdout.match(/interrupted/g)?.length, 1);
    });

    test('without an answer a second signal ends us at once', async () => {
      await using here = await given(never);
      const long = ['--ping-timeout', '1h', '--report-within', '1h'];

      const wrapper = here.start([
        ...long,
        '-c',
        'echo ready; trap "echo ended; exit 9" TERM; while :; do sleep 0.01; done',
      ]);
      await wrapper.says('ready');
      wrapper.kill('SIGTERM');
      await wrapper.says('ended');
      wrapper.kill('SIGTERM');

      assert.equal((await wrapper.ended).code, 9);
    });

    test('--timeout ends a job that does not want to end, and its children', async () => {
      await using here = await given();
      const stubborn =
        'trap "" TERM; sh -c "trap \\"\\" TERM; while :; do sleep 0.01; done" & echo "child $! job $$"; while :; do sleep 0.01; done';

      const wrapper = here.start(['--timeout', '0.5s', '--kill-after', '0.2s', '-c', stubborn]);
      const { code, stdout } = await wrapper.ended;

      assert.equal(code, 124);
      const [, child, job] = /child (\d+) job (\d+)/.exec(stdout.toString()) ?? [];
      for (const id of [child, job]) await until(`${id} is gone`, () => isGone(Number(id)));
      assert.deepEqual(here.pings(), ['/start', '/124']);
      assert.match(here.server.received[1]?.body ?? '', /\[tocsin\] stopped after \d+\.\d s, by --timeout$/);
    });

    test('--lock lets one run in, also after its wrapper was killed, until the job has ended', async () => {
      await using here = await given();
      const lock = `--lock=${freshName()}`;

      const first = here.start([lock, '--pass-fd', '3', '-c', 'echo ready $$; exec cat <&3'], {
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      });
      await first.says('ready');
      await until('the start has come', () => here.pings().length === 1);
      const second = await here.run([lock, '--', 'true']);
      first.kill('SIGKILL');
      await until(
        'the wrapper is gone',
        () => first.process.signalCode !== null || isGone(first.process.pid ?? 0),
      );
      const third = await here.run([lock, '--', 'true']);
      endInput(first, '');
      const job = Number(/ready (\d+)/.exec(first.stdout)?.[1]);
      await until('the job is gone', () => isGone(job));
      const fourth = await here.run([lock, '--no-start', '--', 'true']);

      assert.deepEqual([second.code, third.code, fourth.code], [75, 75, 0]);
      assert.deepEqual(here.pings(), ['/start', '/log', '/log', '']);
      assert.match(
        here.server.received[1]?.body ?? '',
        /^\[tocsin\] not started: another run goes on since \d{4}-\d\d-\d\dT[\d:.]+Z, as process \d+$/,
      );
    });

    test('--retries tells each attempt, and the result once', async () => {
      await using here = await given();
      const job = 'n=$(cat tries 2>/dev/null || echo 0); echo $((n+1)) > tries; echo "try $n"; [ $n -ge 2 ]';

      const ended = await here.run(['--retries', '2', '--retry-delay', '0', '-c', job]);

      assert.equal(ended.code, 0);
      assert.deepEqual(here.pings(), ['/start', '/log', '/log', '']);
      assert.match(here.server.received[1]?.body ?? '', /^try 0\n\[tocsin\] exit status 1 after \d+\.\d s$/);
      assert.equal(here.server.received[3]?.body, 'try 2\n');
      assert.equal(new Set(here.server.received.map(({ path }) => /rid=.*/.exec(path)?.[0])).size, 1);
    });

    test('the result is reported when the job has ended, and copying goes on until its output closes', async () => {
      await using here = await given();

      const wrapper = here.start(
        ['-c', '(read line; echo "$line") <&3 & echo started; exit 0', '--pass-fd', '3'],
        {
          stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        },
      );
      await until('the result has come', () => here.pings().length === 2);
      assert.equal(wrapper.process.exitCode, null);
      endInput(wrapper, 'later\n');

      assert.equal((await wrapper.ended).stdout.toString(), 'started\nlater\n');
      assert.equal(here.server.received[1]?.body, 'started\n');
    });

    test('--linger 0 does not wait for processes in the background', async () => {
      await using here = await given();

      const ended = here.start(['--linger', '0', '-c', 'sleep 1000 & echo "child $!"']);
      await until('it has ended', () => ended.process.exitCode !== null);

      assert.equal(ended.process.exitCode, 0);
      process.kill(Number(/child (\d+)/.exec(ended.stdout)?.[1]), 'SIGKILL');
    });

    test('the result does not overtake the start', async () => {
      const order: string[] = [];
      await using here = await given(async ({ path }) => {
        order.push(path.includes('/start') ? 'start comes' : 'result comes');
        if (path.includes('/start')) {
          await until('the job has ended', () => wrapper.stdout.includes('done'));
          order.push('start answered');
        }
        return { headers: AWARE };
      });

      const wrapper = here.start(['-c', 'echo done']);
      await wrapper.ended;

      assert.deepEqual(order, ['start comes', 'start answered', 'result comes']);
    });

    test('the job has our environment, the run id and the slug, our descriptors and limits, and real pipes', async () => {
      await using here = await given();
      const environment = { ODD: 'a\nb', TOCSIN_SLUG: '' };
      const job = `
      const { readlinkSync, readFileSync } = require('node:fs');
      const fds = [1, 2].map((fd) => readlinkSync('/proc/self/fd/' + fd).replace(/\\d+/, 'N'));
      console.log(JSON.stringify({ env: process.env, fds }));`;

      const ended = await here.run(['--slug', 'job', '--', process.execPath, '-e', job], { environment });

      const { env, fds } = JSON.parse(ended.stdout.toString());
      const { TOCSIN_RUN_ID: rid, ...rest } = env;
      assert.deepEqual(rest, { ...here.environment, ...environment, TOCSIN_SLUG: 'job' });
      assert.ok(here.server.received[0]?.path.endsWith(`rid=${rid}`));
      if (process.platform === 'linux') assert.deepEqual(fds, ['pipe:[N]', 'pipe:[N]']);
    });

    test('the job finds the limit of open files that the calling shell has', async () => {
      await using here = await given();
      const line = `ulimit -Sn 100; ${words.join(' ')} run -- sh -c 'ulimit -Sn; env | grep -c PWD'; true`;

      const shell = new Program(
        spawn('sh', ['-c', line], { env: here.environment, stdio: ['ignore', 'pipe', 'pipe'] }),
      );

      const { stdout } = await shell.ended;
      // A shell that is given no PWD makes one for itself.
      assert.equal(stdout.toString(), '100\n1\n');
    });

    test('the limit is the same beside a variable that shells do not hand on, and so is the variable', {
      skip: unless(['/usr/bin/prlimit', '--version'], 'there is no prlimit of util-linux'),
    }, async () => {
      await using here = await given();
      // `sh` may drop the variable, so the job is no shell.
      const line = `ulimit -Sn 100; ${words.join(' ')} run -- grep -Ezc '^BASH_FUNC_f%%=' /proc/self/environ
        ${words.join(' ')} run -- grep 'Max open files' /proc/self/limits
        ${words.join(' ')} run -- no-such-program; echo $?`;
      const environment = { ...here.environment, 'BASH_FUNC_f%%': '() { :; }' };

      const shell = new Program(
        spawn('bash', ['-c', line], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] }),
      );

      const { stdout, stderr } = await shell.ended;
      assert.match(stdout.toString(), /^1\nMax open files +100 .*\n127\n$/);
      assert.match(stderr, /no-such-program/);
      assert.deepEqual(here.pings().slice(-1), ['/127']);
    });

    test('a secret is attached redacted, and passes to standard output as it is', async () => {
      await using here = await given();

      const ended = await here.run(['-c', 'echo $DB_PASSWORD $TOCSIN_PING_KEY'], {
        environment: { DB_PASSWORD: 'correct-horse' },
      });

      assert.equal(ended.stdout.toString(), 'correct-horse ping-key-of-tests\n');
      assert.equal(here.server.received[1]?.body, '[redacted] [redacted]\n');
    });

    test('with an empty environment and no standard input the job runs and is reported', async () => {
      await using here = await given();
      // The usual place of root's spool is that of this machine.
      const options = `--spool ${here.folder}/spool --ping-url ${here.server.endpoint}/${'k'}/job`;
      const line = `exec <&-; exec env -i ${words.join(' ')} run ${options} -- /bin/echo hello`;

      const { code, stdout } = await new Program(
        spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'] }),
      ).ended;

      assert.deepEqual([code, stdout.toString()], [0, 'hello\n']);
      assert.equal(here.server.received[1]?.body, 'hello\n');
    });

    test('a server that does not know the check is told of in one line, without its address', async () => {
      await using here = await given(() => ({ status: 404 }));

      const ended = await here.run(['-c', 'exit 4']);

      assert.equal(ended.code, 4);
      assert.equal(ended.stderr, 'tocsin: the server does not accept pings of job: it answers 404\n');
      assert.deepEqual(here.pings(), ['/start', '/4']);
    });
  });
}

/** A process that has ended is gone, also if nobody has asked for its end. */
function isGone(id: number): boolean {
  try {
    process.kill(id, 0);
    return false;
  } catch {
    return true;
  }
}
