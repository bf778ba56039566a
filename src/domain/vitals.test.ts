import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../lib/instant.ts';
import { AILMENTS, ailmentsOf, alertsStoppedFor, type LoopTally, type Signs } from './vitals.ts';

/** One that may be silent for an hour. */
function loop(sinceSuccess: number): LoopTally {
  return { ticks: 1, failures: 1, sinceSuccess, bound: seconds(3600) };
}

const WELL: Signs = {
  lateness: { deadline: 0, outage: 0, delivery: 0 },
  sinceWrite: 0,
  refusals: null,
  loops: { deadlines: loop(0), reports: loop(0) },
  clockAhead: null,
};

suite('a node', () => {
  test('is well when nothing is late, loops come round and clocks agree', () => {
    assert.deepEqual(ailmentsOf(WELL), []);
    assert.deepEqual(ailmentsOf({ ...WELL, loops: {}, clockAhead: -seconds(5) }), []);
  });

  const atLimit = seconds(60);
  for (const [name, signs, ailment] of [
    [
      'deadlines',
      { lateness: { deadline: atLimit + 1, outage: atLimit, delivery: atLimit } },
      'deadlines_late',
    ],
    ['outages', { lateness: { deadline: atLimit, outage: atLimit + 1, delivery: atLimit } }, 'outages_late'],
    [
      'messages',
      { lateness: { deadline: atLimit, outage: atLimit, delivery: atLimit + 1 } },
      'deliveries_late',
    ],
    ['the database', { lateness: null }, 'database_away'],
    ['writes that fail', { sinceWrite: seconds(30) + 1 }, 'writes_failing'],
    ['pings that are refused', { refusals: { first: seconds(30) + 1, last: atLimit } }, 'pings_failing'],
    [
      'a loop',
      { loops: { deadlines: loop(seconds(3600)), reports: loop(seconds(3600) + 1) } },
      'reports_silent',
    ],
    ['a clock that is ahead', { clockAhead: seconds(5) + 1 }, 'clock_off'],
    ['a clock that is behind', { clockAhead: -seconds(5) - 1 }, 'clock_off'],
  ] as const) {
    test(`ails for ${name}, and for nothing else`, () => {
      assert.deepEqual(ailmentsOf({ ...WELL, ...signs }), [ailment]);
    });
  }

  for (const [name, refusals] of [
    ['for a moment', { first: seconds(30), last: 0 }],
    ['long ago', { first: seconds(120), last: seconds(60) + 1 }],
  ] as const) {
    test(`does not ail for pings that were refused ${name}`, () => {
      assert.deepEqual(ailmentsOf({ ...WELL, refusals }), []);
    });
  }

  test('ails for everything at once, each by a name of its own', () => {
    const everything = ailmentsOf({
      lateness: null,
      sinceWrite: seconds(31),
      refusals: { first: seconds(31), last: 0 },
      loops: { deadlines: loop(seconds(3601)), notifier: loop(seconds(3601)) },
      clockAhead: seconds(6),
    });

    assert.deepEqual(everything, [
      'database_away',
      'writes_failing',
      'pings_failing',
      'clock_off',
      'deadlines_silent',
      'notifier_silent',
    ]);
    assert.equal(new Set(AILMENTS).size, AILMENTS.length);
  });
});

suite('alerts', () => {
  test('are sent while nothing that they need is ill', () => {
    assert.equal(alertsStoppedFor(WELL), null);
    assert.equal(alertsStoppedFor({ ...WELL, clockAhead: seconds(60) }), null);
    assert.equal(alertsStoppedFor({ ...WELL, loops: { reports: loop(seconds(9000)) } }), null);
  });

  test('have stopped for as long as the worst of it lasts', () => {
    const cases: [Partial<Signs>, number][] = [
      [{ lateness: null, sinceWrite: seconds(20) }, 20],
      [{ sinceWrite: seconds(40) }, 40],
      [{ lateness: { deadline: seconds(61), outage: 0, delivery: 0 } }, 61],
      [{ lateness: { deadline: seconds(61), outage: seconds(90), delivery: seconds(300) } }, 300],
      [{ loops: { deadlines: loop(seconds(9000)) } }, 9000],
      [{ loops: { notifier: loop(seconds(3700)), deadlines: loop(0) } }, 3700],
    ];
    for (const [signs, stopped] of cases)
      assert.equal(alertsStoppedFor({ ...WELL, ...signs }), seconds(stopped));
  });
});
