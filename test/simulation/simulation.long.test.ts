import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { simulate } from './simulation.ts';

/** The long one has found a bug before. */
const FIXED = [1, 2, 712_065_367];
// Whatever it finds is found again by its number.
const FRESH = 1_000 + Math.floor(Math.random() * 2 ** 30);

suite('simulated days full of mishaps break no promise', () => {
  for (const seed of [...FIXED, FRESH]) {
    test(`seed ${seed}`, async () => {
      const { violation } = await simulate({ seed, days: 3, checks: 10 });

      assert.equal(violation && [violation.message, ...violation.trace].join('\n'), null);
    });
  }
});
