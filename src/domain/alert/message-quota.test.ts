import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { currentCount, maskedRecipient, monthOf, unused, use } from './message-quota.ts';

const NOVEMBER = Date.UTC(2026, 10, 30, 23, 59, 59) * 1000;
const DECEMBER = Date.UTC(2026, 11, 1) * 1000;

test('messages are counted until the limit, in calendar months of UTC', () => {
  const first = use(null, 2, NOVEMBER);
  const second = use(first.count, 2, NOVEMBER);
  const third = use(second.count, 2, NOVEMBER);

  assert.deepEqual([first.isAllowed, second.isAllowed, third.isAllowed], [true, true, false]);
  assert.equal(third.count.used, 2);
  assert.deepEqual(use(third.count, 2, DECEMBER), {
    isAllowed: true,
    isTold: false,
    count: { month: '2026-12', used: 1, toldAt: NOVEMBER },
  });
});

test('people are told at the first message that is refused, and once a day', () => {
  const first = use(null, 0, NOVEMBER);
  const soon = use(first.count, 0, NOVEMBER + seconds(86_399));
  const later = use(soon.count, 0, NOVEMBER + seconds(86_400));

  assert.deepEqual([first.isTold, soon.isTold, later.isTold], [true, false, true]);
});

test('a message that was not sent does not count', () => {
  const { count } = use(null, 5, NOVEMBER);

  assert.equal(unused(count, NOVEMBER).used, 0);
  assert.equal(unused(null, NOVEMBER).used, 0);
  assert.equal(unused(count, DECEMBER).used, 0);
  assert.equal(currentCount(count, DECEMBER).used, 0);
  assert.equal(monthOf(NOVEMBER), '2026-11');
});

test('of a recipient the middle is masked', () => {
  assert.equal(maskedRecipient('+15551234567'), '+155******567');
  assert.equal(maskedRecipient('+123456'), '+123456');
});
