import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Instant } from '../../lib/instant.ts';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import type { Signal } from '../ping/ping.ts';
import { receivePing } from '../ping/transition.ts';
import { isSlow, type RunFlip, type RunHistory, type RunPing, runsOf, usualDuration } from './run.ts';

const RID = '9f2a3a37-1f4d-4a3b-8a44-000000000001';
const OTHER = '9f2a3a37-1f4d-4a3b-8a44-000000000002';

/** Signals and times, in ascending order: `[['start', -10 * MINUTE], ['success', 0]]`. */
type Signals = [signal: Signal, at: Instant, rid?: string | null, exitStatus?: number][];

function pings(signals: Signals): RunPing[] {
  return signals.map(([signal, at, rid = null, exitStatus = null as number | null], index) => ({
    n: index + 1,
    createdAt: NOW + at,
    occurredAt: null,
    signal,
    rid,
    exitStatus: exitStatus ?? null,
  }));
}

const wentDown = (at: Instant): RunFlip => ({ createdAt: NOW + at, newStatus: 'down', reason: 'timeout' });

function results(signals: Signals, flips: RunFlip[] = [], history: Partial<RunHistory> = {}): string {
  const check = aCheck({ status: 'up', lastPingAt: NOW });
  return runsOf({ check, now: NOW, ...history, pings: pings(signals), flips })
    .map(({ result }) => result)
    .join(' ');
}

suite('a run', () => {
  test('without a start is as long as nobody knows', () => {
    const [run] = runsOf({ check: aCheck(), pings: pings([['success', 0]]), flips: [], now: NOW });
    assert.deepEqual(run, {
      result: 'ok',
      at: NOW,
      startedAt: null,
      endedAt: NOW,
      duration: null,
      startN: null,
      endN: 1,
      exitStatus: null,
      expectedAt: null,
      count: 0,
      listed: [],
    });
  });

  test('lasts from its start to its end', () => {
    const signals: Signals = [
      ['start', -MINUTE],
      ['log', -1],
      ['fail', 0, null, 2],
    ];
    const [run] = runsOf({ check: aCheck(), pings: pings(signals), flips: [], now: NOW });
    assert.deepEqual(run, {
      result: 'failed',
      at: NOW,
      startedAt: NOW - MINUTE,
      endedAt: NOW,
      duration: MINUTE,
      startN: 1,
      endN: 3,
      exitStatus: 2,
      expectedAt: null,
      count: 0,
      listed: [],
    });
  });

  test('is told from another that overlaps by its id', () => {
    const signals: Signals = [
      ['start', -3 * MINUTE, RID],
      ['start', -2 * MINUTE, OTHER],
      ['success', -MINUTE, RID],
      ['success', 0, OTHER],
    ];
    const runs = runsOf({ check: aCheck(), pings: pings(signals), flips: [], now: NOW });
    assert.deepEqual(
      runs.map(({ startN, endN, duration }) => [startN, endN, duration]),
      [
        [1, 3, 2 * MINUTE],
        [2, 4, 2 * MINUTE],
      ],
    );
  });

  test('that came after the clock was set back is the last one', () => {
    const signals: Signals = [
      ['success', 0],
      ['fail', -10 * MINUTE],
    ];
    assert.equal(results(signals), 'ok failed');
  });

  test('of more than 72 hours counts as one without a start', () => {
    const signals: Signals = [
      ['start', -72 * HOUR],
      ['success', 0],
    ];
    const [run] = runsOf({ check: aCheck(), pings: pings(signals), flips: [], now: NOW });
    assert.equal(run?.duration, null);
    assert.equal(run?.startN, null);
  });

  test('that began and was never heard of again is left out', () => {
    const signals: Signals = [
      ['start', -2 * HOUR, RID],
      ['start', -HOUR, OTHER],
      ['success', 0, OTHER],
    ];
    assert.equal(results(signals), 'ok');
  });

  test('is running while it is open', () => {
    const check = aCheck({ status: 'up', lastPingAt: NOW - DAY, lastStartAt: NOW - MINUTE });
    const signals: Signals = [
      ['success', -DAY],
      ['start', -MINUTE],
    ];
    assert.equal(results(signals, [], { check }), 'ok running');
  });

  test('is running although its start is no longer stored', () => {
    const check = aCheck({ status: 'up', lastPingAt: NOW, lastStartAt: NOW - MINUTE });
    const [run] = runsOf({ check, pings: [], flips: [], now: NOW });
    assert.equal(run?.result, 'running');
    assert.equal(run?.startedAt, NOW - MINUTE);
    assert.equal(run?.startN, null);
  });
});

