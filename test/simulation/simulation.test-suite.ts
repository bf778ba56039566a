import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type SimulationOptions, simulate } from './simulation.ts';

/** Declares a test for each seed. */
export function keepsItsPromises(seeds: readonly number[], size: Omit<SimulationOptions, 'seed'>): void {
  suite('simulated days full of mishaps break no promise', () => {
    for (const seed of seeds) {
      test(`seed ${seed}`, async () => {
        const { violation } = await simulate({ seed, ...size });

        assert.equal(violation && [violation.message, ...violation.trace].join('\n'), null);
      });
    }
  });
}
