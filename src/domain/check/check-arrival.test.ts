import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { missDeadline, receivePing } from '../ping/transition.ts';
import { at, DAY, HOUR, MINUTE } from './check.test-support.ts';
import { type Check, FRESH_STATE, newCheck } from './check.ts';
import { type Arrival, arrived, isAsItArrived, isFromFuture } from './check-arrival.ts';
import { type CheckConfig, DEFAULT_CONFIG } from './settings.ts';
import { statusAt } from './status.ts';

const NOW = at('2024-03-01T12:00Z');

/** A check that comes at noon. */
function arriving(arrival: Arrival, config: Partial<CheckConfig> = {}): Check {
  const identity = {
    uuid: '31365bce-8da9-4729-8ff3-aaa71d56b712',
    badgeKey: '',
    projectId: 1,
    createdAt: NOW,
  };
  return { id: 1, ...arrived(newCheck({ ...DEFAULT_CONFIG, ...config }, identity), arrival) };
}

const KINDS = [
  {
    what: 'a period',
    config: { kind: 'simple', timeoutSeconds: 3_600, graceSeconds: 600 },
    lastPingAt: at('2024-03-01T11:30Z'),
    expected: at('2024-03-01T12:30Z'),
  },
  {
    what: 'a cron schedule',
    config: { kind: 'cron', schedule: '0 14 * * *', tz: 'Europe/Riga', graceSeconds: 600 },
    lastPingAt: at('2024-02-29T12:01Z'),
    expected: at('2024-03-01T12:00Z'),
  },
  {
    what: 'an OnCalendar schedule',
    config: { kind: 'oncalendar', schedule: 'Fri 15:00', tz: 'Europe/Riga', graceSeconds: 600 },
    lastPingAt: at('2024-02-23T13:00:05Z'),
    expected: at('2024-03-01T13:00Z'),
  },
] as const;

suite('a check that comes from another instance', () => {
  for (const { what, config, lastPingAt, expected } of KINDS) {
    test(`with ${what} has the deadline that its last ping gives it`, () => {
      const check = arriving({ status: 'up', lastPingAt }, config);

      assert.equal(check.deadlineAt, expected + 10 * MINUTE);
      assert.equal(statusAt(check, expected - 1), 'up');
      assert.equal(statusAt(check, expected), 'grace');
      assert.equal(statusAt(check, expected + 10 * MINUTE), 'down');
    });
  }

  test('has no deadline if its schedule never comes again', () => {
    const config = { kind: 'oncalendar', schedule: '2024-01-01 00:00', tz: 'UTC' } as const;

    assert.equal(arriving({ status: 'up', lastPingAt: NOW - DAY }, config).deadlineAt, null);
  });

  test('goes down at once if its deadline has passed, and not before it came', () => {
    const check = arriving({ status: 'up', lastPingAt: NOW - 3 * DAY });

    assert.equal(check.deadlineAt, NOW - 2 * DAY + HOUR);
    const missed = missDeadline(check, NOW + MINUTE);
    assert.deepEqual(missed.flips, [
      { checkId: 1, createdAt: NOW, oldStatus: 'up', newStatus: 'down', reason: 'timeout', cause: 'missed' },
    ]);
    assert.deepEqual(missDeadline(missed.check, NOW + DAY).flips, []);
  });

  test('stays down without a change of status, and comes up with its first ping', () => {
    for (const lastPingAt of [NOW - HOUR, null]) {
      const check = arriving({ status: 'down', lastPingAt });

      assert.deepEqual([check.status, check.deadlineAt, check.lastPingAt], ['down', null, lastPingAt]);
      assert.deepEqual(missDeadline(check, NOW + 30 * DAY).flips, []);
      assert.deepEqual(receivePing(check, 'fail', null, NOW + MINUTE).flips, []);
      const pinged = receivePing(check, 'success', null, NOW + MINUTE);
      assert.deepEqual(pinged.flips, [
        { checkId: 1, createdAt: NOW + MINUTE, oldStatus: 'down', newStatus: 'up', reason: '', cause: '' },
      ]);
      assert.equal(pinged.check.deadlineAt, NOW + MINUTE + DAY + HOUR);
    }
  });

  test('may be paused, with its last ping', () => {
    const check = arriving({ status: 'paused', lastPingAt: NOW - HOUR });

    assert.deepEqual([check.status, check.deadlineAt, check.lastPingAt], ['paused', null, NOW - HOUR]);
  });

  test('brings nothing along but its status and its last ping', () => {
    const lastPingAt = NOW - HOUR;
    const check = arriving({ status: 'up', lastPingAt });

    const state = Object.fromEntries(
      Object.keys(FRESH_STATE).map((field) => [field, check[field as keyof typeof FRESH_STATE]]),
    );
    assert.deepEqual(state, {
      ...FRESH_STATE,
      status: 'up',
      lastPingAt,
      lastReceivedAt: lastPingAt,
      lastFlipAt: NOW,
      deadlineAt: lastPingAt + DAY + HOUR,
    });
    assert.equal(isAsItArrived(check), true);
    assert.equal(isAsItArrived(receivePing(check, 'fail', null, NOW + 1).check), false);
  });

  test('may come from a clock that is a little ahead, and not from the future', () => {
    assert.equal(arriving({ status: 'up', lastPingAt: NOW + seconds(20) }).lastPingAt, NOW);
    assert.equal(isFromFuture(NOW + seconds(30), NOW), false);
    assert.equal(isFromFuture(NOW + seconds(30) + 1, NOW), true);
  });
});
