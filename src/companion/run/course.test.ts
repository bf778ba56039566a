import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from '../arguments.ts';
import { RUN_OPTIONS } from '../options.ts';
import { momentAt } from '../ping.test-support.ts';
import { FakeTiming } from '../send/timing.test-support.ts';
import { type Course, runCourse } from './course.ts';
import type { Ending, OutputSource, StartedJob } from './job.ts';
import type { Locking } from './lock.ts';
import { NO_SECRETS } from './redaction.ts';

const HELD: Locking = { kind: 'held', since: '2026-11-18T03:00:00.000Z', processId: 7 };

interface FakeJob {
  readonly takesMs: number;
  readonly ending?: Ending;
  /** The end by a signal; null for a job that ignores it. */
  readonly onSignal?: Partial<Record<NodeJS.Signals, Ending | null>>;
  readonly writes?: string;
  /** Somebody in the background holds its output open. */
  readonly staysOpen?: boolean;
}

interface Given {
  readonly jobs?: readonly FakeJob[];
  readonly options?: readonly string[];
  readonly hasTerminal?: boolean;
  readonly locks?: readonly (Locking | 'never')[];
  /** How often we have to run before we see whether there is a lock. */
  readonly lockTakesTurns?: number;
  /** When which signal comes. */
  readonly signals?: readonly (readonly [ms: number, signal: NodeJS.Signals])[];
  readonly reportTakesMs?: number;
  /** What was found to be missing after each attempt, and how long that took. */
  readonly unmet?: readonly (readonly string[])[];
  readonly lookTakesMs?: number;
  readonly summarize?: Course['summarize'];
}

const exit = (code: number): Ending => ({ kind: 'exit', code });

async function course(given: Given) {
  const timing = new FakeTiming();
  const events: string[] = [];
  const note = (what: string) => events.push(`${timing.monotonicMs()} ${what}`);
  const jobs = [...(given.jobs ?? [{ takesMs: 10 }])];
  const locks = given.locks === undefined ? null : [...given.locks];
  const looks = [...(given.unmet ?? [])];
  let starts = 0;
  const startJob = async () => {
    starts += 1;
    note('job');
    return runningJob(jobs.shift() ?? { takesMs: 10 }, timing, note);
  };
  const parsed = parseArguments(RUN_OPTIONS, { argv: given.options ?? [], environment: {}, runsJob: true });
  const parts: Course = {
    options: parsed.values,
    timing,
    moment: () => momentAt(timing.monotonicMs()),
    hasTerminal: given.hasTerminal ?? false,
    startJob,
    copy: (source, _stream, keep) =>
      source.read(async (piece) => {
        keep(piece);
        return true;
      }),
    afterInput: async () => undefined,
    listen: (take) => {
      for (const [ms, signal] of given.signals ?? []) timing.after(ms, () => take(signal));
    },
    pings: {
      begin: () => note('begin'),
      look: async (startedMs) => {
        note(`look since ${startedMs}`);
        await new Promise<void>((resolve) => timing.after(given.lookTakesMs ?? 0, resolve));
        const unmet = looks.shift() ?? [];
        return { unmet, bytes: unmet.length > 0 ? null : 1_000 };
      },
      log: async (_at, body) => note(`log ${Buffer.from(await body(null))}`),
      end: async ({ signal, body }, until, settled) => {
        note(`end ${signal} ${Buffer.from(await body(null))}`.trimEnd());
        until.addEventListener('abort', () => note('over'));
        await new Promise<void>((resolve) => timing.after(given.reportTakesMs ?? 0, resolve));
        if (until.aborted) return;
        note('reported');
        settled();
      },
      isClean: () => true,
      close: () => undefined,
    },
    secrets: () => NO_SECRETS,
    summarize: given.summarize ?? null,
    tryLock:
      locks &&
      (async () => {
        const locking = locks.shift() ?? HELD;
        for (let turn = 0; turn < (given.lockTakesTurns ?? 0); turn++)
          await new Promise((resolve) => setImmediate(resolve));
        return locking === 'never' ? new Promise<never>(() => undefined) : locking;
      }),
    complain: note,
  };
  const { leaving, isStuck } = await timing.run(runCourse(parts));
  return { events, leaving, isStuck, starts, endMs: timing.monotonicMs() };
}

