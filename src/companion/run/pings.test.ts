import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentAt, targetOf } from '../ping.test-support.ts';
import type { Delivery, Moment, Ping, Sender, ServerLimits, Signal } from '../ping.ts';
import { FakeTiming } from '../send/timing.test-support.ts';
import type { Left } from '../spool/left.ts';
import { DirectPings, type PingsOptions } from './pings.ts';

const KNOWS_AGE: ServerLimits = { bodyBytes: 100_000, ageSeconds: 2_592_000 };
const PLAIN: ServerLimits = { bodyBytes: null, ageSeconds: null };
const RID = 'a1b2c3d4-0000-4000-8000-000000000001';
const NEVER = new AbortController().signal;

const accepted = (limits = KNOWS_AGE): Delivery => ({ kind: 'accepted', limits });
const failed = (retryAfterMs: number | null = null): Delivery => ({
  kind: 'failed',
  reason: 'away',
  retryAfterMs,
});

interface Given {
  readonly answers?: readonly (Delivery | 'never')[];
  readonly remembered?: ServerLimits;
  readonly options?: Partial<PingsOptions>;
  readonly spool?: 'none' | 'full' | 'hangs';
}

/** A run against a server that gives these answers, then accepts all. */
function world(given: Given = {}) {
  const timing = new FakeTiming();
  const answers = [...(given.answers ?? [])];
  const events: string[] = [];
  const kept: Ping[] = [];
  const sent: Ping[] = [];
  const sender: Sender = {
    send: async (ping, { ageMs, until }) => {
      sent.push(ping);
      events.push(`${timing.monotonicMs()} ${ping.signal}${ageMs === null ? '' : ` age ${ageMs}`}`);
      const answer = answers.shift() ?? accepted();
      if (answer !== 'never' || until.aborted) return answer === 'never' ? failed() : answer;
      await new Promise((resolve) => until.addEventListener('abort', resolve, { once: true }));
      return failed();
    },
    close: () => undefined,
  };
  const hang = () => new Promise<never>(() => undefined);
  const spool = {
    put: async (ping: Ping) => {
      if (given.spool === 'hangs') await hang();
      if (given.spool !== 'full') kept.push(ping);
      return given.spool !== 'full';
    },
    makeRoom: async () => undefined,
    deliver: async () => {
      if (given.spool === 'hangs') await hang();
      events.push(`${timing.monotonicMs()} old ones`);
    },
    limitsOf: async () => (given.spool === 'hangs' ? hang() : (given.remembered ?? null)),
    remember: async () => undefined,
    lastLeft: async () => (given.spool === 'hangs' ? hang() : []),
    rememberLeft: async (_target: unknown, left: ReadonlyMap<string, Left>) => {
      events.push(`${timing.monotonicMs()} remembers ${[...left.values()].map(({ path }) => path)}`);
    },
    isStuck: () => given.spool === 'hangs',
  };
  const moment = (): Moment => momentAt(timing.monotonicMs());
  const said: string[] = [];
  const pings = new DirectPings({
    open: async () => {
      events.push(`${timing.monotonicMs()} open`);
      return {
        target: targetOf('http://a/ping', 'job'),
        sender,
        spool: given.spool === 'none' ? null : spool,
      };
    },
    look: async () => ({ unmet: [], bytes: null }),
    rid: RID,
    sendsStart: true,
    attemptMs: 4_000,
    timing,
    moment,
    complain: (line) => said.push(line),
    tell: () => undefined,
    ...given.options,
  });
  const end = (signal: Signal | null = 'success', until: AbortSignal = NEVER) =>
    timing.run(
      pings.end(
        { at: moment(), signal, withinMs: 8_000, body: (limit) => Buffer.from(`limit ${limit}`) },
        until,
        () => undefined,
      ),
    );
  const after = (ms: number) => timing.run(new Promise<void>((resolve) => timing.after(ms, resolve)));
  return { timing, pings, moment, events, sent, kept, said, end, after };
}

/** Aborted after a time. */
function over(timing: FakeTiming, ms: number): AbortSignal {
  const controller = new AbortController();
  timing.after(ms, () => controller.abort());
  return controller.signal;
}

