/** Commands of the companion that run no job, and what runs leave to them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import {
  AWARE,
  startRawServer,
  startRecordingServer,
} from '../../src/companion/recording-server.test-support.ts';
import { freePort } from '../free-port.ts';
import { until } from '../waiting.ts';
import { Home } from './command.ts';
import { cannotMount, NAMED, whereNamesHang } from './hanging-names.ts';
import type { Words } from './wrapper.ts';

const RID = '0b2c5c0e-6f3b-4b86-9d5e-2f4c4a3f1c11';
const UUID = '7c1c5c0e-6f3b-4b86-9d5e-2f4c4a3f1c22';
const QUIETLY = { code: 0, signal: null, out: '', err: '' };

/** Somewhere nobody listens. */
async function nowhere(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/ping`;
}

export function describeCommands(name: string, words: Words): void {
  suite(`tocsin ping: ${name}`, { concurrency: 3 }, () => {
    test('sends a signal with a body, and says nothing', async () => {
      await using server = await startRecordingServer();
      await using home = await Home.make(server.endpoint, words);
      const file = join(home.folder, 'output');
      await writeFile(file, 'from a file');
      assert.deepEqual(await home.run(['ping', 'backup', '--exit', '3', '--body', `@${file}`]), QUIETLY);
      assert.deepEqual(await home.run(['ping', UUID, '--body', '-'], {}, 'from the input'), QUIETLY);
      assert.deepEqual(await home.run(['ping', '--start', '--rid', RID], { TOCSIN_SLUG: 'backup' }), QUIETLY);
      const inside = { TOCSIN_SLUG: 'backup', TOCSIN_RUN_ID: RID, TOCSIN_UUID: UUID };
      assert.deepEqual(
        await home.run(['ping', '--log', '--body=a remark', '--slug', 'backup'], inside),
        QUIETLY,
      );
      assert.deepEqual(server.paths(), [
        'POST /ping/the-ping-key/backup/3',
        `POST /ping/${UUID}`,
        `POST /ping/the-ping-key/backup/start?rid=${RID}`,
        `POST /ping/the-ping-key/backup/log?rid=${RID}`,
      ]);
      assert.deepEqual(
        server.received.map(({ body }) => body),
        ['from a file', 'from the input', '', 'a remark'],
      );
    });

    test('belongs to the run of the job that calls it, and to the workflow of a step', async () => {
      await using server = await startRecordingServer();
      await using home = await Home.make(server.endpoint, words);
      const ran = await home.run(['run', '--slug', 'backup', '--', ...words, 'ping', '--log']);
      assert.equal(ran.code, 0);
      const rids = server.received.map(({ path }) => new URL(path, server.endpoint).searchParams.get('rid'));
      assert.equal(server.received.length, 3);
      assert.equal(new Set(rids).size, 1);

      const github = { GITHUB_RUN_ID: '123', GITHUB_RUN_ATTEMPT: '1' };
      await home.run(['ping', 'backup', '--start'], github);
      await home.run(['ping', 'backup'], github);
      await home.run(['ping', 'backup'], { ...github, GITHUB_RUN_ATTEMPT: '2' });
      const steps = server.received.slice(3).map(({ path }) => path.split('rid=')[1]);
      assert.match(steps[0] ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(steps[0], steps[1]);
      assert.notEqual(steps[1], steps[2]);
    });

    test('tells how a service of systemd ended, with the run of its start and its journal without secrets', async () => {
      await using server = await startRecordingServer();
      await using home = await Home.make(server.endpoint, words);
      // A journal that shows how it was asked.
      const journal = join(home.folder, 'journalctl');
      await writeFile(journal, '#!/bin/sh\necho "$1 says correct-horse"\n', { mode: 0o755 });
      const unit = {
        PATH: `${home.folder}:${home.env.PATH}`,
        INVOCATION_ID: RID.replaceAll('-', ''),
        DB_PASSWORD: 'correct-horse',
      };
      const ended = (SERVICE_RESULT: string, EXIT_CODE: string, EXIT_STATUS: string) =>
        home.run(['ping', 'backup', '--from-systemd'], { ...unit, SERVICE_RESULT, EXIT_CODE, EXIT_STATUS });
      assert.deepEqual(await ended('exit-code', 'exited', '3'), QUIETLY);
      assert.deepEqual(await ended('timeout', 'killed', 'TERM'), QUIETLY);
      assert.deepEqual(await ended('signal', 'killed', 'KILL'), QUIETLY);
      assert.deepEqual(await ended('success', 'exited', '0'), QUIETLY);
      assert.deepEqual(
        server.paths(),
        ['/3', '/fail', '/137', ''].map((path) => `POST /ping/the-ping-key/backup${path}?rid=${RID}`),
      );
      const line = `_SYSTEMD_INVOCATION_ID=${unit.INVOCATION_ID} says [redacted]\n`;
      assert.deepEqual(
        server.received.map(({ body }) => body),
        [line, `[tocsin] timeout\n${line}`, line, line],
      );
      assert.equal((await home.run(['ping', 'backup', '--from-systemd'])).code, 2);
    });

    test('waits in the spool where the server is away, and is lost without one', async () => {
      await using home = await Home.make(await nowhere(), words);
      assert.deepEqual(await home.run(['ping', 'backup', '--body', 'out', '--within', '0.2']), QUIETLY);
      const [name = ''] = await home.waiting();
      assert.equal((await stat(join(home.spool, name))).mode & 0o777, 0o600);
      assert.equal((await stat(home.spool)).mode & 0o777, 0o700);
      const gone = await home.run(['ping', 'backup', '--no-spool', '--within', '0.1']);
      assert.equal(gone.code, 5);
      assert.match(gone.err, /^tocsin: a ping of backup is lost: [^\n]+\n$/);
      assert.equal((await home.waiting()).length, 1);
    });

    test('tells of a profile whose keys others can read only if asked to say more: cron mails each word', async () => {
      await using server = await startRecordingServer();
      await using home = await Home.make(server.endpoint, words);
      const config = join(home.folder, 'config.json');
      const profile = { endpoint: server.endpoint, ping_key: 'the-ping-key' };
      await writeFile(config, JSON.stringify({ default: 'one', profiles: { one: profile } }), {
        mode: 0o644,
      });
      const env = { TOCSIN_CONFIG: config, TOCSIN_PING_KEY: '' };
      const line = `tocsin: others can read ${config}, which has keys\n`;
      for (const [args, more] of [
        [['ping', 'backup'], ['-v']],
        [
          ['run', '--slug', 'backup'],
          ['-v', '--lock', 'test-of-profiles'],
        ],
      ] as const) {
        const job = args[0] === 'run' ? ['--', 'true'] : [];
        assert.deepEqual(await home.run([...args, ...job], env), QUIETLY);
        const { code, err } = await home.run([...args, ...more, ...job], env);
        assert.deepEqual([code, err.split(line).length], [0, 2], err);
      }
    });

    test('that the server refuses is not kept, and the address is not told', async () => {
      await using server = await startRecordingServer(() => ({ status: 404 }));
      await using home = await Home.make(server.endpoint, words);
      const ran = await home.run(['ping', 'backup']);
      const err = 'tocsin: the server does not accept pings of backup: it answers 404\n';
      assert.deepEqual(ran, { code: 4, signal: null, out: '', err });
      assert.equal(server.received.length, 1);
      assert.deepEqual(await home.run(['ping', 'backup', '--quiet']), {
        code: 4,
        signal: null,
        out: '',
        err: '',
      });
    });

    test('is not sent where the command line is not understood', async () => {
      await using server = await startRecordingServer();
      await using home = await Home.make(server.endpoint, words);
      const wrong = [
        ['ping'],
        ['ping', 'one', 'two'],
        ['ping', 'backup', '--start', '--fail'],
        ['ping', 'backup', '--exit', '256'],
        ['ping', 'backup', '--rid', 'mine'],
        ['ping', 'backup', '--body', '@/no/such/file'],
        ['ping', 'backup', '--ca-file', '/no/such/file'],
        ['ping', 'backup', '--no-such-option'],
      ];
      for (const args of wrong) {
        const { code, err } = await home.run(args);
        assert.equal(code, 2, args.join(' '));
        assert.match(err, /^tocsin: [^\n]+\n$/);
      }
      assert.equal(server.received.length, 0);
    });

    test('is sent before those that wait', async () => {
      await using server = await startRecordingServer();
      await using home = await Home.make(server.endpoint, words);
      await home.keep(server.endpoint, [['older', 'fail']]);
      assert.deepEqual(await home.run(['ping', 'backup']), QUIETLY);
      assert.deepEqual(
        server.paths().map((path) => path.replace(/age=[\d.]+/, 'age=')),
        ['POST /ping/the-ping-key/backup', 'POST /ping/the-ping-key/older/fail?age='],
      );
      assert.deepEqual(await home.waiting(), []);
    });

    test('that a signal interrupts is kept', async () => {
      await using server = await startRecordingServer(() => 'never');
      await using home = await Home.make(server.endpoint, words);
      const started = home.start(['ping', 'backup']);
      await until('the ping has come in', () => server.received.length === 1);
      started.child.kill('SIGTERM');
      assert.deepEqual(await started.ended, { code: null, signal: 'SIGTERM', out: '', err: '' });
      assert.equal((await home.waiting()).length, 1);
    });

    test('is kept in time where name look-ups hang', { skip: cannotMount() }, async () => {
      await using home = await Home.make(NAMED, words);
      const place = { folder: home.folder, environment: home.env };

      const ended = await whereNamesHang([...words, 'ping', 'backup', '--within', '0.5'], place);

      assert.deepEqual([ended.code, ended.stderr], [0, '']);
      assert.equal((await home.waiting()).length, 1);
    });

    test('has help that names its options', async () => {
      await using home = await Home.make('http://127.0.0.1:1', words);
      const { code, out } = await home.run(['ping', '--help']);
      assert.equal(code, 0);
      for (const option of ['--exit N', '--body TEXT', '--within TIME', '--no-spool'])
        assert.ok(out.includes(option), option);
    });
  });

  suite(`tocsin spool: ${name}`, { concurrency: 3 }, () => {
    test('lists what waits without addresses, sends it with ages, in order, and then nothing waits', async () => {
      await using server = await startRecordingServer();
      await using home = await Home.make(server.endpoint, words);
      await home.keep(server.endpoint, [['backup', 'start']]);
      await home.keep(server.endpoint, [['backup', 3]], 'out');

      const listed = await home.run(['spool', 'list']);
      const lines = listed.out
        .trim()
        .split('\n')
        .map((line) => line.split(/\s{2,}/));
      assert.deepEqual(
        lines.map((row) => row.slice(1, 3)),
        [
          ['CHECK', 'SIGNAL'],
          ['backup', 'start'],
          ['backup', 'exit 3'],
        ],
      );
      const json = JSON.parse((await home.run(['spool', 'list', '--json'])).out);
      assert.deepEqual(
        json.pings.map((ping: { signal: string }) => ping.signal),
        ['start', 'exit 3'],
      );
      assert.ok(!listed.out.includes('the-ping-key') && !JSON.stringify(json).includes('the-ping-key'));
      assert.deepEqual(await home.run(['spool', 'path']), { ...QUIETLY, out: `${home.spool}\n` });

      assert.deepEqual(await home.run(['spool', 'flush']), QUIETLY);
      const paths = server.paths();
      assert.match(paths[0] ?? '', /^POST \/ping\/the-ping-key\/backup\/start\?age=\d+(\.\d+)?$/);
      assert.match(paths[1] ?? '', /^POST \/ping\/the-ping-key\/backup\/3\?age=\d+(\.\d+)?$/);
      assert.equal(server.received[1]?.body, 'out');
      assert.deepEqual(await home.waiting(), []);
      assert.deepEqual(await home.run(['spool', 'flush']), QUIETLY);
    });

    test('says that pings still wait where the server is away or does not answer', async () => {
      await using silent = await startRawServer(() => undefined);
      const away = await nowhere();
      await using home = await Home.make(away, words);
      await home.keep(away, [['backup', 'success']]);
      const refused = await home.run(['spool', 'flush']);
      assert.deepEqual(
        [refused.code, refused.err],
        [5, 'tocsin: pings are still waiting: connection refused\n'],
      );
      await home.run(['spool', 'drop', '--all']);
      await home.keep(silent.endpoint, [['backup', 'success']]);
      const late = await home.run(['spool', 'flush', '--within', '0.3']);
      assert.equal(late.code, 5);
      assert.match(late.err, /^tocsin: pings are still waiting: /);
      assert.equal((await home.waiting()).length, 1);
    });

    test('says in time that pings still wait where name look-ups hang', { skip: cannotMount() }, async () => {
      await using home = await Home.make(NAMED, words);
      await home.keep(NAMED, [['backup', 'success']]);
      const place = { folder: home.folder, environment: home.env };

      const ended = await whereNamesHang([...words, 'spool', 'flush', '--within', '0.5'], place);

      assert.equal(ended.code, 5);
      assert.match(ended.stderr, /^tocsin: pings are still waiting: /);
      assert.equal((await home.waiting()).length, 1);
    });

    test('drops what is named, and nothing else', async () => {
      await using home = await Home.make(await nowhere(), words);
      const pings = ['one', 'two', 'three'].map((check) => [check, 'success'] as const);
      await home.keep('http://127.0.0.1:1', pings);
      assert.equal((await home.run(['spool', 'drop'])).code, 2);
      assert.equal((await home.run(['spool', 'drop', 'four'])).code, 3);
      assert.equal((await home.waiting()).length, 3);
      assert.deepEqual(await home.run(['spool', 'drop', 'two']), { ...QUIETLY, out: 'Dropped: 1\n' });
      assert.deepEqual(await home.run(['spool', 'drop', '--all']), { ...QUIETLY, out: 'Dropped: 2\n' });
      assert.deepEqual(await home.waiting(), []);
    });

    test('refuses what it does not understand', async () => {
      await using home = await Home.make('http://127.0.0.1:1', words);
      for (const args of [
        ['spool'],
        ['spool', 'eat'],
        ['spool', 'list', 'backup'],
        ['spool', 'flush', '--within', 'soon'],
      ]) {
        assert.equal((await home.run(args)).code, 2, args.join(' '));
      }
      const nowhereAtAll = await home.run(['spool', 'list'], {
        TOCSIN_SPOOL: '',
        HOME: '',
        XDG_STATE_HOME: '',
      });
      assert.equal(nowhereAtAll.code, process.getuid?.() === 0 ? 0 : 2);
    });

    test('delivers each ping once although two processes flush at once', async () => {
      await using server = await startRecordingServer();
      await using home = await Home.make(server.endpoint, words);
      const pings = [0, 1, 2, 3, 4, 5].map((nth) => [`check-${nth}`, 'success'] as const);
      await home.keep(server.endpoint, pings);
      const ran = await Promise.all([1, 2, 3].map(() => home.run(['spool', 'flush'])));
      assert.deepEqual(ran, [QUIETLY, QUIETLY, QUIETLY]);
      const checks = server.paths().map((path) => path.replace(/.*(check-\d).*/, '$1'));
      assert.deepEqual(
        checks,
        pings.map(([check]) => check),
      );
    });

    test('sends a ping again after dying between its answer and its removal', async () => {
      let flushing: ReturnType<Home['start']> | null = null;
      await using server = await startRecordingServer(async () => {
        if (flushing !== null) {
          process.kill(-(flushing.child.pid ?? assert.fail()), 'SIGKILL');
          await once(flushing.child, 'exit');
          flushing = null;
        }
        return { headers: AWARE };
      });
      await using home = await Home.make(server.endpoint, words);
      await home.keep(server.endpoint, [['backup', 'success']]);
      flushing = home.start(['spool', 'flush']);
      assert.equal((await flushing.ended).signal, 'SIGKILL');
      assert.equal((await home.waiting()).length, 1);
      assert.deepEqual(await home.run(['spool', 'flush']), QUIETLY);
      assert.equal(server.received.length, 2);
      assert.deepEqual(await home.waiting(), []);
    });

    test('is not used where others may write, which is told with -v', async () => {
      await using home = await Home.make(await nowhere(), words);
      const spool = join(home.folder, 'open');
      await mkdir(spool);
      await chmod(spool, 0o777);
      const ran = await home.run(['ping', 'backup', '-v', '--within', '0', '--spool', spool]);
      assert.equal(ran.code, 5);
      assert.ok(
        ran.err.includes(`tocsin: the spool ${spool} is not used: others may write to it\n`),
        ran.err,
      );
    });
  });

  suite(`tocsin run and the spool: ${name}`, { concurrency: 2 }, () => {
    test('keeps start and result of a job while the server is away', async () => {
      await using home = await Home.make(await nowhere(), words);
      const ran = await home.run([
        'run',
        '--slug',
        'backup',
        '--report-within',
        '0.2',
        '--',
        'sh',
        '-c',
        'exit 3',
      ]);
      assert.deepEqual([ran.code, ran.err], [3, '']);
      const { pings } = JSON.parse((await home.run(['spool', 'list', '--json'])).out);
      assert.deepEqual(
        pings.map((ping: { signal: string }) => ping.signal),
        ['start', 'exit 3'],
      );
    });

    test('sends the start of a job before what waits, and what waits while the job runs', async () => {
      await using server = await startRecordingServer();
      await using home = await Home.make(server.endpoint, words);
      await home.keep(
        server.endpoint,
        Array.from({ length: 3 }, () => ['older', 'success'] as const),
      );
      const waits = 'while test -n "$(ls $TOCSIN_SPOOL/*.ping 2>/dev/null)"; do sleep 0.05; done';
      assert.equal((await home.run(['run', '--slug', 'backup', '-c', waits])).code, 0);
      const checks = server.paths().map((path) => path.replace(/.*the-ping-key\/([\w/]+).*/, '$1'));
      assert.deepEqual(checks, ['backup/start', 'older', 'older', 'older', 'backup']);
    });
  });
}
