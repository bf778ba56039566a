import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textWidth, wrapped } from './text-width.ts';

test('wide characters take two columns, and signs that belong together count once', () => {
  assert.equal(textWidth('abc'), 3);
  assert.equal(textWidth('日本'), 4);
  assert.equal(textWidth('👩‍👧'), 2);
  assert.equal(textWidth('é'), 1);
});

test('lines break at blanks alone: a long word stays whole', () => {
  assert.deepEqual(wrapped('one two three', 8), ['one two', 'three']);
  assert.deepEqual(wrapped(`see https://example.org/${'x'.repeat(80)} now`, 20), [
    'see',
    `https://example.org/${'x'.repeat(80)}`,
    'now',
  ]);
  assert.deepEqual(wrapped('', 8), ['']);
});
