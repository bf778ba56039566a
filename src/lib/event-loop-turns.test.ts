import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLoopTurns } from './event-loop-turns.ts';

test('so many go on in each turn, in their order', async () => {
  const turns = new EventLoopTurns(2);
  const gone: number[] = [];
  const counts: number[] = [];

  const all = [1, 2, 3, 4, 5].map(async (n) => {
    await turns.next();
    gone.push(n);
  });
  assert.deepEqual(gone, []);
  while (gone.length < 5) {
    await new Promise((resolve) => setImmediate(resolve));
    counts.push(gone.length);
  }
  await Promise.all(all);

  assert.deepEqual(gone, [1, 2, 3, 4, 5]);
  assert.deepEqual(counts, [2, 4, 5]);
});

test('whoever comes back has the next turn', async () => {
  const turns = new EventLoopTurns(1);

  for (let turn = 0; turn < 3; turn++) await turns.next();
});