suite('a run that took too long', () => {
  const start: Signals = [
    ['success', -DAY],
    ['start', -2 * HOUR],
  ];

  test('has failed while it is open, and is one run', () => {
    const check = aCheck({ status: 'down', lastStartAt: NOW - 2 * HOUR, runReported: true });
    assert.equal(results(start, [wentDown(-HOUR)], { check }), 'ok failed');
  });

  test('has failed before the deadline loop has noticed', () => {
    const check = aCheck({ status: 'up', lastPingAt: NOW - DAY, lastStartAt: NOW - 2 * HOUR });
    assert.equal(results(start, [], { check }), 'ok failed');
  });

  test('was late if it succeeded in the end', () => {
    assert.equal(results([...start, ['success', 0]], [wentDown(-HOUR)]), 'ok late');
  });

  test('has failed once if it failed in the end', () => {
    assert.equal(results([...start, ['fail', 0]], [wentDown(-HOUR)]), 'ok failed');
  });

  test('has failed if its end never came', () => {
    const signals: Signals = [...start, ['start', -MINUTE], ['success', 0]];
    assert.equal(results(signals, [wentDown(-HOUR)]), 'ok failed ok');
  });
});

suite('silence', () => {
  test('is a missed run at the deadline', () => {
    const check = aCheck({ status: 'down', lastPingAt: NOW - 2 * DAY });
    const runs = runsOf({
      check,
      pings: pings([['success', -2 * DAY]]),
      flips: [wentDown(-DAY + HOUR)],
      now: NOW,
    });
    assert.deepEqual(
      runs.map(({ result, at }) => [result, at]),
      [
        ['ok', NOW - 2 * DAY],
        ['missed', NOW - DAY + HOUR],
      ],
    );
  });

  test('is a missed run before the deadline loop has noticed', () => {
    const check = aCheck({ status: 'up', lastPingAt: NOW - 2 * DAY });
    assert.equal(results([['success', -2 * DAY]], [], { check }), 'ok missed');
  });

  test('was a late run if it came before the next one was due', () => {
    const signals: Signals = [
      ['success', -DAY - 2 * HOUR],
      ['success', 0],
    ];
    assert.equal(results(signals, [wentDown(-HOUR)]), 'ok late');
  });

  test('was a late run after its own deadline, where nobody watched those before it', () => {
    const check = aCheck({ kind: 'cron', schedule: '0 * * * *', tz: 'UTC', graceSeconds: 600, status: 'up' });
    const told = (until: number, end: number) =>
      results(
        [
          ['success', -5 * HOUR + 2 * MINUTE],
          ['success', end],
        ],
        [wentDown(until + 5 * MINUTE)],
        {
          ...{ check, now: NOW + end },
          unwatched: { quiet: [], blind: [{ from: NOW - 5 * HOUR + 5 * MINUTE, until: NOW + until }] },
        },
      );

    assert.equal(told(12 * MINUTE, 20 * MINUTE), 'ok unknown late');
    assert.equal(told(-MINUTE, 6 * MINUTE), 'ok unknown ok');
  });

  test('was a failed run if a failure came before the next one was due', () => {
    const signals: Signals = [
      ['success', -DAY - 2 * HOUR],
      ['fail', 0],
    ];
    assert.equal(results(signals, [wentDown(-HOUR)]), 'ok failed');
  });

  test('stays a missed run when the next one comes', () => {
    const signals: Signals = [
      ['success', -4 * DAY],
      ['success', 0],
    ];
    assert.equal(results(signals, [wentDown(-3 * DAY + HOUR)]), 'ok missed ok');
  });

  test('ends with a pause', () => {
    const signals: Signals = [
      ['success', -DAY - 2 * HOUR],
      ['success', 0],
    ];
    const flips: RunFlip[] = [wentDown(-HOUR), { createdAt: NOW - MINUTE, newStatus: 'paused', reason: '' }];
    assert.equal(results(signals, flips), 'ok missed ok');
  });

  test('a late start whose run has not ended is a missed run beside it', () => {
    const check = aCheck({ status: 'down', lastPingAt: NOW - DAY - HOUR, lastStartAt: NOW - MINUTE });
    const signals: Signals = [
      ['success', -DAY - HOUR],
      ['start', -MINUTE],
    ];
    assert.equal(results(signals, [wentDown(0)], { check }), 'ok missed running');
  });
});

