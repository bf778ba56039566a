import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkPrefix, objectKey, pingNumberOf } from './object-key.ts';

const SEED = 20_240_301;
const UUID = '5ba7f0f3-6a5c-4a5e-8d5e-3f0c1c6a1f10';
const number = fc.oneof(fc.nat(2_000), fc.maxSafeNat());

test('the key of a ping is its check, a text that sorts backwards, and its number', () => {
  const keys = [0, 1, 4, 9, 10, 99, 100].map((n) => objectKey(UUID, n));

  assert.deepEqual(
    keys,
    ['zj-0', 'zi-1', 'zf-4', 'za-9', 'yij-10', 'yaa-99', 'xijj-100'].map((name) => `${UUID}/${name}`),
  );
});

test('a later ping has the smaller key', () => {
  fc.assert(
    fc.property(number, number, (one, two) => {
      fc.pre(one !== two);
      assert.equal(objectKey(UUID, one) < objectKey(UUID, two), one > two);
    }),
    { seed: SEED },
  );
});

test('a key tells its ping, and keys of anything else tell none', () => {
  fc.assert(
    fc.property(number, (n) => assert.equal(pingNumberOf(objectKey(UUID, n), UUID), n)),
    { seed: SEED },
  );

  for (const name of ['', 'zi', 'zi-2', 'zi-01', 'ZI-1', 'zi-1/', 'zi-1-1', 'notes.txt', 'zi--1'])
    assert.equal(pingNumberOf(`${UUID}/${name}`, UUID), null, name);
  assert.equal(pingNumberOf(objectKey('00000000-0000-4000-8000-000000000000', 1), UUID), null);
  assert.equal(pingNumberOf('zi-1', UUID), null);
});

test('all keys of a check begin with its prefix, which ends where its UUID does', () => {
  assert.equal(checkPrefix(UUID), `${UUID}/`);
  assert.ok(objectKey(UUID, 7).startsWith(checkPrefix(UUID)));
});