function runningJob(job: FakeJob, timing: FakeTiming, note: (what: string) => void): StartedJob {
  let end: (ending: Ending) => void = () => undefined;
  const ended = new Promise<Ending>((resolve) => {
    end = resolve;
  });
  timing.after(job.takesMs, () => end(job.ending ?? exit(0)));
  const take = (signal: NodeJS.Signals) => {
    note(`job gets ${signal}`);
    const ending = job.onSignal?.[signal];
    if (ending !== null) end(ending ?? { kind: 'signal', signal });
  };
  const output: OutputSource = {
    read: async (piece) => {
      if (job.writes !== undefined) await piece(Buffer.from(job.writes));
      await (job.staysOpen ? new Promise(() => undefined) : ended);
    },
  };
  const silent: OutputSource = { read: async () => undefined };
  const startedMs = timing.monotonicMs();
  return {
    startedMs,
    processId: 1,
    ended,
    output: [output, silent],
    kill: take,
    killAll: take,
    hasOthers: () => false,
  };
}

test('the job is started before anything else', async () => {
  const { events, leaving } = await course({ jobs: [{ takesMs: 10, writes: 'hello' }] });

  assert.deepEqual(events, ['0 job', '0 begin', '10 end success hello', '10 reported']);
  assert.deepEqual(leaving, { kind: 'exit', code: 0 });
});

test('we end as the job ended', async () => {
  const killed: Ending = { kind: 'signal', signal: 'SIGKILL' };
  assert.deepEqual((await course({ jobs: [{ takesMs: 1, ending: exit(3) }] })).leaving, exit(3));
  assert.deepEqual((await course({ jobs: [{ takesMs: 1, ending: killed }] })).leaving, killed);
  const { events, leaving } = await course({
    jobs: [{ takesMs: 0, ending: { kind: 'not started', code: 127, reason: 'x: not found' } }],
  });
  assert.deepEqual(leaving, { kind: 'exit', code: 127 });
  assert.deepEqual(events.slice(2), ['0 x: not found', '0 end 127 x: not found', '0 reported']);
});

test('reporting has its time and no more', async () => {
  const { events, isStuck, endMs } = await course({ reportTakesMs: 100_000 });

  const lost = 'pings may be lost: they could be neither delivered nor kept in time';
  assert.deepEqual(events.slice(-2), ['7010 over', `8410 ${lost}`]);
  assert.deepEqual([isStuck, endMs], [true, 8_410]);
});

test('after a signal reporting has three seconds, and after a second one nothing but keeping', async () => {
  const slow = { reportTakesMs: 100_000, jobs: [{ takesMs: 1_000, onSignal: { SIGTERM: exit(9) } }] };

  const one = await course({ ...slow, signals: [[100, 'SIGTERM']] });
  const two = await course({
    ...slow,
    signals: [
      [100, 'SIGTERM'],
      [200, 'SIGTERM'],
    ],
  });
  const late = await course({ ...slow, signals: [[1_500, 'SIGTERM']] });

  assert.deepEqual([one.events.at(-2), one.endMs, one.leaving], ['2350 over', 3_500, exit(9)]);
  assert.deepEqual([two.events.at(-2), two.endMs], ['200 over', 1_200]);
  assert.deepEqual([late.events.at(-2), late.leaving], ['3750 over', exit(0)]);
});

test('signals are passed on, those of a terminal only without one', async () => {
  const jobs: FakeJob[] = [
    { takesMs: 100, onSignal: { SIGINT: null, SIGUSR1: null, SIGQUIT: null, SIGWINCH: null } },
  ];
  const signals = [
    [10, 'SIGINT'],
    [20, 'SIGUSR1'],
    [30, 'SIGQUIT'],
    [40, 'SIGWINCH'],
  ] as const;
  const passed = (events: string[]) =>
    events.filter((one) => one.includes('gets')).map((one) => one.split(' ').at(-1));

  assert.deepEqual(passed((await course({ jobs, signals })).events), [
    'SIGINT',
    'SIGUSR1',
    'SIGQUIT',
    'SIGWINCH',
  ]);
  assert.deepEqual(passed((await course({ jobs, signals, hasTerminal: true })).events), [
    'SIGUSR1',
    'SIGWINCH',
  ]);
});

test('--timeout asks first, then kills, and gives 124', async () => {
  const options = ['--timeout', '5s', '--kill-after', '2s'];
  const stubborn = { takesMs: 60_000, onSignal: { SIGTERM: null } };

  const { events, leaving } = await course({ options, jobs: [stubborn] });
  const willing = await course({ options, jobs: [{ takesMs: 60_000, onSignal: { SIGTERM: exit(0) } }] });

  assert.deepEqual(events.slice(2, 4), ['5000 job gets SIGTERM', '7000 job gets SIGKILL']);
  assert.equal(events[4], '7000 end 124 [tocsin] stopped after 7.0 s, by --timeout');
  assert.deepEqual([leaving, willing.leaving], [exit(124), exit(124)]);
});