suite('runs that were missed one after the other', () => {
  function missed(signals: Signals, flips: RunFlip[], check: Partial<Check> = {}) {
    const down = { status: 'up', lastPingAt: NOW, timeoutSeconds: 3_600, graceSeconds: 600 } as const;
    const runs = runsOf({ check: aCheck({ ...down, ...check }), pings: pings(signals), flips, now: NOW });
    return runs.map(({ result, count }) => (count === 0 ? result : `${count} ${result}`)).join(', ');
  }
  const silent = (minutes: number): Signals => [
    ['success', -10 * HOUR],
    ['success', -10 * HOUR + minutes * MINUTE],
  ];
  const wentDownThen = [wentDown(-9 * HOUR + 10 * MINUTE)];

  test('are one entry with their number', () => {
    assert.equal(missed(silent(119), wentDownThen), 'ok, late');
    assert.equal(missed(silent(120), wentDownThen), 'ok, 1 missed, ok');
    assert.equal(missed(silent(5 * 60), wentDownThen), 'ok, 4 missed, ok');
  });

  test('are counted until now while the silence lasts, when their grace time is over', () => {
    const check = aCheck({ status: 'down', timeoutSeconds: 3_600, graceSeconds: 600 });
    const ongoing = (now: Instant) =>
      runsOf({
        check,
        pings: pings([['success', -10 * HOUR]]),
        flips: wentDownThen,
        now: NOW - 9 * HOUR + now,
      }).at(-1)?.count;

    assert.deepEqual([10 * MINUTE, 70 * MINUTE - 1, 70 * MINUTE, 130 * MINUTE].map(ongoing), [1, 1, 2, 3]);
  });

  test('are an entry of their own after a run that failed', () => {
    const signals: Signals = [
      ['fail', -10 * HOUR],
      ['fail', -9 * HOUR],
      ['success', -5 * HOUR],
    ];
    const flips: RunFlip[] = [{ createdAt: NOW - 10 * HOUR, newStatus: 'down', reason: 'fail' }];
    assert.equal(missed(signals, flips), 'failed, failed, 3 missed, ok');
  });

  test('end with a pause', () => {
    const flips: RunFlip[] = [
      ...wentDownThen,
      { createdAt: NOW - 7 * HOUR + 10 * MINUTE, newStatus: 'paused', reason: '' },
    ];
    assert.equal(missed(silent(10 * 60), flips), 'ok, 3 missed, ok');
  });

  test('include one that began late and was never heard of again', () => {
    const signals: Signals = [
      ['success', -10 * HOUR],
      ['start', -9 * HOUR + 30 * MINUTE, RID],
      ['start', -8 * HOUR, OTHER],
      ['success', -8 * HOUR + MINUTE, OTHER],
    ];
    assert.equal(missed(signals, wentDownThen), 'ok, 1 missed, ok');
  });

  test('are all counted, however many', () => {
    const minutely = { kind: 'cron', schedule: '* * * * *', tz: 'UTC' } as const;
    const signals: Signals = [
      ['success', -90 * DAY],
      ['success', -30 * DAY],
      ['success', -100 * MINUTE],
      ['success', 0],
    ];
    const flips = [-90 * DAY, -30 * DAY, -100 * MINUTE].flatMap((from): RunFlip[] => [
      wentDown(from + 2 * MINUTE),
    ]);
    assert.equal(missed(signals, flips, minutely), 'ok, 86399 missed, ok, 43099 missed, ok, 99 missed, ok');
  });

  test('are not counted by a schedule that cannot be evaluated', () => {
    const broken = { kind: 'cron', schedule: 'every now and then', tz: 'UTC', status: 'down' } as const;
    const flips: RunFlip[] = [{ createdAt: NOW - 10 * HOUR, newStatus: 'down', reason: 'fail' }];
    assert.equal(missed([['fail', -10 * HOUR]], flips, broken), 'failed');
  });
});

