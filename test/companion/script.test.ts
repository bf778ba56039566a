import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtempDisposable, readdir, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  type Answering,
  type RecordingServer,
  startRecordingServer,
} from '../../src/companion/recording-server.test-support.ts';
import { REPOSITORY, unless } from '../process.ts';
import { until } from '../waiting.ts';
import { PING_KEY, Program } from './wrapper.ts';

const SCRIPT = join(REPOSITORY, 'deploy/tocsin.sh');

/** All that the script calls, but for curl and wget. */
const TOOLS = [
  'cat',
  'date',
  'grep',
  'mkfifo',
  'mktemp',
  'od',
  'rm',
  'sed',
  'sh',
  'sleep',
  'tail',
  'tee',
  'tr',
];

const SHELLS: readonly (readonly [string, readonly string[]])[] = [
  ['dash', ['dash']],
  ['bash', ['bash', '--posix']],
  ['busybox', ['busybox', 'ash']],
];
const CLIENTS = ['curl', 'wget'] as const;

interface Here extends AsyncDisposable {
  readonly server: RecordingServer;
  /** For temporary files. Nothing stays there. */
  readonly folder: string;
  start(args: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Program;
  /** The ends of the paths of the pings, without the run id. */
  pings(): string[];
}

/** A path with these programs and no others. */
async function pathWith(folder: string, programs: readonly string[]): Promise<string> {
  const path = join(folder, 'bin');
  await mkdir(path);
  for (const name of programs) {
    const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    await symlink(found, join(path, name));
  }
  return path;
}

async function place(
  shell: readonly string[],
  client: (typeof CLIENTS)[number],
  answer?: Answering,
): Promise<Here> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startRecordingServer(answer));
  const { path: home } = opened.use(await mkdtempDisposable(join(tmpdir(), 'script-')));
  const [program = ''] = shell;
  const path = await pathWith(home, [...TOOLS, program, client]);
  const folder = join(home, 'temporary');
  await mkdir(folder);
  const own = opened.move();
  return {
    server,
    folder,
    start: (args, env = {}, input = '') => {
      const child = spawn(join(path, program), [...shell.slice(1), SCRIPT, ...args], {
        env: {
          PATH: path,
          TMPDIR: folder,
          TOCSIN_ENDPOINT: `${server.endpoint}/`,
          TOCSIN_PING_KEY: PING_KEY,
          TOCSIN_SLUG: 'job',
          ...env,
        },
        stdio: 'pipe',
      });
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      return new Program(child);
    },
    pings: () =>
      server.received.map(({ path }) => path.replace(`/ping/${PING_KEY}/job`, '').replace(/\?.*/, '')),
    [Symbol.asyncDispose]: () => own.disposeAsync(),
  };
}

const V4 = /\?rid=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

