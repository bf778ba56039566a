import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../lib/instant.ts';
import { ailmentsOf, type Signs } from './vitals.ts';

const WELL: Signs = {
  lateness: { deadline: 0, delivery: 0 },
  silence: { watchman: 0, notifier: 0 },
  clockAhead: null,
};

suite('a node', () => {
  test('is well when nothing is late, loops come round and clocks agree', () => {
    assert.deepEqual(ailmentsOf(WELL), []);
    assert.deepEqual(ailmentsOf({ ...WELL, silence: {}, clockAhead: -seconds(5) }), []);
  });

  const atLimit = seconds(60);
  for (const [name, signs, ailment] of [
    ['deadlines', { lateness: { deadline: atLimit + 1, delivery: atLimit } }, 'deadlines_late'],
    ['messages', { lateness: { deadline: atLimit, delivery: atLimit + 1 } }, 'deliveries_late'],
    ['the database', { lateness: null }, 'database_away'],
    ['the watchman', { silence: { watchman: atLimit + 1, notifier: atLimit } }, 'watchman_silent'],
    ['the notifier', { silence: { watchman: atLimit, notifier: atLimit + 1 } }, 'notifier_silent'],
    ['a clock that is ahead', { clockAhead: seconds(5) + 1 }, 'clock_off'],
    ['a clock that is behind', { clockAhead: -seconds(5) - 1 }, 'clock_off'],
  ] as const) {
    test(`ails for ${name}, and for nothing else`, () => {
      assert.deepEqual(ailmentsOf({ ...WELL, ...signs }), [ailment]);
    });
  }
});