suite('after an edit, what was before stays as it was recorded:', () => {
  const at = (day: number, hour: number, minute = 0): Instant =>
    Date.UTC(2024, 2, day, hour, minute) * 1_000 - NOW;
  const nightly = { kind: 'cron', schedule: '0 3 * * *', tz: 'UTC', graceSeconds: 3_600 } as const;
  const edited = { ...nightly, schedule: '0 6 * * *', timedAt: NOW + at(4, 12) };

  function told(check: Partial<Check>, signals: Signals, flips: RunFlip[], now = at(4, 13)) {
    const up = aCheck({ status: 'up', lastPingAt: NOW + (signals.at(-1)?.[1] ?? 0), ...check });
    const runs = runsOf({ check: up, pings: pings(signals), flips, now: NOW + now });
    return runs.map(({ result, count, at: place }) =>
      [count || '', result, new Date(place / 1_000).toISOString().slice(8, 16).replace('T', ' ')]
        .join(' ')
        .trim(),
    );
  }

  test('a late run is no run that was missed', () => {
    const signals: Signals = [
      ['success', at(2, 3, 10)],
      ['success', at(3, 5)],
      ['success', at(4, 3, 10)],
    ];
    const before = told(nightly, signals, [wentDown(at(3, 4))]);

    assert.deepEqual(before, ['ok 02 03:10', 'late 03 05:00', 'ok 04 03:10']);
    assert.deepEqual(told(edited, signals, [wentDown(at(3, 4))]), before);
  });

  test('a run that failed late is none, either', () => {
    const signals: Signals = [
      ['success', at(2, 3, 10)],
      ['fail', at(3, 5)],
    ];
    const before = told(nightly, signals, [wentDown(at(3, 4))], at(3, 13));

    assert.deepEqual(before, ['ok 02 03:10', 'failed 03 05:00']);
    assert.deepEqual(told(edited, signals, [wentDown(at(3, 4))], at(3, 13)), before);
  });

  test('one that came late after a resumption is late', () => {
    const signals: Signals = [
      ['success', at(1, 3, 10)],
      ['success', at(3, 5)],
    ];
    const resumed: RunFlip = { createdAt: NOW + at(2, 12), newStatus: 'new', reason: '' };
    assert.deepEqual(told(edited, signals, [resumed, wentDown(at(3, 4))], at(3, 13)), [
      'ok 01 03:10',
      'late 03 05:00',
    ]);
  });

  test('a night without a run was missed, also if the next night it came', () => {
    const signals: Signals = [
      ['success', at(2, 3, 10)],
      ['success', at(4, 3, 10)],
    ];
    const before = told(nightly, signals, [wentDown(at(3, 4))]);

    assert.deepEqual(before, ['ok 02 03:10', '1 missed 03 04:00', 'ok 04 03:10']);
    assert.deepEqual(told(edited, signals, [wentDown(at(3, 4))]), before);
  });

  test('silence that goes on was missed once, and then by the new schedule', () => {
    const down = { ...edited, status: 'down', lastPingAt: NOW + at(2, 3, 10) } as const;
    assert.deepEqual(told(down, [['success', at(2, 3, 10)]], [wentDown(at(3, 4))], at(6, 12)), [
      'ok 02 03:10',
      '1 missed 03 04:00',
      '2 missed 05 07:00',
    ]);
  });

  test('a longer time of grace makes no late run one in time, and no run that was missed one that may come', () => {
    const signals: Signals = [
      ['success', at(2, 3, 10)],
      ['success', at(3, 4, 30)],
    ];
    const longer = { ...nightly, graceSeconds: 7_200 };
    assert.deepEqual(told(longer, signals, [wentDown(at(3, 4))], at(3, 13)), [
      'ok 02 03:10',
      'late 03 04:30',
    ]);
    const down = { ...longer, status: 'down' } as const;
    for (const now of [at(3, 4, 10), at(3, 5, 10)])
      assert.deepEqual(told(down, signals.slice(0, 1), [wentDown(at(3, 4))], now), [
        'ok 02 03:10',
        '1 missed 03 04:00',
      ]);
  });

  test('a shorter time of grace makes no run in time a late one', () => {
    const tens = { ...nightly, schedule: '*/10 * * * *' };
    const signals: Signals = [
      ['success', at(3, 2, 55)],
      ['success', at(3, 4, 6)],
    ];
    const before = told({ ...tens, graceSeconds: 3_900 }, signals, [wentDown(at(3, 4, 5))], at(3, 4, 7));

    assert.deepEqual(before, ['ok 03 02:55', '6 missed 03 04:05', 'ok 03 04:06']);
    assert.deepEqual(
      told({ ...tens, graceSeconds: 60 }, signals, [wentDown(at(3, 4, 5))], at(3, 4, 7)),
      before,
    );
  });
});

