import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEarlierMinor, minorOf, oldestBeside } from './releases.ts';

test('minor releases are compared by their numbers', () => {
  assert.equal(isEarlierMinor('1.9.3', '1.10.0'), true);
  assert.equal(isEarlierMinor('1.10', '1.9.3'), false);
  assert.equal(isEarlierMinor('1.9.0', '1.9.7'), false);
  assert.equal(isEarlierMinor('1.9.0', '2.0.0'), true);
  assert.equal(isEarlierMinor('2.0.0-rc.1', '1.9.0'), false);
});

test('a program works beside those of the minor release before', () => {
  assert.equal(minorOf('1.4.2'), '1.4');
  assert.equal(oldestBeside('1.4.2'), '1.3');
  assert.equal(oldestBeside('1.0.2'), '1.0');
});
