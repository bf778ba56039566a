import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentAt } from '../ping.test-support.ts';
import type { RunPings } from './pings.ts';
import { type Channel, type FromPinger, RemotePings, servePings, type ToPinger } from './remote-pings.ts';

const NOTHING_EXPECTED = { unmet: [], bytes: null };
const NEVER = new AbortController().signal;

/** Both ends of a channel in one process. Messages arrive later, as they do between two. */
function channels() {
  const here: ((message: FromPinger) => void)[] = [];
  const there: ((message: ToPinger) => void)[] = [];
  const gone: (() => void)[] = [];
  const later =
    <T>(listeners: ((message: T) => void)[]) =>
    (message: T) =>
      setImmediate(() => {
        for (const take of listeners) take(structuredClone(message));
      });
  const job: Channel<ToPinger, FromPinger> = {
    send: later(there),
    listen: (take) => here.push(take),
    onClose: (take) => gone.push(take),
    close: () => undefined,
  };
  const pinger: Channel<FromPinger, ToPinger> = {
    send: later(here),
    listen: (take) => there.push(take),
    onClose: () => undefined,
    close: () => undefined,
  };
  return { job, pinger, die: () => gone.forEach((take) => void take()) };
}

function world(pings: (note: (what: string) => void, talk: (message: FromPinger) => void) => RunPings) {
  const events: string[] = [];
  const { job, pinger, die } = channels();
  servePings(pinger, ({ argv, rid }) => {
    events.push(`made with ${argv.join(' ')} for ${rid}`);
    return pings((what) => events.push(what), pinger.send);
  });
  const remote = new RemotePings({
    argv: ['--slug', 'a'],
    rid: 'r',
    openChannel: () => job,
    learnSecrets: (secrets) => events.push(`secrets ${secrets}`),
    complain: (line) => events.push(line),
    tell: () => undefined,
  });
  return { remote, events, die };
}

test('the other process sends, and asks for bodies when it knows how long they may be', async () => {
  const { remote, events } = world((note, talk) => ({
    begin: ({ wallMs }) => {
      note(`begin at ${wallMs}`);
      talk({ kind: 'secrets', secrets: ['s'] });
    },
    log: async (_at, body) => note(`log ${Buffer.from(await body(null))}`),
    end: async ({ signal, body }, _until, settled) => {
      note(`end ${signal} ${Buffer.from(await body(5_000))}`);
      talk({ kind: 'complain', line: 'lost' });
      settled();
    },
    look: async () => NOTHING_EXPECTED,
    isClean: () => true,
    close: () => undefined,
  }));

  remote.begin(momentAt(7));
  remote.log(momentAt(8), (limit) => Buffer.from(`remark ${limit}`));
  await remote.end(
    { at: momentAt(9), signal: 3, withinMs: 1, body: (limit) => Buffer.from(`output ${limit}`) },
    NEVER,
    () => events.push('settled'),
  );

  assert.deepEqual(events, [
    'made with --slug a for r',
    'begin at 7',
    'secrets s',
    'log remark null',
    'end 3 output 5000',
    'lost',
    'settled',
  ]);
});

test('it learns that the time is over', async () => {
  const over = new AbortController();
  const { remote, events } = world((note) => ({
    begin: () => undefined,
    log: () => undefined,
    end: (_result, until) =>
      new Promise((resolve) => {
        until.addEventListener('abort', () => {
          note('over');
          resolve();
        });
      }),
    look: async () => NOTHING_EXPECTED,
    isClean: () => true,
    close: () => undefined,
  }));

  const ended = remote.end(
    { at: momentAt(9), signal: 'log', withinMs: 1, body: () => new Uint8Array() },
    over.signal,
    () => undefined,
  );
  over.abort();
  await ended;

  assert.deepEqual(events.slice(1), ['over']);
});

test('its death ends the waiting for it', async () => {
  const { remote, die } = world(() => ({
    begin: () => die(),
    log: () => undefined,
    end: () => new Promise(() => undefined),
    look: async () => NOTHING_EXPECTED,
    isClean: () => true,
    close: () => undefined,
  }));

  remote.begin(momentAt(7));
  await remote.end(
    { at: momentAt(9), signal: 3, withinMs: 1, body: () => new Uint8Array() },
    NEVER,
    assert.fail,
  );
});

test('the other process looks at files', async () => {
  const { remote } = world(() => ({
    begin: () => undefined,
    log: () => undefined,
    look: async (startedMs) => ({ unmet: [`since ${startedMs}`], bytes: null }),
    end: async () => undefined,
    isClean: () => true,
    close: () => undefined,
  }));

  const both = await Promise.all([remote.look(7), remote.look(8)]);

  assert.deepEqual(
    both.map(({ unmet }) => unmet),
    [['since 7'], ['since 8']],
  );
});
