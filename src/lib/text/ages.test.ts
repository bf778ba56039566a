import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../instant.ts';
import { ageText, spanText } from './ages.ts';

suite('an age', () => {
  const rows: [ageSeconds: number, text: string][] = [
    [-5, '0 s'],
    [14.9, '14 s'],
    [299, '4 min'],
    [3_600, '1 h'],
    [26 * 3_600, '26 h'],
    [48 * 3_600 - 1, '47 h'],
    [48 * 3_600, '2 days'],
    [9.5 * 86_400, '9 days'],
  ];
  for (const [ageSeconds, text] of rows) {
    test(`of ${ageSeconds} s is ${text}`, () => assert.equal(ageText(seconds(ageSeconds)), text));
  }
});

suite('a span', () => {
  const rows: [spanSeconds: number, text: string][] = [
    [0.42, '0.42 s'],
    [0, '0.00 s'],
    [4.25, '4.2 s'],
    [3, '3 s'],
    [38.9, '38 s'],
    [401, '6 min 41 s'],
    [3_600, '1 h'],
    [4_080, '1 h 8 min'],
    [3 * 86_400 + 7_200, '3 days 2 h'],
  ];
  for (const [spanSeconds, text] of rows) {
    test(`of ${spanSeconds} s is ${text}`, () => assert.equal(spanText(seconds(spanSeconds)), text));
  }
});
