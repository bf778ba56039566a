import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsWithin, openFileLimit } from './open-files.ts';

test('the system says how many files may be open', () => {
  assert.ok(openFileLimit() >= 64);
});

test('connections leave room for other files', () => {
  assert.equal(connectionsWithin(20_000, 10_000), 10_000);
  assert.equal(connectionsWithin(Number.POSITIVE_INFINITY, 10_000), 10_000);
  assert.equal(connectionsWithin(10_000, 10_000), 9_500);
  assert.equal(connectionsWithin(1_024, 10_000), 524);
  assert.equal(connectionsWithin(256, 10_000), 128);
});