test('start, old pings, result, under one run id and with the limit that the server has told', async () => {
  const run = world();
  run.pings.begin(run.moment());
  await run.after(5_000);
  await run.end(3);

  assert.deepEqual(run.events, ['0 open', '0 start', '0 old ones', '5000 3']);
  assert.deepEqual(
    run.sent.map(({ rid }) => rid),
    [RID, RID],
  );
  assert.equal(Buffer.from(run.sent[1]?.body ?? []).toString(), 'limit 100000');
  assert.ok(run.pings.isClean());
});

test('a start that fails is tried again after 1, 2, 4 seconds, as long as the job runs', async () => {
  const run = world({ answers: [failed(), failed(), failed()] });
  run.pings.begin(run.moment());
  await run.after(20_000);
  await run.end();

  assert.deepEqual(run.events, [
    '0 open',
    '0 start',
    '1000 start',
    '3000 start',
    '7000 start',
    '7000 old ones',
    '20000 success',
  ]);
});

test('the result waits for a start that is under way', async () => {
  const run = world({ answers: ['never'] });
  run.pings.begin(run.moment());
  await run.after(10);
  await run.end();

  // The attempt ends after its time; the server knows late pings now.
  assert.deepEqual(run.events.slice(0, 4), ['0 open', '0 start', '4000 start', '4000 success age 3990']);
});

test('a start that was not delivered comes with its age before the result, where the server knows that', async () => {
  const run = world({ answers: [failed()], remembered: KNOWS_AGE });
  run.pings.begin(run.moment());
  await run.after(900);
  await run.end();
  assert.deepEqual(run.events.slice(1, 4), ['0 start', '900 start', '900 success']);

  const longer = world({ answers: [failed(), failed(), failed()], remembered: KNOWS_AGE });
  longer.pings.begin(longer.moment());
  await longer.after(5_000);
  await longer.end();
  assert.deepEqual(longer.events.slice(-3), ['5000 start age 5000', '5000 success', '5000 old ones']);
});

test('to a server that knows no late pings, an old start is not sent', async () => {
  const run = world({ answers: [failed(), failed(), failed(), accepted(PLAIN)] });
  run.pings.begin(run.moment());
  await run.after(5_000);
  await run.end();

  assert.deepEqual(run.events.slice(0, 5), ['0 open', '0 start', '1000 start', '3000 start', '5000 success']);
  assert.deepEqual(run.kept, []);
});

test('a result is tried five times, then everything that was not delivered is kept in order', async () => {
  const run = world({ answers: Array.from({ length: 20 }, () => failed()) });
  run.pings.begin(run.moment());
  await run.after(10);
  await run.end();

  assert.deepEqual(run.events.slice(1), [
    '0 start',
    '10 start',
    '260 start',
    '760 start',
    '1760 start',
    '3760 start',
  ]);
  assert.deepEqual(
    run.kept.map(({ signal }) => signal),
    ['start', 'success'],
  );
  assert.deepEqual(run.said, []);
  assert.ok(!run.pings.isClean());
});

test('Retry-After is honoured where it fits', async () => {
  const run = world({ answers: [accepted(), failed(1_000)] });
  run.pings.begin(run.moment());
  await run.after(0);
  await run.end();

  assert.equal(run.events.at(-1)?.replace(' age 1000', ''), '1000 success');
});

test('a server that asks for more time than there is gets the result later', async () => {
  const run = world({ answers: [accepted(), failed(600_000)] });
  run.pings.begin(run.moment());
  await run.after(10);
  await run.end();

  assert.equal(run.timing.monotonicMs(), 10);
  assert.deepEqual(
    run.kept.map(({ signal }) => signal),
    ['success'],
  );
});

test('when the time is over, what is left is kept at once', async () => {
  const run = world({ answers: ['never', 'never'] });
  run.pings.begin(run.moment());
  await run.after(10);
  await run.end('success', over(run.timing, 1_000));

  assert.equal(run.timing.monotonicMs(), 1_010);
  assert.deepEqual(
    run.kept.map(({ signal }) => signal),
    ['start', 'success'],
  );
});

