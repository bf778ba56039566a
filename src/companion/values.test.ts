import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCodes, readDuration, readNames, readPercent, readSize, readSwitch } from './values.ts';

test('durations are seconds, or numbers with units', () => {
  const read = ['90', '90s', '15m', '2h24m', '1d', '1.5s', '0'].map(readDuration);

  assert.deepEqual(read, [90_000, 90_000, 900_000, 8_640_000, 86_400_000, 1_500, 0]);
});

test('what is no duration is not guessed', () => {
  for (const text of ['', 's', '5x', '-1', '1h-5m', '1.2.3s', '5 m', '400d', '1s1h']) {
    assert.equal(readDuration(text), null, text);
  }
});

test('sizes count in thousands', () => {
  assert.deepEqual(['4000', '4k', '1M', '2G', '1T', '4K', '', '1.5k'].map(readSize), [
    4_000,
    4_000,
    1_000_000,
    2e9,
    1e12,
    null,
    null,
    null,
  ]);
});

test('exit codes are a list of numbers up to 255', () => {
  assert.deepEqual(['0,24', '0, 24', '256', 'x', ''].map(readCodes), [[0, 24], [0, 24], null, null, null]);
});

test('switches and names are read without regard to case and blanks', () => {
  assert.deepEqual(['Yes', '1', 'OFF', 'maybe'].map(readSwitch), [true, true, false, null]);
  assert.deepEqual(readNames(' A, B,,'), ['A', 'B']);
});

test('percentages end at a hundred, and their sign may be left out', () => {
  assert.deepEqual(['50%', '50', '0', '12.5%', '101%', '-1', '', '%'].map(readPercent), [
    50,
    50,
    0,
    12.5,
    null,
    null,
    null,
    null,
  ]);
});
