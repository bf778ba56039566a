import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../lib/instant.ts';
import { growthOf, isSizeDue, type MeasuredSize, withSize } from './growth.ts';

const DAY = seconds(86_400);
const NOW = 20_000 * DAY + DAY / 2;
const sizes = (...known: [daysAgo: number, bytes: number][]): MeasuredSize[] =>
  known.map(([daysAgo, bytes]) => ({ at: NOW - daysAgo * DAY, bytes }));
const growth = (known: MeasuredSize[], bytes: number, freeBytes = 1_000, totalBytes = 2_000) =>
  growthOf(known, { at: NOW, bytes }, { freeBytes, totalBytes });

test('a size is kept once a day by the calendar', () => {
  assert.equal(isSizeDue([], NOW), true);
  assert.equal(isSizeDue(sizes([0.4, 1]), NOW), false);
  assert.equal(isSizeDue(sizes([0.6, 1]), NOW), true);
});

test('sizes of forty days are kept, without those of a clock that was ahead', () => {
  const kept = withSize(sizes([41, 1], [39, 2], [1, 3], [0.1, 4], [-2, 5]), { at: NOW, bytes: 6 });

  assert.deepEqual(
    kept.map(({ bytes }) => bytes),
    [2, 3, 6],
  );
});

test('growth is told for spans that are known', () => {
  assert.deepEqual(growth(sizes([30.5, 100], [8, 400], [7.5, 500], [0.5, 690]), 700), {
    weekBytes: 200,
    monthBytes: 600,
    bytesPerDay: 600 / 30.5,
    fullInDays: 1_000 / (600 / 30.5),
    isNearlyFull: false,
  });
  const { weekBytes, monthBytes, bytesPerDay } = growth(sizes([4, 100]), 500);
  assert.deepEqual([weekBytes, monthBytes, bytesPerDay], [null, null, 100]);
});

test('a size from before a long stop of the service is not taken for one of a week ago', () => {
  const { weekBytes, bytesPerDay } = growth(sizes([20, 100]), 500);

  assert.deepEqual([weekBytes, bytesPerDay], [null, 20]);
});

test('within the first day nothing is known, and a database that shrinks never fills its disk', () => {
  assert.deepEqual(growth(sizes([0.5, 1]), 900), {
    ...{ weekBytes: null, monthBytes: null, bytesPerDay: null, fullInDays: null },
    isNearlyFull: false,
  });
  assert.equal(growth(sizes([10, 900]), 500).fullInDays, null);
});

test('a disk is nearly full with less than a tenth free, or less than thirty days', () => {
  const grown = sizes([10, 0]);

  assert.equal(growth([], 1, 199).isNearlyFull, true);
  assert.equal(growth([], 1, 200).isNearlyFull, false);
  assert.equal(growth(grown, 340).isNearlyFull, true);
  assert.equal(growth(grown, 330).isNearlyFull, false);
  assert.equal(growthOf(grown, { at: NOW, bytes: 340 }, null).isNearlyFull, false);
});