for (const [name, shell] of SHELLS) {
  const noShell = unless([name, ...(name === 'busybox' ? ['true'] : ['-c', ':'])], `there is no ${name}`);
  for (const client of CLIENTS) {
    const skip = noShell || unless([client, '--version'], `there is no ${client}`);
    describe(`tocsin.sh in ${name}, with ${client}`, { skip, concurrency: 3 }, () => {
      const here = (answer?: Answering) => place(shell, client, answer);

      test('tells start and result under one run id, and passes on input, output and exit code', async () => {
        await using place = await here();

        const ended = await place.start(['--', 'sh', '-c', 'cat; echo err >&2; exit 3'], {}, 'in\n').ended;

        assert.deepEqual([ended.code, ended.stdout.toString(), ended.stderr], [3, 'in\n', 'err\n']);
        assert.deepEqual(place.pings(), ['/start', '/3']);
        const [start, result] = place.server.received;
        assert.match(start?.path ?? '', V4);
        assert.equal(result?.path, start?.path.replace('/start', '/3'));
        assert.deepEqual([start?.method, start?.body], ['POST', '']);
        assert.match(result?.body ?? '', /^\[tocsin\] exit status 3 after \d+ s$/m);
        assert.deepEqual(result?.body.split('\n').slice(0, 2).sort(), ['err', 'in']);
        assert.deepEqual(await readdir(place.folder), []);
      });

      test('attaches the last output, and says nothing when all went well', async () => {
        await using place = await here();

        const ended = await place.start(['--tail', '10', '--', 'sh', '-c', 'echo 0123456789; echo end'])
          .ended;

        assert.deepEqual([ended.code, ended.stdout.toString(), ended.stderr], [0, '0123456789\nend\n', '']);
        assert.deepEqual(place.pings(), ['/start', '']);
        assert.equal(place.server.received[1]?.body, '56789\nend\n');
      });

      test('reports a job that is not there, and one that a signal ended', async () => {
        await using place = await here();

        assert.equal((await place.start(['--no-start', '--', 'no-such-program']).ended).code, 127);
        const killed = await place.start(['--no-start', '--', 'sh', '-c', 'kill -9 $$']).ended;

        assert.deepEqual([killed.code, killed.stderr], [137, '']);
        assert.deepEqual(place.pings(), ['/127', '/137']);
        assert.match(place.server.received[0]?.body ?? '', /no-such-program/);
      });

      test('passes signals on to the job, and ends as it does', async () => {
        await using place = await here();
        const program = place.start([
          '--',
          'sh',
          '-c',
          'trap "echo asked; exit 7" TERM; echo ready; while :; do sleep 0.05; done',
        ]);
        await program.says('ready');

        program.kill('SIGTERM');

        assert.equal((await program.ended).code, 7);
        assert.deepEqual(place.pings(), ['/start', '/7']);
        assert.match(place.server.received[1]?.body ?? '', /^ready\nasked\n/);
      });

      test('tries a result again, and the job knows nothing of it', async () => {
        await using place = await here(({ path }, count) => ({
          status: path.includes('/start') || count > 2 ? 200 : 500,
        }));

        const ended = await place.start(['--', 'sh', '-c', ':']).ended;

        assert.deepEqual([ended.code, ended.stderr], [0, '']);
        assert.deepEqual(place.pings(), ['/start', '', '']);
      });

      test('runs the job whatever is wrong with the options or the server', async () => {
        await using place = await here();
        const job = ['--', 'sh', '-c', 'echo done; exit 5'];

        const unknown = await place.start(['--no-such=x', ...job]).ended;
        const nowhere = await place.start(job, { TOCSIN_ENDPOINT: '' }).ended;
        const away = await place.start(['--ping-url', 'http://127.0.0.1:1/ping/x', ...job]).ended;
        const noFolder = await place.start(job, { TMPDIR: '/nowhere' }).ended;

        for (const { code, stdout } of [unknown, nowhere, away, noFolder])
          assert.deepEqual([code, stdout.toString()], [5, 'done\n']);
        assert.equal(unknown.stderr, 'tocsin.sh: there is no option --no-such\n');
        assert.match(nowhere.stderr, /^tocsin\.sh: nothing is told: .*\n$/);
        assert.equal(away.stderr, 'tocsin.sh: the server did not take the result\n');
        assert.deepEqual(place.pings(), ['/start', '/5', '/start', '/5']);
      });

      test('reports a job at once whose child goes on writing', async () => {
        await using place = await here();
        const job = 'sh -c "while ! [ -e $TMPDIR/reported ]; do sleep 0.05; done; echo late" & echo begun';

        const program = place.start(['--', 'sh', '-c', job]);
        await program.says('begun');
        await until('the result is told', () => place.pings().length === 2);
        assert.equal(program.process.exitCode, null);
        await mkdir(join(place.folder, 'reported'));

        const ended = await program.ended;
        assert.deepEqual([ended.code, ended.stdout.toString()], [0, 'begun\nlate\n']);
        assert.match(place.server.received[1]?.body ?? '', /^\[tocsin\] exit status 0/);
      });
    });
  }
}

test('tocsin.sh has at most 200 lines', async () => {
  const text = await readFile(SCRIPT, 'utf8');
  assert.ok(text.split('\n').length <= 200);
});
