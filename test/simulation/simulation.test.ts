import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './simulation.ts';

test('a simulated day full of mishaps breaks no promise, and the same seed takes the same course', async () => {
  const options = { seed: 20_260_101, days: 1, checks: 6 };

  const [one, other] = [await simulate(options), await simulate(options)];

  assert.equal(one.violation && [one.violation.message, ...one.violation.trace].join('\n'), null);
  assert.ok((one.counts?.flips ?? 0) > 0);
  assert.deepEqual(one, other);
});
