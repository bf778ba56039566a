import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE, range, ValueSet } from './value-set.ts';

test('values are ordered and each counts once', () => {
  const set = new ValueSet([5, 1, 5, 3]);

  assert.deepEqual(set.values, [1, 3, 5]);
  assert.deepEqual([set.first, set.last, set.size], [1, 5, 3]);
});

test('the smallest value not below another is found, or none', () => {
  const set = new ValueSet([1970, 1975, 2199]);

  assert.deepEqual(
    [0, 1970, 1971, 1975, 1976, 2199, 2200].map((value) => set.atOrAfter(value)),
    [1970, 1970, 1975, 1975, 2199, 2199, NONE],
  );
  assert.deepEqual(
    [1969, 1970, 1971].map((value) => set.has(value)),
    [false, true, false],
  );
});

test('an empty set finds nothing', () => {
  assert.equal(new ValueSet([]).atOrAfter(0), NONE);
});

test('a range stops at its end, whatever the step', () => {
  assert.deepEqual(range(5, 59, 15), [5, 20, 35, 50]);
  assert.deepEqual(range(0, 59, 1e300), [0]);
  assert.deepEqual(range(0, 59, Number.POSITIVE_INFINITY), [0]);
});