test('--retries repeats a failed job with a remark for each attempt', async () => {
  const options = ['--retries', '2', '--retry-delay', '30s'];
  const fails = { takesMs: 10, ending: exit(1), writes: 'no' };

  const { events, leaving } = await course({ options, jobs: [fails, fails, { takesMs: 10, writes: 'yes' }] });

  assert.deepEqual(events, [
    '0 job',
    '0 begin',
    '10 log no\n[tocsin] exit status 1 after 0.0 s',
    '30010 job',
    '30020 log no\n[tocsin] exit status 1 after 0.0 s',
    '60020 job',
    '60030 end success yes',
    '60030 reported',
  ]);
  assert.deepEqual(leaving, exit(0));
});

test('--retry-codes repeats those alone', async () => {
  const options = ['--retries', '2', '--retry-codes', '75'];
  const codes = [75, 1].map((code) => ({ takesMs: 1, ending: exit(code) }));

  const { starts, leaving } = await course({ options, jobs: codes });

  assert.equal(starts, 2);
  assert.deepEqual(leaving, exit(1));
});

test('a signal that asks us to end stops repeating, also between two attempts', async () => {
  const options = ['--retries', '5'];
  const jobs = [{ takesMs: 1_000, ending: exit(1), onSignal: { SIGTERM: exit(2) } }];

  assert.equal((await course({ options, jobs, signals: [[10, 'SIGTERM']] })).starts, 1);
  const between = await course({ options, jobs, signals: [[5_000, 'SIGTERM']] });
  assert.equal(between.starts, 1);
  assert.deepEqual(between.leaving, exit(1));
});

test('a lock that another run holds means no run, a remark and 75', async () => {
  const { events, leaving } = await course({ locks: [] });

  assert.deepEqual(events, [
    '0 end log [tocsin] not started: another run goes on since 2026-11-18T03:00:00.000Z, as process 7',
    '0 reported',
  ]);
  assert.deepEqual(leaving, exit(75));
});

test('--lock-wait waits for the other run to end', async () => {
  const lock: Locking = {
    kind: 'taken',
    lock: { hand: async () => undefined, release: async () => undefined },
  };

  const { events } = await course({ options: ['--lock-wait', '5s'], locks: [HELD, HELD, lock] });
  const ended = await course({ options: ['--lock-wait', '5s'], locks: [], signals: [[300, 'SIGTERM']] });

  assert.equal(events[0], '400 job');
  assert.deepEqual([ended.events, ended.leaving], [[], { kind: 'signal', signal: 'SIGTERM' }]);
});

test('where locks do not work, the job runs', async () => {
  const { events, leaving } = await course({ locks: [{ kind: 'faulty', reason: 'no folder' }] });

  assert.deepEqual(events.slice(0, 2), ['0 there is no lock: no folder', '0 job']);
  assert.deepEqual(leaving, exit(0));
});

test('on a busy machine the disk has answered before we see it, and the lock counts', async () => {
  const { events, leaving } = await course({ locks: [HELD], lockTakesTurns: 10 });

  assert.deepEqual(leaving, exit(75));
  assert.ok(!events.some((event) => event.endsWith('job')), events.join());
});

test('a disk that does not answer whether there is a lock, or keeps it, holds up nobody for long', async () => {
  const never = () => new Promise<never>(() => undefined);
  const taken: Locking = { kind: 'taken', lock: { hand: never, release: never } };

  const silent = await course({ locks: ['never'] });
  const kept = await course({ locks: [taken] });

  assert.deepEqual(silent.events.slice(0, 2), [
    '3000 there is no lock: the disk does not answer',
    '3000 job',
  ]);
  assert.deepEqual(
    [silent.leaving, silent.isStuck, kept.leaving, kept.isStuck],
    [exit(0), true, exit(0), true],
  );
});

test('output that stays open does not hold up the report; --linger says how long it is copied', async () => {
  const jobs = [{ takesMs: 10, writes: 'x', staysOpen: true }];

  const { events, endMs, isStuck } = await course({ jobs, options: ['--linger', '60s'] });
  const atOnce = await course({ jobs, options: ['--linger', '0'] });

  assert.deepEqual(events.slice(2), ['60 end success x', '60 reported']);
  assert.deepEqual([endMs, isStuck], [60_060, true]);
  assert.equal(atOnce.endMs, 60);
});

