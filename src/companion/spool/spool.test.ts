import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { bytesOf, momentAt, pingOf, targetOf } from '../ping.test-support.ts';
import type { Signal } from '../ping.ts';
import { FakeTiming } from '../send/timing.test-support.ts';
import { encodeEntry, orderOf } from './entry.ts';
import { MemoryFiles } from './files.test-support.ts';
import { diskFiles } from './files.ts';
import { Memory } from './memory.ts';
import {
  AWARE,
  DAY_MS,
  FakeServer,
  HOUR_MS,
  MINUTE_MS,
  NEVER,
  NOON,
  TEST_LIMITS,
  TestSpool,
  UNAWARE,
} from './spool.test-support.ts';

const ENDPOINT = 'https://h.example/ping';
const backup = targetOf(ENDPOINT, 'backup');
const report = targetOf(ENDPOINT, 'report');
const elsewhere = targetOf('https://other.example/ping', 'elsewhere');

/** A spool on a disk in memory. */
function inMemory(more: ConstructorParameters<typeof TestSpool>[1] = {}) {
  const files = new MemoryFiles();
  files.ownerId = process.getuid?.() ?? 0;
  const test = new TestSpool(files, more);
  const put = async (signal: Signal, target = backup, body = '') => {
    const isKept = await test.spool.put(pingOf(target, signal, { at: test.now, body: bytesOf(body) }));
    if (isKept) await test.spool.makeRoom();
    return isKept;
  };
  const deliver = (server: FakeServer) => test.spool.deliverRound(server, NEVER);
  const waiting = async () =>
    (await test.spool.folder.waiting()).map(({ head }) => `${head.target.label} ${head.signal}`);
  return { files, test, put, deliver, waiting };
}

/** As it is after pings of an earlier time. */
async function knowing(limits = AWARE, more: ConstructorParameters<typeof TestSpool>[1] = {}) {
  const made = inMemory(more);
  for (const target of [backup, elsewhere]) await made.test.spool.remember(target, limits);
  return made;
}

