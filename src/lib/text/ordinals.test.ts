import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ordinalNumber, ordinalWord } from './ordinals.ts';

test('places are words up to the tenth, then numbers', () => {
  assert.deepEqual([1, 2, 3, 10, 11, 20].map(ordinalWord), [
    'first',
    'second',
    'third',
    'tenth',
    '11th',
    '20th',
  ]);
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 22, 103].map(ordinalNumber), [
    ...['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '22nd', '103rd'],
  ]);
});
