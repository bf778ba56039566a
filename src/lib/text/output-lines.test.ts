import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastLines } from './output-lines.ts';

const lines = (text: string, most = 8, width = 80) => lastLines(new TextEncoder().encode(text), most, width);

test('the last lines are shown, without blank ones at the end', () => {
  assert.deepEqual(lines('one\r\ntwo\n\nthree  \n\n \n', 3), ['two', '', 'three']);
  assert.deepEqual(lines(''), []);
  assert.deepEqual(lines('\n\n'), []);
});

test('long lines are shortened', () => {
  assert.deepEqual(lines('x'.repeat(100), 8, 10), [`${'x'.repeat(9)}…`]);
});

test('colours and other commands to a terminal are left out', () => {
  assert.deepEqual(lines('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007text\u0000\u202e'), ['red text']);
});

test('of a line that was written over its last form is shown', () => {
  assert.deepEqual(lines('10 %\r50 %\r100 %\ndone\r'), ['100 %', 'done']);
});

test('of a long output only the end is looked at, and a line that was cut is left out', () => {
  const long = `${'é'.repeat(100_000)}\nlast`;

  assert.deepEqual(lines(long), ['last']);
  assert.deepEqual(lines('é'.repeat(100_000), 8, 3), ['éé…']);
});
