import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredStatus } from '../check/check.ts';
import { downtimeByDay, historyOf, joined, NO_HISTORY, uptime } from './uptime.ts';

/** A flip at that time. */
const flip = (createdAt: number, oldStatus: StoredStatus) => ({ id: createdAt, createdAt, oldStatus });

const WEEK = { from: 0, until: 70 };
/** Seven days, ten long each. */
const DAYS = [0, 10, 20, 30, 40, 50, 60];

test('without a flip nothing is known', () => {
  const history = historyOf([], 'up', WEEK);

  assert.deepEqual(history, NO_HISTORY);
  assert.equal(uptime(history, []), null);
  assert.deepEqual(
    downtimeByDay(history, DAYS, 70, []),
    DAYS.map(() => null),
  );
});

test('history begins with the first ping, and a day before it is empty', () => {
  const history = historyOf([flip(25, 'new')], 'up', WEEK);

  assert.deepEqual(history.watched, [{ from: 25, until: 70 }]);
  assert.deepEqual(downtimeByDay(history, DAYS, 70, []), [null, null, 0, 0, 0, 0, 0]);
  assert.equal(uptime(history, []), 1);
});

test('an outage counts in each of its days, also one that lasts', () => {
  const history = historyOf(
    [flip(-5, 'new'), flip(15, 'up'), flip(32, 'down'), flip(65, 'up')],
    'down',
    WEEK,
  );

  assert.deepEqual(history.down, [
    { from: 15, until: 32 },
    { from: 65, until: 70 },
  ]);
  assert.deepEqual(downtimeByDay(history, DAYS, 70, []), [0, 5, 10, 2, 0, 0, 5]);
  assert.equal(uptime(history, []), 1 - 22 / 70);
});

test('an outage from before the span counts from its beginning', () => {
  const history = historyOf([flip(-5, 'up'), flip(4, 'down')], 'up', WEEK);

  assert.deepEqual(history, { watched: [WEEK], down: [{ from: 0, until: 4 }] });
});

test('checks together are down while any of them is', () => {
  const one = historyOf([flip(0, 'new'), flip(10, 'up'), flip(20, 'down')], 'up', WEEK);
  const other = historyOf([flip(5, 'new'), flip(15, 'up'), flip(30, 'down')], 'up', WEEK);

  assert.deepEqual(joined([one, other, NO_HISTORY]), { watched: [WEEK], down: [{ from: 10, until: 30 }] });
});

test('time in which nobody watched is neither up nor down', () => {
  const history = historyOf([flip(0, 'new'), flip(10, 'up'), flip(20, 'down')], 'up', WEEK);
  const blind = [{ from: 15, until: 40 }];

  assert.deepEqual(downtimeByDay(history, DAYS, 70, blind), [0, 5, null, null, 0, 0, 0]);
  assert.equal(uptime(history, blind), 1 - 5 / 45);
});

test('time in which all of them are paused is neither up nor down', () => {
  const paused = historyOf(
    [flip(0, 'new'), flip(10, 'up'), flip(20, 'down'), flip(50, 'paused')],
    'up',
    WEEK,
  );
  const other = historyOf([flip(0, 'new'), flip(35, 'up')], 'paused', WEEK);

  assert.deepEqual(downtimeByDay(paused, DAYS, 70, []), [0, 10, null, null, null, 0, 0]);
  assert.equal(uptime(paused, []), 1 - 10 / 40);
  assert.deepEqual(downtimeByDay(joined([paused, other]), DAYS, 70, []), [0, 10, 0, 0, null, 0, 0]);
  assert.equal(uptime(joined([paused, other]), []), 1 - 10 / 55);
  assert.equal(uptime(joined([paused, other]), [{ from: 30, until: 50 }]), 1 - 10 / 50);
});
