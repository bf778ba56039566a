import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConcurrencyLimit } from './concurrency-limit.ts';

/** Work that ends when it is told to, and how much of it runs. */
function workshop(options: { maxConcurrent: number; maxQueued: number }) {
  const limit = new ConcurrencyLimit(options, () => new Error('overloaded'));
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const start = (name: string) =>
    limit.run(() => {
      begun.push(name);
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return end.promise;
    });
  return { begun, start, end: (name: string) => ends.get(name) };
}

test('no more runs at once than the limit, and the rest waits in its order', async () => {
  const { begun, start, end } = workshop({ maxConcurrent: 2, maxQueued: 10 });
  const all = ['a', 'b', 'c', 'd'].map(start);
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b']);

  end('b')?.resolve('done');
  const late = start('e');
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b', 'c']);

  end('a')?.reject(new Error('failed'));
  await assert.rejects(all[0] ?? Promise.resolve(), /failed/);
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  for (const name of ['c', 'd']) end(name)?.resolve('done');
  await nextTurn();
  end('e')?.resolve('done');
  assert.deepEqual(await Promise.all([...all.slice(1), late]), Array(4).fill('done'));
});

test('more than may wait is refused at once, and what waits is not disturbed', async () => {
  const { begun, start, end } = workshop({ maxConcurrent: 1, maxQueued: 1 });
  const first = start('a');
  const second = start('b');

  await assert.rejects(start('c'), /overloaded/);

  end('a')?.resolve('done');
  await first;
  await nextTurn();
  end('b')?.resolve('done');
  assert.equal(await second, 'done');
  assert.deepEqual(begun, ['a', 'b']);
});