test('a signal ends copying, too', async () => {
  const jobs = [{ takesMs: 10, staysOpen: true }];

  const { endMs, leaving } = await course({ jobs, signals: [[1_000, 'SIGTERM']] });

  assert.deepEqual([endMs, leaving], [1_000, exit(0)]);
});

const EXPECTS = ['--expect-file', 'x'];

test('a job that left nothing has failed and still gives its own exit code', async () => {
  const { events, leaving } = await course({
    options: EXPECTS,
    jobs: [{ takesMs: 10, writes: 'done' }],
    unmet: [['x: nothing is there']],
  });

  assert.deepEqual(events.slice(2), [
    '10 look since 0',
    '10 x: nothing is there',
    '10 end fail done\n[tocsin] exit status 0 after 0.0 s; x: nothing is there',
    '10 reported',
  ]);
  assert.deepEqual(leaving, exit(0));
});

test('a job that left what it should tells how much that is', async () => {
  const { events } = await course({ options: EXPECTS, jobs: [{ takesMs: 10, writes: 'done' }] });

  assert.deepEqual(events.slice(2), [
    '10 look since 0',
    '10 end success file_bytes=1000\ndone',
    '10 reported',
  ]);
});

test('nobody looks after a failure, nor where nothing is expected', async () => {
  const failed = await course({ options: EXPECTS, jobs: [{ takesMs: 10, ending: exit(3) }] });
  const plain = await course({});

  assert.deepEqual(failed.events.slice(2), ['10 end 3', '10 reported']);
  assert.ok(!plain.events.some((one) => one.includes('look')));
});

test('--retries runs a job again that left nothing, and each attempt counts from its own start', async () => {
  const options = [...EXPECTS, '--retries', '1', '--retry-delay', '5s'];

  const { events, starts } = await course({ options, unmet: [['x: nothing is there']] });
  const codes = await course({ options: [...options, '--retry-codes', '75'], unmet: [['x: old']] });

  assert.deepEqual(events.slice(2), [
    '10 look since 0',
    '10 x: nothing is there',
    '10 log [tocsin] exit status 0 after 0.0 s; x: nothing is there',
    '5010 job',
    '5020 look since 5010',
    '5020 end success file_bytes=1000',
    '5020 reported',
  ]);
  assert.deepEqual([starts, codes.starts], [2, 1]);
});

test('a disk that does not answer is no success, and takes its time from reporting', async () => {
  const slow = { options: EXPECTS, lookTakesMs: 100_000, reportTakesMs: 100_000 };

  const { events, endMs, leaving } = await course(slow);
  const hurried = await course({ ...slow, options: [...EXPECTS, '--report-within', '1s'] });
  const stopped = await course({
    ...slow,
    signals: [[5, 'SIGTERM']],
    jobs: [{ takesMs: 10, onSignal: { SIGTERM: exit(0) } }],
  });

  assert.equal(
    events[4],
    '3010 end fail [tocsin] exit status 0 after 0.0 s; --expect-file: the disk does not answer',
  );
  assert.deepEqual([endMs, leaving], [8_410, exit(0)]);
  assert.deepEqual([hurried.events[3]?.split(' ')[0], hurried.endMs], ['510', 1_410]);
  assert.equal(stopped.events.find((one) => one.includes('end fail'))?.split(' ')[0], '1005');
});

test('a reader of summaries that throws fails no job and loses no ping', async () => {
  const summarize = () => {
    throw new Error('a fault of ours');
  };
  const { events, leaving } = await course({
    options: ['--as', 'restic'],
    jobs: [{ takesMs: 10, ending: exit(3), writes: 'output' }],
    summarize,
  });

  assert.equal(events[2], '10 end 3 output');
  assert.deepEqual(leaving, exit(3));
});

test('numbers of a summary come first; an output without one is passed on with a note', async () => {
  const jobs = [{ takesMs: 10, writes: 'summary' }];
  const known = await course({
    options: ['--as', 'restic', ...EXPECTS],
    jobs,
    summarize: ({ out }) => ({ files: out.text.length, errors: 0 }),
  });
  const unknown = { options: ['--as', 'restic'], summarize: () => null };

  assert.equal(known.events[3], '10 end success files=7 errors=0 file_bytes=1000\nsummary');
  assert.equal(
    (await course({ ...unknown, jobs })).events[2],
    '10 end success summary\n[tocsin] exit status 0 after 0.0 s; the output has no summary that --as restic knows',
  );
  assert.equal(
    (await course({ ...unknown, jobs: [{ takesMs: 10, ending: exit(1) }] })).events[2],
    '10 end 1',
  );
});