test('the limit that is remembered holds where the server has not answered', async () => {
  const run = world({ answers: ['never'], remembered: { bodyBytes: 5_000, ageSeconds: null } });
  run.pings.begin(run.moment());
  await run.after(10);
  await run.end('success', over(run.timing, 100));

  assert.equal(Buffer.from(run.kept[1]?.body ?? []).toString(), 'limit 5000');
});

test('a ping that can be neither delivered nor kept is told, once', async () => {
  for (const spool of ['none', 'full'] as const) {
    const run = world({ answers: ['never'], spool });
    run.pings.begin(run.moment());
    await run.end('success', over(run.timing, 100));

    assert.deepEqual(
      [...new Set(run.said)],
      ['pings of job are lost: they could be neither delivered nor kept'],
    );
  }
});

test('what a server refuses is told and neither tried again nor kept', async () => {
  const run = world({
    answers: [
      { kind: 'refused', status: 404 },
      { kind: 'refused', status: 404 },
    ],
  });
  run.pings.begin(run.moment());
  await run.after(10);
  await run.end();

  assert.deepEqual([...new Set(run.said)], ['the server does not accept pings of job: it answers 404']);
  assert.deepEqual([run.sent.length, run.kept.length], [2, 0]);
});

test('failed attempts of the job are told in order, while it is tried again', async () => {
  const run = world({ options: { sendsStart: false } });
  run.pings.begin(run.moment());
  await run.after(10);
  run.pings.log(run.moment(), () => Buffer.from('one'));
  await run.after(10);
  await run.end(null);

  assert.deepEqual(run.events, ['0 open', '0 old ones', '10 log']);
});

test('a disk that hangs holds up no ping', async () => {
  const run = world({ spool: 'hangs' });
  run.pings.begin(run.moment());
  await run.after(10);
  const ended = run.pings.end(
    { at: run.moment(), signal: 'success', withinMs: 8_000, body: () => Buffer.from('x') },
    NEVER,
    () => run.said.push('settled'),
  );
  await run.after(10);

  assert.deepEqual(run.events, ['0 open', '0 start', '10 success']);
  assert.deepEqual([run.said, run.pings.isClean()], [['settled'], false]);
  void ended;
});

test('pings that a disk or a look-up keeps from being kept are not settled', async () => {
  const hang = () => new Promise<never>(() => undefined);
  for (const given of [
    { spool: 'hangs', answers: ['never', 'never'] },
    { options: { open: hang } },
  ] as const) {
    const run = world(given);
    run.pings.begin(run.moment());
    await run.after(10);
    const over = new AbortController();
    const result = { at: run.moment(), signal: 3, withinMs: 0, body: () => Buffer.from('x') };
    void run.pings.end(result, over.signal, assert.fail);
    over.abort();
    await run.after(10_000);
    assert.ok(!run.pings.isClean());
  }
});

test('without a target nothing is sent, and the run ends', async () => {
  const run = world({ options: { open: async () => null } });
  run.pings.begin(run.moment());
  await run.end();

  assert.deepEqual(run.sent, []);
  assert.ok(run.pings.isClean());
});

const LEFT = { path: '/b/x', bytes: 5, changedMs: 1 };

test('what a run left is remembered beside its pings', async () => {
  const here = world({
    options: {
      look: async (_startedMs, memory) => {
        assert.deepEqual(await memory.last(['x']), []);
        memory.remember(new Map([['x', LEFT]]));
        return { unmet: [], bytes: 5 };
      },
    },
  });
  here.pings.begin(here.moment());

  await here.timing.run(here.pings.look(0));
  await here.end();

  assert.ok(here.events.includes('0 remembers /b/x'));
  assert.equal(here.pings.isClean(), true);
});

test('a look that hangs holds up no ping, and this process leaves it behind', async () => {
  const here = world({ options: { look: () => new Promise(() => undefined) } });
  here.pings.begin(here.moment());

  void here.pings.look(0);
  await here.end();

  assert.ok(here.events.includes('0 success'));
  assert.equal(here.pings.isClean(), false);
});
