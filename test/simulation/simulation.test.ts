import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepsItsPromises } from './simulation.test-suite.ts';
import { simulate } from './simulation.ts';

keepsItsPromises([2], { days: 1, checks: 6 });

test('the same seed takes the same course', async () => {
  const options = { seed: 20_260_101, days: 1, checks: 6 };

  const [one, other] = [await simulate(options), await simulate(options)];

  assert.ok((one.counts?.flips ?? 0) > 0);
  assert.deepEqual(one, other);
});
