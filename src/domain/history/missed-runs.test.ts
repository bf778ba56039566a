import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, at, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import { dueRuns, missedRunsText, nextMissedAt } from './missed-runs.ts';

const nightly = aCheck({ kind: 'cron', schedule: '0 3 * * *', tz: 'Europe/Berlin', graceSeconds: 1_800 });
const hourly = aCheck({ timeoutSeconds: 3_600, graceSeconds: 1_800 });

suite('the runs that are due in a silence', () => {
  test('are those after it has begun, until its end', () => {
    const silence = { from: at('2024-03-02T02:00Z'), until: at('2024-03-05T02:00Z'), endedAt: 0 };

    assert.equal(dueRuns(nightly, silence, 100), 3);
    assert.equal(dueRuns(nightly, { ...silence, until: silence.until - 1 }, 100), 2);
  });

  test('of a period count from the last end', () => {
    const silence = { endedAt: NOW, from: NOW + 1.5 * HOUR, until: NOW + 4 * HOUR };

    assert.equal(dueRuns(hourly, silence, 100), 3);
    assert.equal(dueRuns(hourly, { ...silence, until: silence.until - 1 }, 100), 2);
  });

  test('follow the clock of the zone', () => {
    // In Berlin, 02:30 does not exist on 31 March.
    const check = aCheck({ kind: 'oncalendar', schedule: '02:30', tz: 'Europe/Berlin' });
    const silence = { from: at('2024-03-29T12:00Z'), until: at('2024-04-02T12:00Z'), endedAt: 0 };

    assert.equal(dueRuns(check, silence, 100), 3);
  });

  test('are none if the silence ends before it begins, or the schedule cannot be evaluated', () => {
    const silence = { from: NOW, until: NOW - HOUR, endedAt: NOW - 2 * HOUR };

    assert.equal(dueRuns(hourly, silence, 100), 0);
    assert.equal(dueRuns(nightly, silence, 100), 0);
    assert.equal(dueRuns({ ...nightly, tz: 'Nowhere' }, { ...silence, until: NOW + DAY }, 100), 0);
  });
});

suite('one more run is missed', () => {
  test('when the grace time of the next one is over', () => {
    const [next, down] = [at('2024-03-02T02:30Z'), { status: 'down', lastPingAt: NOW } as const];

    assert.equal(nextMissedAt({ ...nightly, ...down }, NOW), next);
    assert.equal(nextMissedAt({ ...nightly, ...down }, next), next + DAY);
    assert.equal(nextMissedAt({ ...hourly, ...down }, NOW + 90 * MINUTE - 1), NOW + 90 * MINUTE);
    assert.equal(nextMissedAt({ ...hourly, ...down }, NOW + 90 * MINUTE), NOW + 150 * MINUTE);
  });

  test('only of a check that is down', () => {
    assert.equal(nextMissedAt({ ...nightly, status: 'up' }, NOW), null);
  });
});

test('missed runs are told in one wording', () => {
  assert.deepEqual([0, 1, 2, 1_000, 1_001].map(missedRunsText), [
    '',
    'one run',
    '2 runs',
    '1,000 runs',
    'more than 1,000 runs',
  ]);
});
