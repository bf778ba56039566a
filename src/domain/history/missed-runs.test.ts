import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missedRunsText } from './missed-runs.ts';

test('the number of missed runs is told in words', () => {
  assert.deepEqual([0, 1, 2, 129_600].map(missedRunsText), ['', 'one run', '2 runs', '129,600 runs']);
});
