/** What `tocsin run` sends, and where, as seen by the server. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Answering, AWARE } from '../../src/companion/recording-server.test-support.ts';
import { lockFolder } from '../../src/companion/run/lock.ts';
import { decodeEntry } from '../../src/companion/spool/entry.ts';
import { endInput, freshName, PING_KEY, type Place, place, type Words } from './wrapper.ts';

const UUID = '7c1c5c0e-6f3b-4b86-9d5e-2f4c4a3f1c22';
const never = () => 'never' as const;

export function describePings(name: string, words: Words): void {
  const given = (answer?: Answering) => place(answer, words);

  /** The only ping of a run that sends no start. */
  async function resultOf(here: Place, args: readonly string[], environment: Record<string, string> = {}) {
    const before = here.server.received.length;
    const ended = await here.run(['--no-start', ...args], { environment });
    const [result, ...others] = here.server.received.slice(before);
    assert.deepEqual(others, []);
    return { ...ended, result };
  }

  describe(`which pings are sent: ${name}`, { concurrency: 2 }, () => {
    test('codes of success are the user’s, and so is the kind of ping', async () => {
      await using here = await given();

      const success = await here.run(['--success-codes', '0,24', '-c', 'exit 24']);
      const fail = await here.run(['--no-start', '--on-failure', 'fail', '--', 'false']);
      const none = await here.run(['--on-failure', 'none', '--', 'false']);
      const log = await here.run(['--no-start', '--on-success', 'log', '--', 'true']);

      assert.deepEqual([success.code, fail.code, none.code, log.code], [24, 1, 1, 0]);
      assert.deepEqual(here.pings(), ['/start', '', '/fail', '/start', '/log']);
    });

    test('a server that fails twice gets the result at the third try', async () => {
      await using here = await given((_, count) => (count <= 2 ? { status: 500 } : { headers: AWARE }));

      const ended = await here.run(['--no-start', '-c', 'exit 3']);

      assert.deepEqual([ended.code, ended.stderr], [3, '']);
      assert.deepEqual(here.pings(), ['/3', '/3', '/3']);
      assert.deepEqual(await waiting(here), []);
    });

    test('a server that asks for a second gets it, and one that asks for ten minutes gets the result later', async () => {
      await using soon = await given((_, count) =>
        count === 1 ? { status: 429, headers: { 'Retry-After': '1' } } : { headers: AWARE },
      );
      await using late = await given(() => ({ status: 429, headers: { 'Retry-After': '600' } }));

      const ended = await Promise.all([soon, late].map((here) => here.run(['--no-start', '-c', 'exit 3'])));

      for (const { code, stderr } of ended) assert.deepEqual([code, stderr], [3, '']);
      assert.deepEqual([soon.pings(), late.pings()], [['/3', '/3'], ['/3']]);
      assert.deepEqual([(await waiting(soon)).length, (await waiting(late)).length], [0, 1]);
    });

    test('what the server refuses is told in one line without the UUID, and neither tried again nor kept', async () => {
      await using here = await given(() => ({ status: 404 }));

      const ended = await here.run(['--no-start', '--uuid', UUID, '-c', 'exit 3']);

      assert.equal(ended.code, 3);
      assert.match(ended.stderr, /^tocsin: [^\n]+ 404\n$/);
      assert.ok(!ended.stderr.includes(UUID));
      assert.deepEqual(here.server.paths().length, 1);
      assert.deepEqual(await waiting(here), []);
    });

    test('--retry-codes leaves other failures as they are', async () => {
      await using here = await given();

      const ended = await here.run(['--retries', '2', '--retry-codes', '75', '--', 'false']);

      assert.equal(ended.code, 1);
      assert.deepEqual(here.pings(), ['/start', '/1']);
    });

    test('-c runs the shell that SHELL names', async () => {
      await using here = await given();
      const shell = join(here.folder, 'shell');
      await writeFile(shell, '#!/bin/sh\necho own\nexec /bin/sh "$@"\n', { mode: 0o755 });

      const own = await here.run(['--no-start', '-c', 'echo ab | tr a-b x-y; exit 4'], {
        environment: { SHELL: shell },
      });
      const usual = await here.run(['--no-start', '-c', 'echo ab | tr a-b x-y; exit 4']);

      assert.deepEqual([own.code, usual.code, here.pings()], [4, 4, ['/4', '/4']]);
      assert.deepEqual([String(own.stdout), String(usual.stdout)], ['own\nxy\n', 'xy\n']);
    });
  });

  describe(`which check is meant: ${name}`, () => {
    test('by the variables of runitor, with the addresses that it has', async () => {
      await using here = await given();
      const { endpoint } = here.server;
      const none = { TOCSIN_ENDPOINT: '', TOCSIN_PING_KEY: '', TOCSIN_SLUG: '' };
      const byUuid = { ...none, CHECK_UUID: UUID };
      const bySlug = { ...none, CHECK_SLUG: 'other', HC_API_URL: endpoint };
      const cases: [Record<string, string>, string][] = [
        [{ ...byUuid, HC_API_URL: endpoint }, UUID],
        [{ ...byUuid, HC_API_URL: `${endpoint}/` }, UUID],
        [{ ...bySlug, PING_KEY: 'key-of-runitor' }, 'key-of-runitor/other'],
        [{ ...bySlug, HC_PING_KEY: 'key-of-runitor' }, 'key-of-runitor/other'],
      ];

      for (const [environment, check] of cases) {
        const { code, result } = await resultOf(here, ['--no-rid', '--', 'true'], environment);
        assert.deepEqual([code, result?.path], [0, `/ping/${check}`]);
      }
    });

    test('by a flag before a variable, by that before the profile, and by files that hold them', async () => {
      await using here = await given();
      const config = join(here.folder, 'config.json');
      const profile = { url: here.server.endpoint.replace('/ping', ''), ping_key: 'key-of-profile' };
      await writeFile(config, JSON.stringify({ default: 'here', profiles: { here: profile } }));
      await writeFile(join(here.folder, 'key'), ' \n key-of-file\n');
      const bare = { TOCSIN_CONFIG: config, TOCSIN_ENDPOINT: '', TOCSIN_PING_KEY: '' };
      const cases: [readonly string[], Record<string, string>, string][] = [
        [[], bare, 'key-of-profile/job'],
        [[], { ...bare, PING_KEY: 'file:key' }, 'key-of-file/job'],
        [[], { ...bare, TOCSIN_PING_KEY_FILE: 'key', PING_KEY: 'other' }, 'key-of-file/job'],
        [['--ping-key', 'key-of-flag'], { ...bare, TOCSIN_PING_KEY: 'other' }, 'key-of-flag/job'],
        [['--uuid', UUID, '--slug', 'job'], bare, UUID],
      ];

      for (const [args, environment, check] of cases) {
        const { result, stderr } = await resultOf(here, ['--no-rid', ...args, '--', 'true'], environment);
        assert.deepEqual([result?.path, stderr], [`/ping/${check}`, '']);
      }
    });
  });

  describe(`what is attached: ${name}`, { concurrency: 2 }, () => {
    test('the last bytes of what is longer than the server takes, and how many are missing', async () => {
      await using here = await given();

      const ended = await here.run(['-c', 'seq -w 1 5000']);

      const body = here.server.received[1]?.body ?? '';
      const [output = '', summary = ''] = body.split('[tocsin] ');
      assert.deepEqual([ended.stdout.length, body.length], [25_000, 10_000]);
      assert.ok(ended.stdout.toString().endsWith(output));
      assert.match(summary, /^exit status 0 after \d+\.\d s; \d+ bytes left out$/);
      assert.equal(Number(/(\d+) bytes/.exec(summary)?.[1]) + output.length, 25_000);
    });

    test('the first bytes, both ends, a number of last ones, or nothing', async () => {
      await using here = await given();
      const bodyOf = async (...args: string[]) =>
        (await resultOf(here, ['--no-summary', ...args, '-c', 'seq -w 1 5000'])).result?.body;

      assert.equal(await bodyOf('--output', 'head', '--output-limit', '20'), '0001\n0002\n0003\n0004\n');
      assert.equal(await bodyOf('--tail', '10'), '4999\n5000\n');
      assert.equal(await bodyOf('--output', 'none'), '');
      const ends = await bodyOf('--output', 'ends', '--output-limit', '100');
      assert.match(ends ?? '', /^0001\n0002\n.*\n\[… \d+ bytes left out …\]\n.*4999\n5000\n$/s);
    });

    test('--output-on failure attaches output to failures alone', async () => {
      await using here = await given();
      const bodyOf = async (job: string) =>
        (await resultOf(here, ['--output-on', 'failure', '-c', job])).result?.body;

      assert.deepEqual([await bodyOf('echo out'), await bodyOf('echo out; exit 1')], ['', 'out\n']);
    });

    test('whole characters, and bytes that are no text as they are', async () => {
      await using here = await given();
      const cut = await resultOf(here, ['--tail', '5', '--no-summary', '-c', 'printf äöü€']);
      const odd = await resultOf(here, ['-c', String.raw`printf 'a\000\377\303b\n'`]);

      assert.deepEqual([cut.stdout.toString(), cut.result?.body], ['äöü€', 'ü€']);
      assert.deepEqual(odd.result?.bytes, Buffer.from([0x61, 0, 0xff, 0xc3, 0x62, 0x0a]));
      assert.deepEqual(odd.stdout, odd.result?.bytes);
    });

    test('no half of a secret, and no address of ours', async () => {
      await using here = await given();
      const environment = { DB_PASSWORD: 'correct-horse' };

      const half = await resultOf(
        here,
        ['--tail', '10', '--no-summary', '-c', 'printf "$DB_PASSWORD ok"'],
        environment,
      );
      const url = `${here.server.endpoint}/${PING_KEY}/job`;
      const own = await resultOf(here, ['--ping-url', url, '-c', `echo ${url} ${PING_KEY} job`]);

      assert.equal(half.stdout.toString(), 'correct-horse ok');
      assert.doesNotMatch(half.result?.body ?? '', /horse/);
      assert.equal(own.result?.body, '[redacted] [redacted] job\n');
    });

    test('nothing where the pattern of a user takes too long, and the reason', async () => {
      await using here = await given();
      const output = `${'a'.repeat(60)}!`;

      const { code, stdout, result } = await resultOf(here, ['--redact', '(a+)+$', '--', 'echo', output]);

      assert.deepEqual([code, stdout.toString()], [0, `${output}\n`]);
      assert.match(result?.body ?? '', /^\[tocsin\] exit status 0 after \d+\.\d s; output left out: [^\n]+$/);
    });

    test('as much as the server took the last time, where the start is not answered', async () => {
      let isAway = false;
      await using here = await given(() =>
        isAway ? 'never' : { headers: { ...AWARE, 'Ping-Body-Limit': '5000' } },
      );
      await here.run(['--', 'true']);
      isAway = true;

      await here.run(['--ping-timeout', '1s', '--report-within', '3s', '-c', 'seq -w 1 5000']);

      const bodies = (await kept(here)).map((ping) => ping?.body.length);
      assert.deepEqual(bodies, [0, 5000]);
    });
  });

  describe(`when it ends: ${name}`, { concurrency: 2 }, () => {
    test('a second signal keeps the result at once', async () => {
      await using here = await given(never);
      const job = 'echo ready; trap "echo ended; exit 9" TERM; while :; do sleep 0.01; done';

      const wrapper = here.start(['--ping-timeout', '1h', '--report-within', '1h', '-c', job]);
      await wrapper.says('ready');
      wrapper.kill('SIGTERM');
      await wrapper.says('ended');
      wrapper.kill('SIGTERM');

      const { code, stderr } = await wrapper.ended;
      assert.deepEqual([code, stderr], [9, '']);
      assert.deepEqual(
        (await kept(here)).map((ping) => ping?.signal),
        ['start', 9],
      );
    });

    test('--lock-wait lets the second run follow the first', async () => {
      await using here = await given();
      const lock = `--lock=${freshName()}`;
      const first = here.start(
        [lock, '--no-start', '--pass-fd', '3', '-c', 'echo ready; cat <&3; echo first >> order'],
        { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
      );
      await first.says('ready');

      const second = here.start([lock, '--lock-wait', '1h', '--no-start', '-c', 'echo second >> order']);
      const third = await here.run([lock, '--', 'true']);
      endInput(first, '');

      assert.deepEqual([third.code, (await first.ended).code, (await second.ended).code], [75, 0, 0]);
      assert.equal(await readFile(join(here.folder, 'order'), 'utf8'), 'first\nsecond\n');
      assert.deepEqual(here.pings(), ['/log', '', '']);
    });

    test('a lock from before the machine was started does not hold', { skip: noBootId }, async () => {
      await using here = await given();
      const runtime = join(here.folder, 'runtime');
      const folder = lockFolder(
        { environment: { XDG_RUNTIME_DIR: runtime }, userId: process.getuid?.() ?? null },
        tmpdir(),
      );
      const name = freshName();
      const stat = await readFile(`/proc/${process.pid}/stat`, 'latin1');
      const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      const bootId = (await readFile(BOOT_ID, 'latin1')).trim();
      const runWith = async (boot: string) => {
        const self = { processId: process.pid, startedAt, bootId: boot };
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const holder = { since: '2026-11-18T03:00:00.000Z', wrapper: self, job: null };
        await writeFile(join(folder, `${name}.lock`), JSON.stringify(holder));
        return await here.run([`--lock=${name}`, '--no-start', '--', 'true'], {
          environment: { XDG_RUNTIME_DIR: runtime },
        });
      };

      const held = await runWith(bootId);
      const stale = await runWith(bootId.replace(/^./, (one) => (one === '0' ? '1' : '0')));

      assert.deepEqual([held.code, stale.code, here.pings()], [75, 0, ['/log', '']]);
    });
  });
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const noBootId = process.platform === 'linux' ? false : 'the system has no boot id';

/** Names of files of pings that wait, in order. */
async function waiting({ folder }: Place): Promise<string[]> {
  const names = await readdir(join(folder, 'spool')).catch(() => []);
  return names.filter((name) => name.endsWith('.ping')).sort();
}

async function kept(here: Place) {
  const names = await waiting(here);
  return Promise.all(
    names.map(async (name) => decodeEntry(await readFile(join(here.folder, 'spool', name)))),
  );
}
