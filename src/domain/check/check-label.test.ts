import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLabel } from './check-label.ts';

test('a check without a name has a label that is not its UUID', () => {
  assert.equal(checkLabel(''), 'unnamed check');
  assert.equal(checkLabel(' \n'), 'unnamed check');
  assert.equal(checkLabel('DB'), 'DB');
});

test('a label is one line', () => {
  assert.equal(checkLabel('a\r\nBcc: b\u2028c\u00a0d'), 'a Bcc: b c d');
});