suite('a spool', () => {
  test('keeps each ping in a file for its owner alone', async (t) => {
    const path = join(await mkdtemp(join(tmpdir(), 'spool-')), 'spool');
    t.after(() => rm(join(path, '..'), { recursive: true }));
    const { spool } = new TestSpool(diskFiles, { path });
    assert.equal(await spool.put(pingOf(backup, 'start', { at: momentAt(NOON) })), true);
    assert.equal(await spool.put(pingOf(backup, 3, { at: momentAt(NOON + 5), body: bytesOf('out') })), true);
    const names = (await readdir(path)).sort();
    assert.deepEqual(names.map(orderOf), [NOON, NOON + 5]);
    for (const name of names) assert.equal((await stat(join(path, name))).mode & 0o777, 0o600);
    assert.equal((await stat(path)).mode & 0o777, 0o700);

    await mkdir(join(path, '99-aa.ping'));
    const server = new FakeServer();
    assert.deepEqual(await spool.deliverRound(server, NEVER), { kind: 'done' });
    assert.equal(server.sent.length, 2);
    assert.deepEqual((await readdir(path)).sort(), ['99-aa.ping', 'late-logs.json', 'servers.json']);
  });

  test('sends in order, with ages, and removes what was accepted', async () => {
    const { test, put, deliver, waiting } = await knowing();
    await put('start');
    test.pass(MINUTE_MS);
    await put('success', backup, 'out');
    test.pass(HOUR_MS);
    const server = new FakeServer();
    assert.deepEqual(await deliver(server), { kind: 'done' });
    assert.deepEqual(server.words(), ['backup start 3660', 'backup success 3600']);
    assert.deepEqual(server.bodies(), ['', 'out']);
    assert.deepEqual(await waiting(), []);
    assert.deepEqual(test.losses, []);
  });

  test('sends the first ping to a server that has told nothing as a log, and the others with what it then tells', async () => {
    const { test, put, deliver } = inMemory();
    await put('start');
    test.pass(MINUTE_MS);
    await put('success');
    test.pass(HOUR_MS);
    const server = new FakeServer(AWARE);
    await deliver(server);
    assert.deepEqual(server.words(), ['backup log 3660', 'backup success 3600']);
  });

  test('knows ages although somebody sets the clock', async () => {
    const { test, put, deliver } = await knowing();
    await put('success');
    test.pass(90_000);
    test.setClock(test.now.wallMs - 3 * DAY_MS);
    await put('fail');
    test.pass(10_000);
    const server = new FakeServer();
    await deliver(server);
    assert.deepEqual(server.words(), ['backup success 100', 'backup fail 10']);
  });

  test('sends as a log what happened when the clock was wrong', async () => {
    const { test, put, deliver } = await knowing();
    test.setClock(5000);
    await put('success', backup, 'out');
    test.restartMachine('next');
    test.setClock(NOON);
    const server = new FakeServer();
    await deliver(server);
    assert.deepEqual(server.words(), ['backup log']);
    assert.match(server.bodies()[0] ?? '', /^\[tocsin\] success of an unknown time; .*\nout$/);
  });

  test('drops what is older than seven days, and says so', async () => {
    const { test, put, deliver, waiting } = await knowing();
    await put('success');
    test.pass(6 * DAY_MS);
    await put('success', report);
    test.pass(DAY_MS + 1);
    const server = new FakeServer();
    await deliver(server);
    assert.deepEqual(server.words(), [`report success ${(DAY_MS + 1) / 1000}`]);
    assert.match(server.bodies()[0] ?? '', /^\[tocsin\] 1 ping was dropped before/);
    assert.deepEqual(test.losses, ['1 ping was too old to be sent, and dropped']);
    assert.deepEqual(await waiting(), []);
  });

  test('lets results outlive starts, and tells with the next body how many went', async () => {
    const { test, put, deliver, waiting } = await knowing(AWARE, { limits: { ...TEST_LIMITS, files: 10 } });
    for (let nth = 0; nth < 12; nth += 1) await put(nth % 2 === 0 ? 'start' : 'success');
    assert.deepEqual((await waiting()).filter((one) => one === 'backup success').length, 6);
    assert.deepEqual((await waiting()).filter((one) => one === 'backup start').length, 4);
    const server = new FakeServer();
    await deliver(server);
    const told = server.bodies().filter((body) => body !== '');
    assert.deepEqual(told, ['[tocsin] 2 pings were dropped before: too many were waiting, or for too long']);
    assert.equal(server.sent.findIndex(({ ping }) => ping.body.length > 0) > 0, false);
    assert.equal(test.losses.length, 2);
  });

  test('keeps a thousand of twelve hundred files', async () => {
    const { files, test, put, deliver, waiting } = await knowing();
    for (let nth = 0; nth < 1199; nth += 1) {
      const at = momentAt(NOON - 1200 + nth, DAY_MS - 1200 + nth);
      const file = await files.create(`/spool/${at.wallMs}-a.ping`);
      await file.write(encodeEntry(pingOf(backup, nth % 4 === 0 ? 'start' : 'success', { at })));
    }
    await put('success');
    const left = await waiting();
    assert.equal(left.length, 1000);
    assert.equal(left.filter((one) => one === 'backup success').length, 900);
    assert.deepEqual(test.losses, ['too many pings are waiting: 200 pings were dropped']);
    const server = new FakeServer();
    await deliver(server);
    const told = server.bodies().filter((body) => body !== '');
    assert.deepEqual(told, [
      '[tocsin] 200 pings were dropped before: too many were waiting, or for too long',
    ]);
  });

  test('takes the oldest bodies where all of them are too long', async () => {
    const { put, deliver } = await knowing(AWARE, { limits: { ...TEST_LIMITS, bytes: 3000 } });
    for (const text of ['a', 'b', 'c']) await put('success', backup, text.repeat(1000));
    const server = new FakeServer();
    await deliver(server);
    const [first = '', ...others] = server.bodies();
    assert.equal(first, '[tocsin] 1000 bytes left out: too much was waiting to be sent');
    assert.deepEqual(others, ['b'.repeat(1000), 'c'.repeat(1000)]);
  });

  test('sets aside what is not a ping, and sends the others', async () => {
    const { files, put, deliver } = await knowing();
    await put('success');
    const garbage = await files.create('/spool/1-a.ping');
    await garbage.write(bytesOf('garbage'));
    const [name = ''] = (await files.list('/spool')).filter((one) => one.startsWith(String(NOON)));
    const whole = (await files.read(`/spool/${name}`, 9999)) ?? new Uint8Array();
    const cut = await files.create('/spool/2-a.ping');
    await cut.write(Buffer.concat([whole, bytesOf('more')]));
    const server = new FakeServer();
    assert.deepEqual(await deliver(server), { kind: 'done' });
    assert.equal(server.sent.length, 1);
    assert.deepEqual((await files.list('/spool/bad')).sort(), ['1-a.ping', '2-a.ping']);
  });

  test('sets aside what the server refuses, says so without the address, and sends the others', async () => {
    const { files, test, put, deliver } = await knowing();
    await put('success');
    await put('success', report);
    const server = new FakeServer();
    server.answer = (ping) =>
      ping.target === report || ping.target.label === 'report'
        ? { kind: 'accepted', limits: AWARE }
        : { kind: 'refused', status: 404 };
    assert.deepEqual(await deliver(server), { kind: 'done' });
    assert.deepEqual(server.words(), ['backup success 0', 'report success 0']);
    assert.equal((await files.list('/spool/rejected')).length, 1);
    assert.deepEqual(test.losses, ['the server refused a waiting ping of backup with 404']);
  });

  test('keeps no more than a hundred of those that were set aside', async () => {
    const { files, put, deliver } = await knowing();
    for (let nth = 0; nth < 103; nth += 1) await put('success');
    const server = new FakeServer();
    server.answer = () => ({ kind: 'refused', status: 410 });
    await deliver(server);
    const orders = (await files.list('/spool/rejected')).map((name) => (orderOf(name) ?? 0) - NOON);
    assert.deepEqual(
      orders.sort((one, two) => one - two),
      Array.from({ length: 100 }, (_, nth) => nth + 3),
    );
  });

  test('sends no more to a server that is away, and goes on with others', async () => {
    const { put, deliver, waiting } = await knowing();
    await put('start');
    await put('success', report);
    await put('success', elsewhere);
    const server = new FakeServer();
    server.answer = ({ target }) =>
      target.label === 'elsewhere'
        ? { kind: 'accepted', limits: AWARE }
        : { kind: 'failed', reason: 'connection refused', retryAfterMs: null };
    assert.deepEqual(await deliver(server), { kind: 'failed', reason: 'connection refused' });
    assert.deepEqual(server.words(), ['backup start 0', 'elsewhere success 0']);
    assert.deepEqual(await waiting(), ['backup start', 'report success']);
  });

  test('sends no more of a check whose pings the server puts off, and goes on with others', async () => {
    const { put, deliver, waiting } = await knowing();
    await put('start');
    await put('success');
    await put('success', report);
    const server = new FakeServer();
    server.answer = ({ target }) =>
      target.label === 'report'
        ? { kind: 'accepted', limits: AWARE }
        : { kind: 'failed', reason: 'the server answered 429', status: 429, retryAfterMs: 1000 };
    assert.equal((await deliver(server)).kind, 'failed');
    assert.deepEqual(server.words(), ['backup start 0', 'report success 0']);
    assert.deepEqual(await waiting(), ['backup start', 'backup success']);
  });

  test('ends when it is called off, and keeps the rest', async () => {
    const { test, put, waiting } = await knowing();
    for (let nth = 0; nth < 3; nth += 1) await put('success');
    const stop = new AbortController();
    const server = new FakeServer();
    server.answer = () => {
      stop.abort();
      return { kind: 'accepted', limits: AWARE };
    };
    assert.deepEqual(await test.spool.deliverRound(server, stop.signal), { kind: 'stopped' });
    assert.equal(server.sent.length, 1);
    assert.equal((await waiting()).length, 2);
  });

  test('also sends what is put in while it sends', async () => {
    const { put, deliver } = await knowing();
    await put('start');
    const server = new FakeServer();
    server.answer = async ({ signal }) => {
      if (signal === 'start') await put('success');
      return { kind: 'accepted', limits: AWARE };
    };
    assert.deepEqual(await deliver(server), { kind: 'done' });
    assert.deepEqual(server.words(), ['backup start 0', 'backup success 0']);
  });

  test('leaves it to another process that sends', async () => {
    const { put, deliver } = await knowing(AWARE, {
      processes: { identify: async (processId: number) => ({ processId, startedAt: '1', bootId: null }) },
    });
    await put('start');
    const server = new FakeServer();
    const rounds: unknown[] = [];
    server.answer = async () => {
      rounds.push(await deliver(server));
      return { kind: 'accepted', limits: AWARE };
    };
    rounds.push(await deliver(server));
    assert.deepEqual(rounds, [{ kind: 'busy' }, { kind: 'done' }]);
    assert.equal(server.sent.length, 1);
  });
});

