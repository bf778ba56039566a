/** What becomes of pings that no server has answered, by whatever command. */
import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bytesOf, pingOf, targetOf } from '../../src/companion/ping.test-support.ts';
import type { Ping, Signal } from '../../src/companion/ping.ts';
import {
  type Answering,
  type RecordingServer,
  startRecordingServer,
} from '../../src/companion/recording-server.test-support.ts';
import { decodeEntry, encodeEntry } from '../../src/companion/spool/entry.ts';
import { freePort } from '../free-port.ts';
import { Home } from './command.ts';
import { cannotTrace, type Words } from './wrapper.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
/** Calls of the system that change files, for strace. */
const CHANGES = '/^(mkdir|rename|unlink|fsync|p?write)';
const isRoot = process.getuid?.() === 0;

export function describeWaiting(name: string, words: Words): void {
  async function given(answer?: Answering) {
    const server = await startRecordingServer(answer);
    const home = await Home.make(server.endpoint, words);
    return {
      server,
      home,
      [Symbol.asyncDispose]: async () => {
        await home[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  describe(`waiting pings: ${name}`, { concurrency: 2 }, () => {
    test('are files for their owner alone, and come in order and with their ages when the server is back', async () => {
      const port = await freePort();
      await using home = await Home.make(`http://127.0.0.1:${port}/ping`, words);
      const run = (...job: string[]) =>
        home.run(['run', '--slug', 'backup', '--report-within', '3s', ...job]);
      await using before = await startRecordingServer(undefined, { port });
      await run('--', 'true');
      assert.equal(before.received.length, 2);
      await before[Symbol.asyncDispose]();

      assert.deepEqual(await run('-c', 'echo out; exit 3'), { code: 3, signal: null, out: 'out\n', err: '' });
      const names = await home.waiting();
      const modes = await Promise.all(
        [home.spool, ...names.map((one) => join(home.spool, one))].map((path) => stat(path)),
      );
      assert.deepEqual(
        modes.map(({ mode }) => mode & 0o777),
        [0o700, 0o600, 0o600],
      );

      await using after = await startRecordingServer(undefined, { port });
      assert.equal((await home.run(['spool', 'flush'])).code, 0);
      assert.deepEqual(pathsOf(after), ['backup/start age', 'backup/3 age']);
      assert.deepEqual(await home.waiting(), []);
    });

    test('have their true age although somebody has set the clock', { skip: noBootId }, async () => {
      await using here = await given();
      await keep(here.home, here.server, [{ ageMs: 90_000, clockAheadMs: 72 * HOUR_MS }]);

      await here.home.run(['spool', 'flush']);

      const age = ageOf(here.server.received[0]?.path ?? '');
      assert.ok(age !== null && age >= 90 && age < 90 + SLOWEST_SECONDS, String(age));
    });

    test('of a time that nobody knows are sent as a log', async () => {
      await using here = await given();
      await keep(here.home, here.server, [{ ageMs: 0, at: { wallMs: 60_000, bootId: 'another' } }]);

      await here.home.run(['spool', 'flush']);

      assert.deepEqual(pathsOf(here.server), ['backup/log']);
      assert.match(here.server.received[0]?.body ?? '', /^\[tocsin\] success of an unknown time; .*1970/);
    });

    test('are set aside where they are none, or where their server does not want them; the others arrive', async () => {
      await using here = await given(({ path }) => (path.includes('gone') ? { status: 404 } : {}));
      await keep(here.home, here.server, [{ check: 'gone' }, { check: 'kept' }]);
      await writeFile(join(here.home.spool, '1-abc.ping'), 'garbage');

      const flushed = await here.home.run(['spool', 'flush']);

      assert.equal(flushed.code, 0);
      assert.match(flushed.err, /^tocsin: [^\n]* gone [^\n]*404\n$/);
      assert.deepEqual(pathsOf(here.server), ['gone age', 'kept age']);
      assert.deepEqual(await here.home.waiting(), []);
      const aside = await Promise.all(
        ['bad', 'rejected'].map(async (where) => (await readdir(join(here.home.spool, where))).length),
      );
      assert.deepEqual(aside, [1, 1]);
    });

    test('are a thousand at the most; results outlive starts, and the next body tells how many are gone', async () => {
      await using here = await given();
      const old = Array.from(
        { length: 1_200 },
        (_, nth) => ({ signal: nth < 300 ? 'start' : 'success' }) as const,
      );
      await keep(here.home, here.server, old, { isAware: true });
      const away = { TOCSIN_ENDPOINT: `http://127.0.0.1:${await freePort()}/ping` };

      // With time for so many files on a busy machine.
      await here.home.run(['run', '--slug', 'backup', '--report-within', '5m', '--', 'true'], away);
      const listed = JSON.parse((await here.home.run(['spool', 'list', '--json'])).out);
      await here.home.run(['spool', 'flush', '--within', '5m']);

      const signals = listed.pings.map((ping: { signal: string }) => ping.signal);
      const count = (signal: string) => signals.filter((one: string) => one === signal).length;
      assert.deepEqual([signals.length, count('start'), count('success')], [1_000, 99, 901]);
      const told = here.server.received.filter(({ body }) => body !== '');
      assert.match(told[0]?.body ?? '', /^\[tocsin\] 202 pings were dropped/);
      assert.equal(told.length, 1);
    });

    test('are whole or not there after the program was killed at any call that changes files', {
      skip: cannotTrace(),
    }, async () => {
      const endpoint = `http://127.0.0.1:${await freePort()}/ping`;
      const counts = new Set<number>();
      for (let call = 1; ; call += 1) {
        const strace = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${CHANGES}`];
        const kill = ['-e', `inject=${CHANGES}:signal=SIGKILL:when=${call}`];
        await using home = await Home.make(endpoint, [...strace, ...kill, ...words]);
        // Calls are counted by thread, and files are changed by those of the pool.
        const ran = await home.run(['ping', 'backup', '--body', 'x'.repeat(5_000), '--within', '0'], {
          UV_THREADPOOL_SIZE: '1',
        });
        const names = await home.waiting().catch(() => []);
        for (const one of names)
          assert.ok(decodeEntry(await readFile(join(home.spool, one))), `call ${call}`);
        counts.add(names.length);
        if (ran.code !== 0) continue;
        assert.ok(call > 4 && names.length === 1, `${call} calls`);
        break;
      }
      assert.deepEqual([...counts], [0, 1]);
    });

    test('do not rest in a folder that leads to somebody else’s', {
      skip: !isRoot && 'only root can',
    }, async () => {
      await using home = await Home.make(`http://127.0.0.1:${await freePort()}/ping`, words);
      const [theirs, link] = [join(home.folder, 'theirs'), join(home.folder, 'link')];
      await mkdir(theirs, { mode: 0o700 });
      await chmod(home.folder, 0o755);
      await chown(theirs, 65_534, 65_534);
      await symlink(theirs, link);

      const ran = await home.run(['run', '--slug', 'backup', '-v', '--report-within', '3s', '-c', 'exit 3'], {
        TOCSIN_SPOOL: link,
      });

      assert.equal(ran.code, 3);
      assert.ok(ran.err.includes('is not used: it belongs to somebody else\n'), ran.err);
      assert.deepEqual(await readdir(theirs), []);
    });
  });

  describe(`waiting pings and a server that knows no ages: ${name}`, { concurrency: 2 }, () => {
    const unaware = () => given(() => ({ headers: { 'Ping-Body-Limit': '10000' } }));

    test('a young result is sent as it was, an old one and a start as a log that tells when', async () => {
      await using here = await unaware();
      await keep(here.home, here.server, [
        { check: 'young', ageMs: 2 * MINUTE_MS },
        { check: 'old', ageMs: 2 * HOUR_MS },
        { check: 'begun', signal: 'start', ageMs: 2 * MINUTE_MS },
      ]);

      await here.home.run(['spool', 'flush']);

      const told = new Map(here.server.received.map((one, nth) => [pathsOf(here.server)[nth], one.body]));
      assert.deepEqual([...told.keys()].sort(), ['begun/log age', 'old/log age', 'young age']);
      assert.equal(told.get('young age'), '');
      assert.match(
        told.get('old/log age') ?? '',
        /^\[tocsin\] success of \S+Z, delivered 2 h( \d+ min)? later$/,
      );
      assert.match(
        told.get('begun/log age') ?? '',
        /^\[tocsin\] start of \S+Z, delivered 2 min( \d+ s)? later$/,
      );
    });

    test('of ten old ones four are sent in a minute', async () => {
      await using here = await unaware();
      const old = Array.from({ length: 10 }, (_, nth) => ({ ageMs: (20 - nth) * HOUR_MS }));
      await keep(here.home, here.server, old);

      const flushed = await here.home.run(['spool', 'flush', '--within', '1']);

      assert.equal(flushed.code, 5);
      assert.equal(here.server.received.length, 4);
      assert.equal((await here.home.waiting()).length, 6);
    });
  });
}

const noBootId = process.platform === 'linux' ? false : 'the system has no boot id';
/** Nobody waits longer for a test. */
const SLOWEST_SECONDS = 300;

interface Kept {
  readonly check?: string;
  readonly signal?: Signal;
  readonly ageMs?: number;
  /** By so much the clock was ahead when it happened. */
  readonly clockAheadMs?: number;
  readonly at?: Partial<Ping['at']>;
}

/** Puts files of pings into the spool, as earlier commands on this machine would have. */
async function keep(
  home: Home,
  { endpoint }: RecordingServer,
  pings: readonly Kept[],
  { isAware = false } = {},
): Promise<void> {
  const { spool } = home;
  // The server has been asked before.
  if (isAware) await home.keep(endpoint, []);
  await mkdir(spool, { recursive: true, mode: 0o700 });
  const bootId = await readFile(BOOT_ID, 'latin1').then(
    (text) => text.trim(),
    () => null,
  );
  const uptimeMs =
    bootId === null ? null : Number((await readFile('/proc/uptime', 'latin1')).split(' ')[0]) * 1000;
  const now = Date.now();
  for (const [
    nth,
    { check = 'backup', signal = 'success', ageMs = 5_000, clockAheadMs = 0, at },
  ] of pings.entries()) {
    const moment = {
      wallMs: now - ageMs + clockAheadMs,
      bootId,
      sinceBootMs: uptimeMs === null ? null : uptimeMs - ageMs,
      ...at,
    };
    const ping = pingOf(targetOf(endpoint, check), signal, { at: moment, body: bytesOf('') });
    await writeFile(join(spool, `${now - 100_000 + nth}-${nth.toString(16)}.ping`), encodeEntry(ping), {
      mode: 0o600,
    });
  }
}

/** What comes behind the key, and whether there is an age. */
function pathsOf({ received }: RecordingServer): string[] {
  return received.map(({ path }) => {
    const [, rest = ''] = /the-ping-key\/([^?]*)/.exec(path) ?? [];
    return ageOf(path) === null ? rest : `${rest} age`;
  });
}

function ageOf(path: string): number | null {
  const text = /[?&]age=([\d.]+)/.exec(path)?.[1];
  return text === undefined ? null : Number(text);
}
