import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { simulate } from './simulation.ts';

/** The second last has rules, policies, quiet times and hours at once. The long one has found a bug before. */
const FIXED = [1, 2, 22, 712_065_367].map((seed) => ({ seed, days: 3, checks: 10 }));
/** Whatever it finds is found again by its number. `npm run simulate` looks at many of them. */
const FRESH = { seed: 1_000 + Math.floor(Math.random() * 2 ** 30), days: 1, checks: 6 };

suite('simulated days full of mishaps break no promise', () => {
  for (const options of [...FIXED, FRESH]) {
    test(`seed ${options.seed}`, async () => {
      const { violation } = await simulate(options);

      assert.equal(violation && [violation.message, ...violation.trace].join('\n'), null);
    });
  }
});
