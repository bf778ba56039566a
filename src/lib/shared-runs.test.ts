import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedRuns } from './shared-runs.ts';

/** Work that ends when it is told to, and knows how often it was begun. */
function stepwise() {
  const runs: PromiseWithResolvers<number>[] = [];
  const work = () => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return run.promise;
  };
  return { runs, work };
}

test('whoever asks while a run is under way shares the next, which begins after it', async () => {
  const shared = new SharedRuns<number>();
  const { runs, work } = stepwise();

  const first = shared.run('a', work);
  const later = [shared.run('a', work), shared.run('a', work), shared.run('a', work)];
  assert.equal(runs.length, 1);
  runs[0]?.resolve(1);
  assert.equal(await first, 1);
  await Promise.resolve();
  assert.equal(runs.length, 2);
  runs[1]?.resolve(2);

  assert.deepEqual(await Promise.all(later), [2, 2, 2]);
  const last = shared.run('a', work);
  assert.equal(runs.length, 3);
  runs[2]?.resolve(3);
  assert.equal(await last, 3);
});

test('runs of different keys do not wait for each other', async () => {
  const shared = new SharedRuns<number>();
  const { runs, work } = stepwise();

  const both = [shared.run('a', work), shared.run('b', work)];

  assert.equal(runs.length, 2);
  for (const [index, run] of runs.entries()) run.resolve(index);
  assert.deepEqual(await Promise.all(both), [0, 1]);
});

test('a run that fails is the failure of those who share it, and of nobody else', async () => {
  const shared = new SharedRuns<number>();
  const { runs, work } = stepwise();

  const first = shared.run('a', work);
  const second = shared.run('a', work);
  runs[0]?.reject(new Error('gone'));
  await assert.rejects(first, /gone/);
  await Promise.resolve();
  runs[1]?.resolve(2);

  assert.equal(await second, 2);
});
