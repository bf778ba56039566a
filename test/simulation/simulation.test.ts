import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { simulate } from './simulation.ts';

/** The long one has found a bug before. */
const FIXED = [1, 2, 712_065_367];
// Whatever it finds is found again by its number.
const FRESH = 1_000 + Math.floor(Math.random() * 2 ** 30);

/** On a machine that is busy. */
const MAX_MS = 300_000;

suite('simulated days full of mishaps break no promise', () => {
  for (const seed of [...FIXED, FRESH]) {
    test(`seed ${seed}`, { timeout: MAX_MS }, async () => {
      const { violation } = await simulate({ seed, days: 3, checks: 10 });

      assert.equal(violation && [violation.message, ...violation.trace].join('\n'), null);
    });
  }
});

test('the same seed takes the same course', async () => {
  const options = { seed: 20_260_101, days: 1, checks: 6 };

  const [one, other] = [await simulate(options), await simulate(options)];

  assert.ok((one.counts?.flips ?? 0) > 0);
  assert.deepEqual(one, other);
});