suite('a spool and servers that do not know late pings', () => {
  test('sends a young result as it was, and an old one or a start as a log', async () => {
    const { test, put, deliver } = await knowing(UNAWARE);
    await put('success', backup, 'out');
    test.pass(2 * HOUR_MS - 2 * MINUTE_MS);
    await put('start');
    await put('success');
    test.pass(2 * MINUTE_MS);
    const server = new FakeServer(UNAWARE);
    await deliver(server);
    assert.deepEqual(server.words(), ['backup log 7200', 'backup log 120', 'backup success 120']);
    assert.equal(server.bodies()[0], '[tocsin] success of 2026-11-15T12:00:00Z, delivered 2 h later\nout');
  });

  test('sends a young result as a log if a younger one was delivered at once', async () => {
    const { test, put, deliver } = await knowing(UNAWARE);
    await put('fail');
    test.pass(MINUTE_MS);
    await test.spool.remember(backup, UNAWARE, test.now);
    const server = new FakeServer(UNAWARE);
    await deliver(server);
    assert.deepEqual(server.words(), ['backup log 60']);
  });

  test('sends four logs a minute and check, also if several processes send', async () => {
    const { files, test, put, deliver } = await knowing(UNAWARE);
    for (let nth = 0; nth < 10; nth += 1) await put('log');
    await put('log', report);
    const server = new FakeServer(UNAWARE);
    assert.deepEqual(await deliver(server), { kind: 'paused', againInMs: MINUTE_MS });
    assert.equal(server.sent.length, 5);
    test.pass(20_000);
    const other = new TestSpool(files);
    other.now = test.now;
    assert.deepEqual(await other.spool.deliverRound(server, NEVER), { kind: 'paused', againInMs: 40_000 });
    assert.equal(server.sent.length, 5);
    test.pass(40_000);
    await deliver(server);
    assert.equal(server.sent.length, 9);
  });
});

