import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { GroupWriter } from './group-writer.ts';

suite('writing in groups', () => {
  test('the first goes alone and at once, what comes meanwhile goes together', async () => {
    const groups: (readonly number[])[] = [];
    const writer = new GroupWriter<number>(async (items) => void groups.push(items));

    await Promise.all([1, 2, 3].map((item) => writer.write(item)));
    await writer.write(4);

    assert.deepEqual(groups, [[1], [2, 3], [4]]);
  });

  test('one that cannot be written fails alone', async () => {
    const written: number[] = [];
    const writer = new GroupWriter<number>(async (items) => {
      if (items.includes(3)) throw new Error('three');
      written.push(...items);
    });

    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((item) => writer.write(item)));

    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(written, [1, 2, 4]);
  });
});
