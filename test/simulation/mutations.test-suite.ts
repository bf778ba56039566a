import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import type { Mutation } from './mutations.ts';

/** Seeds that are tried for each until one notices. A bug that only a crash at one place reveals takes a dozen or two. */
const SEEDS = 40;
/** Enough for most bugs to be noticed, if it begins with a seed whose course is short and has what the bug needs. */
const DAYS = 0.5;
const CHECKS = 4;

interface Run {
  readonly code: number;
  readonly output: string;
}

/** Simulates the broken program with the first of these seeds and those after it, until one notices. The signal ends it. */
export function simulateWith(
  { name, firstSeed = 1, days = DAYS, checks = CHECKS }: Mutation,
  seeds = SEEDS,
  signal?: AbortSignal,
): Promise<Run> {
  const args = ['--import', './test/simulation/mutate.ts', 'test/simulation/main.ts'];
  const size = [`--seed=${firstSeed}`, `--seeds=${seeds}`, `--days=${days}`, `--checks=${checks}`];
  const options = { env: { ...process.env, MUTATION: name }, maxBuffer: 2 ** 26, ...(signal && { signal }) };
  return new Promise((resolve) => {
    execFile(process.execPath, [...args, ...size, '--until-broken'], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

/** Declares a test for each mutation. */
export function areCaught(mutations: readonly Mutation[]): void {
  suite('a program broken on purpose is caught by the simulation', () => {
    for (const mutation of mutations) {
      test(mutation.name, async () => {
        const { code, output } = await simulateWith(mutation);

        assert.match(output, /^seed \d+: BROKEN: /m);
        assert.equal(code, 1);
      });
    }
  });
}