suite('a spool whose disk hangs', () => {
  test('gives each of its answers in time, and says what is wrong', async () => {
    const timing = new FakeTiming();
    const { files, test, put } = await knowing(AWARE, { timing });
    files.read = () => new Promise(() => undefined);
    assert.equal(await timing.run(test.spool.limitsOf(backup)), null);
    assert.equal(test.spool.isStuck(), true);
    const passed = timing.monotonicMs();
    assert.equal(await timing.run(put('success')), false);
    await timing.run(test.spool.remember(backup, AWARE));
    assert.equal((await timing.run(test.spool.deliverRound(new FakeServer(), NEVER))).kind, 'failed');
    assert.equal(timing.monotonicMs(), passed);
    assert.equal(test.details.at(-1), 'the spool /spool cannot be used: the disk does not answer');
  });
});

suite('a spool whose files fail', () => {
  /** Lets the nth call and, with `dies`, all later ones fail. */
  function failAt(files: MemoryFiles, nth: number, code: string, dies: boolean) {
    let calls = 0;
    files.before = () => {
      calls += 1;
      if (calls === nth || (dies && calls > nth)) throw Object.assign(new Error(code), { code });
    };
    return () => calls;
  }

  for (const dies of [false, true]) {
    test(`at any call of writing${dies ? ', after which the process is dead,' : ''} holds a whole ping or none`, async () => {
      for (let nth = 1, isReached = true; isReached; nth += 1) {
        const { files, test, put, waiting } = await knowing();
        await put('start');
        const count = failAt(files, nth, 'ENOSPC', dies);
        const isKept = await put('success', backup, 'out');
        isReached = count() >= nth;
        assert.ok(isReached || nth > 8, `there were ${nth - 1} calls`);
        files.before = () => undefined;
        const found = await waiting();
        assert.ok(found.length === 1 || found.length === 2, `call ${nth}: ${found}`);
        if (isKept) assert.equal(found.length, 2, `call ${nth}`);
        for (const { name } of await test.spool.folder.waiting())
          assert.ok(await test.spool.folder.read(name));
        if (!dies)
          assert.deepEqual(
            (await files.list('/spool')).filter((name) => name.endsWith('.new')),
            [],
          );
        assert.deepEqual(await files.list('/spool/bad'), []);
      }
    });
  }

  test('holds what it said it holds after a loss of power', async () => {
    for (let kept = 0; kept < 8; kept += 1) {
      const { files, test, put } = await knowing();
      assert.equal(await put('success', backup, 'out'), true);
      let turn = 0;
      files.losePower(() => ((kept >> (turn++ % 3)) & 1) === 1);
      const [one] = await test.spool.folder.waiting();
      assert.ok(one);
      assert.equal(new TextDecoder().decode((await test.spool.folder.read(one.name))?.body), 'out');
    }
  });

  test('says why with a word, and keeps nothing', async () => {
    const { files, test, put, waiting } = await knowing();
    files.before = (call) => {
      if (call === 'write') throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    assert.equal(await put('success'), false);
    files.before = () => undefined;
    assert.deepEqual(test.details, ['the spool /spool cannot be written: the disk is full']);
    assert.deepEqual(await waiting(), []);
    assert.deepEqual(await files.list('/spool'), ['servers.json']);
  });

  test('never rejects, whichever call of sending fails, and sends each ping in the end', async () => {
    for (let nth = 1, isReached = true; isReached; nth += 1) {
      const { files, put, deliver } = await knowing(UNAWARE);
      await put('start');
      await put('success');
      const server = new FakeServer(UNAWARE);
      const count = failAt(files, nth, 'EIO', false);
      await deliver(server);
      isReached = count() >= nth;
      assert.ok(isReached || nth > 10, `there were ${nth - 1} calls`);
      files.before = () => undefined;
      assert.deepEqual(await deliver(server), { kind: 'done' }, `call ${nth}`);
      const signals = new Set(server.words().map((words) => words.split(' ')[1]));
      assert.deepEqual([...signals], ['log', 'success'], `call ${nth}`);
    }
  });

  test('sends a ping again that was accepted just before the process died', async () => {
    const { files, put, deliver, waiting } = await knowing();
    await put('success');
    const server = new FakeServer();
    server.answer = () => {
      files.before = () => {
        throw new Error('dead');
      };
      return { kind: 'accepted', limits: AWARE };
    };
    assert.equal((await deliver(server)).kind, 'failed');
    files.before = () => undefined;
    assert.deepEqual(await waiting(), ['backup success']);
    server.answer = () => ({ kind: 'accepted', limits: AWARE });
    assert.deepEqual(await deliver(server), { kind: 'done' });
    assert.equal(server.sent.length, 2);
  });

  test('is not used, and says so, where others may write', async () => {
    const { files, test, put, deliver } = await knowing();
    await put('success');
    files.mode = 0o777;
    assert.equal(await put('success'), false);
    const server = new FakeServer();
    assert.equal((await deliver(server)).kind, 'failed');
    assert.equal(server.sent.length, 0);
    assert.equal(test.details[0], 'the spool /spool is not used: others may write to it');
  });

  test('removes what a process left half written an hour ago', async () => {
    const { files, test, put, deliver } = await knowing();
    await files.create('/spool/5-a.ping.new');
    files.wallMs = test.now.wallMs;
    await put('success');
    await deliver(new FakeServer());
    assert.ok((await files.list('/spool')).includes('5-a.ping.new'));
    test.pass(HOUR_MS + 1);
    await put('success');
    await deliver(new FakeServer());
    assert.ok(!(await files.list('/spool')).includes('5-a.ping.new'));
  });

  test('has no address in what it says', async () => {
    const { files, test, put, deliver } = await knowing();
    await put('success');
    const server = new FakeServer();
    server.answer = () => ({ kind: 'refused', status: 400 });
    await deliver(server);
    files.before = () => {
      throw new Error(`${backup.base} is in this message`);
    };
    await put('success');
    await deliver(server);
    const said = [...test.losses, ...test.details].join('\n');
    assert.ok(said.length > 0);
    assert.ok(!said.includes('the-ping-key'), said);
  });
});

suite('what runs left', () => {
  const OLD = { path: '/b/old', bytes: 1_000, changedMs: 1 };
  const NEW = { path: '/b/new', bytes: 2_000, changedMs: 2.5 };
  const left = (one: typeof OLD) => new Map([['*', one]]);

  test('is remembered by check and pattern, in files for their owner alone', async () => {
    const { test } = await knowing();
    await test.spool.rememberLeft(backup, left(OLD));
    await test.spool.rememberLeft(backup, left(NEW));

    assert.deepEqual(await test.spool.lastLeft(backup, ['*', '?']), [NEW, null]);
    assert.deepEqual(await test.spool.lastLeft(targetOf('http://a/ping', 'other'), ['*']), [null]);
  });

  for (const dies of [false, true]) {
    test(`is the old or the new whatever call fails${dies ? ' or is the last one' : ''}`, async () => {
      for (let nth = 1, isReached = true; isReached; nth += 1) {
        const { files, test } = await knowing();
        await test.spool.rememberLeft(backup, left(OLD));
        let calls = 0;
        files.before = () => {
          calls += 1;
          if (calls === nth || (dies && calls > nth))
            throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        };
        await test.spool.rememberLeft(backup, left(NEW));
        isReached = calls >= nth;
        assert.ok(isReached || nth > 8, `there were ${nth - 1} calls`);
        files.before = () => undefined;
        const [found] = await test.spool.lastLeft(backup, ['*']);
        assert.ok(found?.bytes === OLD.bytes || found?.bytes === NEW.bytes, `call ${nth}`);
        assert.deepEqual(test.losses, []);
      }
    });
  }

  test('is not known where its file cannot be read', async () => {
    const { files, test } = await knowing();
    await test.spool.rememberLeft(backup, left(OLD));
    for (const [path, entry] of files.names) if (path.includes('/left/')) entry.bytes = bytesOf('{"path":');

    assert.deepEqual(await test.spool.lastLeft(backup, ['*']), [null]);
  });

  test('is forgotten where there is too much of it', async () => {
    const { files, test } = await knowing();
    for (let run = 0; run < 510; run += 1) await test.spool.rememberLeft(backup, new Map([[`${run}`, OLD]]));

    assert.equal((await files.list('/spool/left')).length, 500);
  });
});

test('results that were delivered at once are forgotten where there are too many', async () => {
  const { files } = await knowing();
  const memory = new Memory({ files, path: '/spool', random: () => 'a' });
  for (let check = 0; check < 1_005; check += 1) {
    await memory.rememberResult(targetOf('http://a/ping', `c${check}`), momentAt(check));
  }

  assert.equal((await files.list('/spool/results')).length, 1_000);
});