suite('the usual duration', () => {
  const took = (...minutes: number[]) =>
    runsOf({
      check: aCheck(),
      pings: pings(
        minutes.flatMap(
          (minute, index): Signals => [
            ['start', index * HOUR],
            ['success', index * HOUR + minute * MINUTE],
          ],
        ),
      ),
      flips: [],
      now: NOW,
    });

  test('is the median of the runs', () => {
    assert.equal(usualDuration(took(1, 30, 2)), 2 * MINUTE);
    assert.equal(usualDuration(took(1, 4)), 2.5 * MINUTE);
  });

  test('is not known without a run that has one', () => {
    assert.equal(usualDuration([]), null);
  });

  test('comes from the last 20 runs', () => {
    assert.equal(usualDuration(took(...Array(30).fill(1), ...Array(20).fill(9))), 9 * MINUTE);
  });

  test('a run is slow after twice the usual duration, and not in its first minute', () => {
    const check = aCheck({ lastStartAt: NOW });
    assert.equal(isSlow(check, HOUR, NOW + 2 * HOUR), false);
    assert.equal(isSlow(check, HOUR, NOW + 2 * HOUR + 1), true);
    assert.equal(isSlow(check, 1, NOW + MINUTE), false);
    assert.equal(isSlow(check, 1, NOW + MINUTE + 1), true);
    assert.equal(isSlow(check, null, NOW + DAY), false);
    assert.equal(isSlow(aCheck(), 1, NOW + DAY), false);
  });
});

suite('a run that was reported late', () => {
  /** A result that came `after` it happened. */
  function late(n: number, signal: Signal, at: Instant, after: Instant, rid: string | null = null): RunPing {
    return { n, signal, rid, exitStatus: null, occurredAt: NOW + at, createdAt: NOW + at + after };
  }
  const up = (at: Instant): RunFlip => ({ createdAt: NOW + at, newStatus: 'up', reason: '' });

  test('has its place and its duration by when it happened', () => {
    const history = [
      ...pings([['success', -HOUR]]),
      late(2, 'start', -5 * HOUR, 4.5 * HOUR, RID),
      late(3, 'success', -5 * HOUR + MINUTE, 4.5 * HOUR, RID),
    ];
    const runs = runsOf({ check: aCheck({ status: 'up' }), pings: history, flips: [], now: NOW });

    assert.deepEqual(
      runs.map(({ endN, at, duration }) => [endN, at - NOW, duration]),
      [
        [3, -5 * HOUR + MINUTE, MINUTE],
        [1, -HOUR, null],
      ],
    );
  });

  test('takes the place of the run that was missed, if it ended the outage', () => {
    const history = [...pings([['success', -26 * HOUR]]), late(2, 'success', -2 * HOUR, HOUR + MINUTE)];
    const flips = [wentDown(-HOUR), up(-HOUR + MINUTE)];
    const check = aCheck({ status: 'up', lastPingAt: NOW - 2 * HOUR });

    assert.deepEqual(
      runsOf({ check, pings: history, flips, now: NOW }).map(({ result, endN }) => [result, endN]),
      [
        ['ok', 1],
        ['late', 2],
      ],
    );
  });

  test('is no sign of the time after it, while the check stays down', () => {
    const check = aCheck({ status: 'down', timeoutSeconds: 3_600, graceSeconds: 600 });
    const history = [...pings([['success', -10 * HOUR]]), late(2, 'success', -8 * HOUR, 7 * HOUR)];
    const runs = runsOf({ check, pings: history, flips: [wentDown(-9 * HOUR + 10 * MINUTE)], now: NOW });

    assert.deepEqual(
      runs.map(({ result, count }) => [result, count]),
      [
        ['ok', 0],
        ['missed', 1],
        ['ok', 0],
        ['missed', 7],
      ],
    );
  });

  test('keeps its start from none that is under way', () => {
    const history = [
      ...pings([
        ['success', -4 * HOUR],
        ['start', -30 * MINUTE],
      ]),
      late(3, 'start', -20 * HOUR, 19.6 * HOUR),
      late(4, 'success', -20 * HOUR + MINUTE, 19.6 * HOUR - MINUTE),
      ...pings([['success', 30 * MINUTE]]).map((ping) => ({ ...ping, n: 5 })),
    ];
    const check = aCheck({ status: 'up', lastPingAt: NOW + 30 * MINUTE, timeoutSeconds: 3_600 });
    const found = runsOf({ check, pings: history, flips: [], now: NOW + 30 * MINUTE });

    assert.deepEqual(
      found.flatMap(({ endN, duration, expectedAt }) =>
        endN === null ? [] : [[endN, duration, expectedAt === null ? null : expectedAt - NOW]],
      ),
      [
        [4, MINUTE, null],
        [1, null, -5 * HOUR + MINUTE],
        [5, HOUR, -HOUR],
      ],
    );
  });

  test('leaves the one that is watched as it is', () => {
    const history = [
      ...pings([['start', -10 * MINUTE, RID]]),
      late(2, 'start', -20 * MINUTE, 15 * MINUTE, OTHER),
    ];
    const check = aCheck({ status: 'up', lastPingAt: NOW - HOUR, graceSeconds: 3_600 });
    const overran = [{ ...wentDown(50 * MINUTE), cause: 'overran' }];
    const found = runsOf({ check, pings: history, flips: overran, now: NOW + 50 * MINUTE });

    assert.deepEqual(
      found.flatMap(({ result, startN }) => (startN === null ? [] : [[result, startN]])),
      [['failed', 1]],
    );
  });
});

