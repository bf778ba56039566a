import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteCache } from './byte-cache.ts';

const sized = (byteLength: number) => ({ byteLength });

test('what is requested again and again is kept, what is not is forgotten', () => {
  const cache = new ByteCache<string, { byteLength: number }>(100);
  const wanted = sized(10);
  cache.set('wanted', wanted);
  cache.set('unwanted', sized(10));

  for (let n = 0; n < 20; n++) {
    cache.set(`other ${n}`, sized(10));
    assert.equal(cache.get('wanted'), wanted);
  }

  assert.equal(cache.get('unwanted'), undefined);
});

test('a value replaces the one before it, and a value that is too large is not kept', () => {
  const cache = new ByteCache<string, { byteLength: number }>(100);
  cache.set('a', sized(10));
  cache.set('a', sized(20));
  assert.deepEqual(cache.get('a'), sized(20));
  assert.equal(cache.byteLength, 20);

  cache.set('a', sized(51));
  assert.equal(cache.get('a'), undefined);
  assert.equal(cache.byteLength, 0);
});

test('never keeps more bytes than it may, and knows how many they are', () => {
  const step = fc.record({ key: fc.nat(9), byteLength: fc.nat(60), isRead: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = new ByteCache<number, { byteLength: number }>(100);
      const last = new Map<number, number>();
      for (const { key, byteLength, isRead } of steps) {
        if (isRead) cache.get(key);
        else {
          cache.set(key, sized(byteLength));
          last.set(key, byteLength);
        }
        const kept = [...last].filter(([one]) => cache.get(one) !== undefined);
        for (const [one, bytes] of kept) {
          const found = cache.get(one);
          if (found !== undefined) assert.equal(found.byteLength, bytes);
        }
        assert.ok(cache.byteLength <= 100 && cache.byteLength >= 0, `${cache.byteLength}`);
      }
    }),
    { seed: 20240301, numRuns: 500 },
  );
});
