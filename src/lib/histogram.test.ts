import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from './histogram.ts';

test('values are counted under the first bound that they do not exceed', () => {
  const histogram = new Histogram([1, 10, 100]);

  for (const value of [0.5, 1, 1.5, 10, 99, 100, 101, 5_000]) histogram.add(value);

  assert.deepEqual(histogram.counts, [2, 2, 2, 2]);
  assert.equal(histogram.sum, 5_313);
});
