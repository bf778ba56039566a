import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedCache } from './bounded-cache.ts';

test('a value is made once while it is in use', () => {
  const cache = new BoundedCache<string>(2);
  const made: string[] = [];
  const make = (key: string) => {
    made.push(key);
    return key.toUpperCase();
  };

  for (const key of ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'e'])
    assert.equal(cache.get(key, make), key.toUpperCase());

  assert.deepEqual(made, ['a', 'b', 'c', 'd', 'e']);
});

test('what nobody asks for is forgotten, so that the size stays bounded', () => {
  const cache = new BoundedCache<number>(10);

  for (let index = 0; index < 1000; index += 1) {
    cache.get(`key ${index}`, () => index);
    assert.ok(cache.size <= 20);
  }

  assert.equal(
    cache.get('key 0', () => -1),
    -1,
  );
});

test('a value that could not be made is tried again', () => {
  const cache = new BoundedCache<number>(10);
  const fail = () => {
    throw new Error('no');
  };

  assert.throws(() => cache.get('key', fail), /no/);

  assert.equal(
    cache.get('key', () => 7),
    7,
  );
});
