import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConfirmationCode, plainDigits } from './confirmation-code.ts';

test('a code has six digits, and bytes that would favour some digits are passed over', () => {
  const bytes = [250, 255, 0, 9, 10, 249, 251, 7, 199, 1, 2, 3];
  const code = newConfirmationCode((count) => Uint8Array.from(bytes.splice(0, count)));

  assert.equal(code, '090979');
});

test('a code is the same with spaces and hyphens', () => {
  assert.equal(plainDigits(' 482 913'), '482913');
  assert.equal(plainDigits('48-29-13'), '482913');
});
