import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedCache } from './shared-cache.ts';

interface Value {
  readonly owner: string;
  readonly bytes: number;
}

function given(maxSize: number) {
  const cache = new SharedCache<string, Value, string>({
    maxSize,
    ownerOf: ({ owner }) => owner,
    sizeOf: ({ bytes }) => bytes,
  });
  const keep = (key: string, owner: string, bytes = 1) => cache.set(key, { owner, bytes });
  const kept = (...keys: string[]) => keys.filter((key) => cache.find(key) !== undefined);
  return { cache, keep, kept };
}

test('one owner may fill all of it, and loses what it used longest ago', () => {
  const { cache, keep, kept } = given(3);

  for (const key of ['1', '2', '3']) keep(key, 'a');
  cache.find('1');
  keep('4', 'a');

  assert.deepEqual(kept('1', '2', '3', '4'), ['1', '3', '4']);
  assert.equal(cache.size, 3);
});

test('an owner that keeps very much pushes out nothing but its own', () => {
  const { cache, keep, kept } = given(10);

  for (const key of ['b1', 'b2', 'b3']) keep(key, 'b');
  keep('c1', 'c', 2);
  for (let n = 0; n < 1_000; n++) keep(`a${n}`, 'a');

  assert.deepEqual(kept('b1', 'b2', 'b3', 'c1'), ['b1', 'b2', 'b3', 'c1']);
  assert.deepEqual(kept('a994', 'a995', 'a999'), ['a995', 'a999']);
  assert.equal(cache.size, 10);
});

test('an owner that had everything gives way to others until all have as much', () => {
  const { keep, kept } = given(6);

  for (let n = 1; n <= 6; n++) keep(`a${n}`, 'a');
  for (const key of ['b1', 'b2', 'b3', 'b4']) keep(key, 'b');

  assert.deepEqual(kept('a1', 'a2', 'a3', 'a4', 'a5', 'a6').length, 3);
  assert.deepEqual(kept('b1', 'b2', 'b3', 'b4').length, 3);
});

test('a value that is replaced or deleted makes room, also when it gets another owner', () => {
  const { cache, keep, kept } = given(4);

  keep('1', 'a', 3);
  keep('1', 'b', 1);
  keep('2', 'a', 2);
  assert.equal(cache.size, 3);
  cache.delete('1');
  cache.delete('1');
  keep('3', 'a', 2);

  assert.deepEqual(kept('1', '2', '3'), ['2', '3']);
  assert.equal(cache.size, 4);
});

test('a value that is larger than everything together is not kept, and costs nobody anything', () => {
  const { cache, keep, kept } = given(4);

  keep('1', 'b', 4);
  keep('2', 'a', 5);

  assert.deepEqual(kept('1', '2'), ['1']);
  assert.equal(cache.size, 4);
});
