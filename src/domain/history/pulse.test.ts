import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { aCheck, at, DAY, HOUR, MINUTE } from '../check/check.test-support.ts';
import { type Activity, BUCKET, bucketOf, COUNTED_PINGS, Forecast, PulseCounter } from './pulse.ts';

const NOW = at('2024-03-01T12:05Z');
const LAST = 71;

function activity(minutesAgo: number, ends = 1, failures = 0, pings = ends): Activity {
  return { checkId: 1, bucket: bucketOf(NOW - minutesAgo * MINUTE), pings, ends, failures };
}

suite('the pulse', () => {
  test('counts different checks, and a check once in a span', () => {
    const counter = new PulseCounter();
    counter.add(1, [activity(0, 5), activity(20, 2, 1)], NOW - DAY, NOW);
    counter.add(2, [activity(0)], NOW - DAY, NOW);

    const past = counter.past([], NOW);

    assert.equal(past.length, LAST + 1);
    assert.deepEqual(past[LAST], { ran: 2, failed: 0, missed: 0 });
    assert.deepEqual(past[LAST - 1], { ran: 0, failed: 0, missed: 0 });
    assert.deepEqual(past[LAST - 2], { ran: 1, failed: 1, missed: 0 });
  });

  test('counts nothing again that is read again', () => {
    const counter = new PulseCounter();
    counter.add(1, [activity(20)], NOW - DAY, NOW);
    counter.add(1, [activity(20), activity(0)], NOW - DAY, NOW);

    assert.deepEqual(
      counter
        .past([], NOW)
        .map(({ ran }) => ran)
        .slice(-3),
      [1, 0, 1],
    );
  });

  test('counts starts and logs as no run', () => {
    const counter = new PulseCounter();
    counter.add(1, [activity(0, 0, 0, 4)], NOW - DAY, NOW);
    assert.equal(counter.past([], NOW)[LAST]?.ran, 0);
  });

  test('counts a check that pings all the time before what was read, since it is up', () => {
    const counter = new PulseCounter();
    counter.add(1, [activity(0, COUNTED_PINGS)], NOW - 30 * MINUTE, NOW);

    assert.deepEqual(
      counter
        .past([], NOW)
        .map(({ ran }) => ran)
        .slice(-5),
      [0, 1, 1, 1, 1],
    );
  });

  test('counts deadlines that were missed', () => {
    const flips = [
      { createdAt: NOW, reason: 'timeout' as const },
      { createdAt: NOW, reason: 'fail' as const },
      { createdAt: NOW - 13 * HOUR, reason: 'timeout' as const },
    ];
    const past = new PulseCounter().past(flips, NOW);
    assert.equal(past[LAST]?.missed, 1);
    assert.equal(
      past.reduce((sum, { missed }) => sum + missed, 0),
      1,
    );
  });

  test('forgets what is older than twelve hours', () => {
    const counter = new PulseCounter();
    counter.add(1, [activity(0)], NOW - DAY, NOW);
    const later = counter.past([], NOW + 12 * HOUR);
    assert.ok(later.every(({ ran }) => ran === 0));
  });
});

suite('the forecast', () => {
  const counts = (...checks: Parameters<Forecast['add']>[0][]) => {
    const forecast = new Forecast(NOW);
    for (const check of checks) forecast.add(check);
    return forecast.counts;
  };

  test('expects a check once in each span in which it runs', () => {
    const each = counts(aCheck({ status: 'up', timeoutSeconds: 60, lastPingAt: NOW - MINUTE / 2 }));
    assert.deepEqual(each, Array(24).fill(1));
  });

  test('expects a period from the last ping on', () => {
    const hourly = counts(aCheck({ status: 'up', timeoutSeconds: 3600, lastPingAt: NOW - 30 * MINUTE }));
    assert.deepEqual(
      hourly.flatMap((count, index) => (count > 0 ? [index] : [])),
      [3, 9, 15, 21],
    );
  });

  test('expects an expression by the calendar', () => {
    const check = aCheck({
      status: 'up',
      kind: 'cron',
      schedule: '30 * * * *',
      lastPingAt: NOW - 30 * MINUTE,
    });
    const hourly = counts(check, check);
    assert.deepEqual(
      hourly.flatMap((count, index) => (count > 0 ? [[index, count]] : [])),
      [
        [3, 2],
        [9, 2],
        [15, 2],
        [21, 2],
      ],
    );
  });

  test('expects a late check by its next time', () => {
    const late = counts(aCheck({ status: 'up', timeoutSeconds: 3600, lastPingAt: NOW - HOUR - MINUTE }));
    assert.equal(late[6], 1);
  });

  test('expects nothing of a check that is not up', () => {
    assert.deepEqual(counts(aCheck({ status: 'down', lastPingAt: NOW }), aCheck()), Array(24).fill(0));
  });

  test('begins with the rest of the current span', () => {
    const check = aCheck({ status: 'up', timeoutSeconds: 86_400, lastPingAt: NOW - DAY + seconds(30) });
    assert.equal(counts(check)[0], 1);
    assert.equal(NOW % BUCKET, 5 * MINUTE);
  });
});
