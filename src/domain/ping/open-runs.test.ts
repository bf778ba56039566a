import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Instant, seconds } from '../../lib/instant.ts';
import { aCheck, NOW } from '../check/check.test-support.ts';
import { OpenRuns, runDurations } from './open-runs.ts';
import type { Signal } from './ping.ts';

const A = '9f2a3a37-1f4d-4a3b-8a44-000000000001';
const B = '9f2a3a37-1f4d-4a3b-8a44-000000000002';

/** The durations in seconds by ping number; a ping is `[signal, second, rid]`, numbered from 1. */
function durationsOf(pings: readonly [Signal, number, (string | null)?][]): Record<number, number> {
  const records = pings.map(([signal, second, rid = null], index) => ({
    n: index + 1,
    createdAt: (NOW + seconds(second)) as Instant,
    occurredAt: null,
    signal,
    rid,
  }));
  return Object.fromEntries(
    [...runDurations(aCheck(), records)].map(([n, micros]) => [n, micros / seconds(1)]),
  );
}

suite('how long a run took', () => {
  const rows: [name: string, pings: [Signal, number, (string | null)?][], Record<number, number>][] = [
    ['nothing is known without a start', [['success', 0]], {}],
    [
      'from the start to the success that ends it',
      [
        ['start', 0],
        ['success', 3.456],
      ],
      { 2: 3.456 },
    ],
    [
      'from the start to the failure that ends it',
      [
        ['start', 0],
        ['fail', 60],
      ],
      { 2: 60 },
    ],
    [
      'an end in the same microsecond took no time at all',
      [
        ['start', 0],
        ['success', 0],
      ],
      { 2: 0 },
    ],
    [
      'pings that end nothing are passed over',
      [
        ['start', 0],
        ['log', 1],
        ['ign', 2],
        ['success', 3],
      ],
      { 4: 3 },
    ],
    [
      'a second end of the same run has none',
      [
        ['start', 0],
        ['success', 5],
        ['success', 9],
        ['fail', 12],
      ],
      { 2: 5 },
    ],
    [
      'a failure ends a run as well, so that a success after it has none',
      [
        ['start', 0],
        ['fail', 5],
        ['success', 9],
      ],
      { 2: 5 },
    ],
    [
      'the last of several starts counts',
      [
        ['start', 0],
        ['start', 10],
        ['success', 15],
      ],
      { 3: 5 },
    ],
    [
      'concurrent runs are told apart by their ids',
      [
        ['start', 0, A],
        ['start', 60, B],
        ['success', 120, A],
        ['success', 360, B],
      ],
      { 3: 120, 4: 300 },
    ],
    [
      'no id at all is an id of its own',
      [
        ['start', 0],
        ['success', 10, A],
        ['fail', 20, A],
        ['success', 30],
      ],
      { 4: 30 },
    ],
    [
      'a run of 72 hours counts as one whose start was never seen',
      [
        ['start', 0],
        ['success', 72 * 3_600],
      ],
      {},
    ],
    [
      'a run just short of 72 hours has its duration',
      [
        ['start', 0],
        ['success', 72 * 3_600 - 1],
      ],
      { 2: 72 * 3_600 - 1 },
    ],
    [
      'an end that comes too late still ends the run',
      [
        ['start', 0],
        ['success', 72 * 3_600],
        ['success', 72 * 3_600 + 1],
      ],
      {},
    ],
  ];
  for (const [name, pings, expected] of rows) {
    test(name, () => assert.deepEqual(durationsOf(pings), expected));
  }
});

test('the duration of a run goes by when things happened, not by when their pings came', () => {
  const ping = (
    n: number,
    signal: Signal,
    createdAt: number,
    occurredAt: number | null,
    rid: string | null,
  ) => ({
    ...{ n, signal, rid },
    createdAt: NOW + seconds(createdAt),
    occurredAt: occurredAt === null ? null : NOW + seconds(occurredAt),
  });
  const durations = runDurations(aCheck(), [
    ping(1, 'start', 100, 10, A),
    ping(2, 'success', 101, 70, A),
    ping(3, 'start', 102, null, null),
    ping(4, 'fail', 103, 20, null),
    ping(5, 'success', 104, null, null),
    ping(6, 'start', 105, null, B),
    ping(7, 'success', 106, 104.5, B),
    // What was kept while a server was out of reach comes while another run is under way.
    ping(8, 'start', 200, null, null),
    ping(9, 'start', 201, 150, null),
    ping(10, 'success', 201, 155, null),
    ping(11, 'success', 230, null, null),
    // Its end came before it.
    ping(12, 'success', 300, null, null),
    ping(13, 'start', 301, 290, null),
    ping(14, 'success', 400, null, null),
    // A second attempt with the same id.
    ping(15, 'start', 500, null, A),
    ping(16, 'start', 510, null, A),
    ping(17, 'success', 520, 505, A),
    ping(18, 'success', 530, null, A),
  ]);

  assert.deepEqual(
    [...durations],
    [
      [2, seconds(60)],
      [5, seconds(2)],
      [7, 0],
      [10, seconds(5)],
      [11, seconds(30)],
      [17, 0],
    ],
  );
});

test('an old result that the check ignores leaves the run that is under way its end', () => {
  const ping = (n: number, signal: Signal, minute: number, age: number, rid: string | null = null) => ({
    ...{ n, signal, rid },
    createdAt: NOW + seconds(60 * minute),
    occurredAt: age === 0 ? null : NOW + seconds(60 * (minute - age)),
  });
  const pings = [
    ping(1, 'start', 0, 0),
    ping(2, 'success', 20, 0, A),
    ping(3, 'success', 30, 12),
    ping(4, 'success', 40, 0),
  ];

  assert.deepEqual([...runDurations(aCheck(), pings)], [[4, seconds(60 * 40)]]);
});

test('starts that never end make no ping dearer, however many there are and whenever they were', () => {
  const open = new OpenRuns();
  let looks = 0;
  /** A run that counts how often it is looked at. */
  const run = (startedAt: Instant) => ({
    get startedAt() {
      looks++;
      return startedAt;
    },
  });
  const late = (at: number) => ({ rid: null, createdAt: NOW, occurredAt: NOW - seconds(at) });
  const COUNT = 3_000;
  for (let index = 0; index < COUNT; index++) open.begin(late(index), run(NOW - seconds(index)));
  for (let index = 0; index < COUNT; index++) open.end(late(2 * COUNT), open.of(late(2 * COUNT)));

  assert.ok(looks < 250 * COUNT, `${looks} looks`);
  assert.equal(open.of({ rid: null, createdAt: NOW, occurredAt: null })?.startedAt, NOW);
});
