import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentText } from './percent.ts';

test('a share has two decimals, and is never rounded up', () => {
  assert.equal(percentText(0.998_39), '99.83 %');
  assert.equal(percentText(0.999_999), '99.99 %');
  assert.equal(percentText(0.999), '99.90 %');
  assert.equal(percentText(0), '0.00 %');
});

test('only a whole is 100 %', () => {
  assert.equal(percentText(1), '100 %');
  assert.equal(percentText(1.2), '100 %');
  assert.equal(percentText(-1), '0.00 %');
});
