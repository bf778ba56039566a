import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_CHECK, isFirstRun } from './first-check.ts';

test('nobody has begun while there is no check, or only the first one without a ping', () => {
  const first = { ...FIRST_CHECK, pingCount: 0 };
  assert.equal(isFirstRun([]), true);
  assert.equal(isFirstRun([first]), true);
  assert.equal(isFirstRun([{ ...first, pingCount: 1 }]), false);
  assert.equal(isFirstRun([{ ...first, name: 'backup' }]), false);
  assert.equal(isFirstRun([first, first]), false);
});
