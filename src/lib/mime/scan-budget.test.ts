import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScanBudget } from './scan-budget.ts';

test('bytes are granted until the budget is spent, the last of them in part', () => {
  const scan = new ScanBudget(100);

  assert.equal(scan.take(60), 60);
  assert.equal(scan.isSpent, false);
  assert.equal(scan.take(60), 40);
  assert.equal(scan.take(1), 0);
  assert.deepEqual([scan.spent, scan.isSpent], [100, true]);
});

test('whoever needs all of the bytes is told when fewer are left', () => {
  const scan = new ScanBudget(100);

  assert.deepEqual([scan.spend(100), scan.spend(1), scan.spend(0)], [true, false, true]);
});
