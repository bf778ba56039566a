import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine, plainLines } from './one-line.ts';

test('line breaks and control characters become one space', () => {
  assert.equal(oneLine(' a\r\nBcc: b\u2028c\u00a0d\u0000\u001b[31m '), 'a Bcc: b c d [31m');
});

test('a line does not turn around what follows it', () => {
  assert.equal(oneLine('invoice\u202efdp.exe'), 'invoicefdp.exe');
  assert.equal(oneLine('\u2067עברית\u2069'), 'עברית');
});

test('what makes one sign of several stays', () => {
  assert.equal(oneLine('👩\u200d👧'), '👩\u200d👧');
});

test('half a character is replaced', () => {
  assert.equal(oneLine('a\ud83d'), 'a\ufffd');
  assert.equal(plainLines('a\ud83d'), 'a\ufffd');
});

test('lines keep their breaks and tabs, and nothing else of the kind', () => {
  assert.equal(plainLines('a\r\nb\rc\td\u0000'), 'a\nb\nc\td\ufffd');
});
