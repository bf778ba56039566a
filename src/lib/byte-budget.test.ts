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
