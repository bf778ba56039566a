import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from './byte-budget.ts';

test('a budget gives what is left and takes it back', () => {
  const budget = new ByteBudget(10);

  assert.equal(budget.take(6), true);
  assert.equal(budget.take(5), false);
  assert.equal(budget.take(4), true);
  assert.equal(budget.usedBytes, 10);
  budget.give(6);

  assert.equal(budget.take(5), true);
  assert.equal(budget.usedBytes, 9);
});

test('a share of a budget ends before the whole, or together with it', () => {
  const whole = new ByteBudget(100);
  const [one, other] = [new ByteBudget(60, whole), new ByteBudget(60, whole)];

  assert.deepEqual([one.take(61), one.take(60), other.take(41), other.take(40)], [false, true, false, true]);
  assert.deepEqual([one.usedBytes, other.usedBytes, whole.usedBytes], [60, 40, 100]);
  one.give(60);

  assert.deepEqual([one.usedBytes, whole.usedBytes], [0, 40]);
});
