import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { phoneField } from './phone-field.ts';

test('a phone number is read without spaces, hyphens and invisible characters', () => {
  for (const written of [
    '+15551234567',
    ' +1 555-123 45 67 ',
    '\u202a+1\u00a0555\u2011123\u200b4567\u202c',
  ]) {
    assert.equal(phoneField.read(written, 'phone'), '+15551234567');
  }
});

test('a number without its country code, or of a wrong length, is refused', () => {
  for (const written of ['+1234', '1234567', '+1234567890123456', '+1 555 CALL', '', '+']) {
    const fault = phoneField.read(written, 'phone');
    assert.ok(fault instanceof Fault, written);
    assert.equal(fault.reason, 'phone is not a valid phone number with + and country code');
  }
});
