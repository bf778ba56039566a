/**
 * Repeats the tests on a machine that has too much to do, and says of each run what failed. The first argument is how often;
 * all others go to `npm test`: `npm run test:busy -- 20 test/objects/s3.test.ts`.
 */
import { Worker } from 'node:worker_threads';
import { runNode } from './run-node.ts';

const BUSY_LOOPS = 3;
const RUNS = 10;

const [first, ...others] = process.argv.slice(2);
const isCount = /^\d+$/.test(first ?? '');
const runs = isCount ? Number(first) : RUNS;
const args = isCount || first === undefined ? others : [first, ...others];

// Threads, because they end with this process, whatever ends it.
for (let n = 0; n < BUSY_LOOPS; n++) new Worker('for (;;);', { eval: true });

const failed: number[] = [];
for (let run = 1; run <= runs; run++) {
  console.log(`Run ${run} of ${runs}, beside ${BUSY_LOOPS} busy loops:`);
  const { code, signal } = await runNode([
    'scripts/test.ts',
    '--test-reporter=./scripts/failed-tests.ts',
    '--test-reporter-destination=stdout',
    ...args,
  ]);
  if (signal !== null) process.exit(1);
  if (code !== 0) failed.push(run);
}
console.log(failed.length === 0 ? 'No run failed.' : `These runs failed: ${failed.join(', ')}.`);
process.exit(failed.length === 0 ? 0 : 1);
