import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { MUTATIONS } from './mutations.ts';

/** On a machine that is busy. */
const MAX_MS = 300_000;
/** Seeds that are tried for each until one notices. A bug that only a crash at one place reveals takes a dozen or two. */
const SEEDS = 40;

interface Run {
  readonly code: number;
  readonly output: string;
}

function simulateWith(mutation: string, firstSeed: number): Promise<Run> {
  const args = ['--import', './test/simulation/mutate.ts', 'test/simulation/main.ts'];
  const options = { env: { ...process.env, MUTATION: mutation }, maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...args, `--seed=${firstSeed}`, `--seeds=${SEEDS}`, '--days=3', '--checks=10', '--until-broken'],
      options,
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
      },
    );
  });
}

suite('a program broken on purpose is caught by the simulation', () => {
  for (const { name, firstSeed = 1 } of MUTATIONS) {
    test(name, { timeout: MAX_MS }, async () => {
      const { code, output } = await simulateWith(name, firstSeed);

      assert.match(output, /^seed \d+: BROKEN: /m);
      assert.equal(code, 1);
    });
  }
});