suite('the history watches the run that the check watches', () => {
  const RIDS: Readonly<Record<string, string>> = { A: RID, B: OTHER };

  /**
   * The runs of an hourly check, by their first and last ping, after pings in minutes such as `start:A@10`; `fail@30/12` came 12 minutes
   * late. The deadline loop does not run.
   */
  function lived(text: string, until: number, settings: Partial<Check> = {}): string {
    let check = aCheck({ timeoutSeconds: 3_600, graceSeconds: 3_600, ...settings });
    const flips: RunFlip[] = [];
    const sent = text.split(' ').map((word, index): RunPing => {
      const [, signal, id = '', minute, age = 0] = word.match(/^(\w+):?(\w?)@(\d+)\/?(\d+)?$/) ?? [];
      const rid = RIDS[id] ?? null;
      const createdAt = NOW + Number(minute) * MINUTE;
      const at = createdAt - Number(age) * MINUTE;
      const step = receivePing(check, signal as Signal, rid, createdAt, at);
      check = step.check;
      flips.push(...step.flips);
      const occurredAt = at === createdAt ? null : at;
      return { n: index + 1, createdAt, occurredAt, signal: signal as Signal, rid, exitStatus: null };
    });
    return runsOf({ check, pings: sent, flips, now: NOW + until * MINUTE })
      .map(({ result, startN, endN }) => `${result} ${startN ?? ''}-${endN ?? ''}`)
      .join(', ');
  }

  test('also if progress made an older one the watched one again', () => {
    const signals = 'success@0 start:A@10 start:B@12 progress:A@30';

    assert.equal(lived(signals, 89), 'ok -1, running 2-');
    assert.equal(lived(signals, 90), 'ok -1, failed 2-');
    assert.equal(lived(`${signals} success:A@95`, 95), 'ok -1, late 2-5');
    assert.equal(lived(`${signals} success:B@40`, 89), 'ok -1, ok 3-5, running 2-');
    assert.equal(lived('start@0 fail:B@5 success:A@10 progress@30', 89), 'failed -2, ok -3, running 1-');
  });

  test('an old result that the check ignores ends it neither', () => {
    assert.equal(lived('start@0 success:A@20 fail@30/12', 40), 'failed -3, ok -2, running 1-');
    assert.equal(lived('start@0 success:A@20 success@30/12', 60), 'ok -3, ok -2, failed 1-');
    assert.equal(lived('start@0 success:A@20 fail@30/12 success@50', 50), 'failed -3, ok -2, ok 1-4');
  });

  test('a late start that the check refuses takes the place of none', () => {
    const unlimited = { runRules: '{"end_within":0}' };

    assert.equal(lived('start:B@0 start:A@500/400', 500, unlimited), 'missed -, running 1-');
    assert.equal(
      lived('success@0 start:B@10 start:A@500/400', 500, unlimited),
      'ok -1, missed -, running 2-',
    );
  });

  test('a run that has overrun is listed once', () => {
    assert.equal(lived('start@30 success:A@151', 272), 'failed 1-, ok -2, missed -');
  });

  test('one that others were faster than has failed, once it is overdue', () => {
    assert.equal(lived('start@0 success:A@70 success:A@130', 140), 'failed 1-, ok -2, ok -3');
  });
});
