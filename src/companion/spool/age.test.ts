import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { momentAt } from '../ping.test-support.ts';
import { ageMsOf, inWords } from './age.ts';

const DAY_MS = 86_400_000;

suite('the age of a ping', () => {
  test('is by the time since boot within one boot, however the clock was set', () => {
    assert.equal(ageMsOf(momentAt(10 * DAY_MS, 5000), momentAt(7 * DAY_MS, 95_000), DAY_MS), 90_000);
  });

  test('is by the wall clock after another boot, and where the system tells no boot', () => {
    assert.equal(ageMsOf(momentAt(1000, 5000, 'a'), momentAt(8000, 100, 'b'), DAY_MS), 7000);
    assert.equal(ageMsOf(momentAt(1000, null, null), momentAt(8000, null, null), DAY_MS), 7000);
  });

  test('is unknown where it comes out negative or above the limit', () => {
    assert.equal(ageMsOf(momentAt(8000, 1, 'a'), momentAt(1000, 1, 'b'), DAY_MS), null);
    assert.equal(ageMsOf(momentAt(0, 1, 'a'), momentAt(DAY_MS + 1, 1, 'b'), DAY_MS), null);
    assert.equal(ageMsOf(momentAt(0, 1, 'a'), momentAt(DAY_MS, 1, 'b'), DAY_MS), DAY_MS);
  });

  test('reads well', () => {
    const words = [
      0,
      59_999,
      60_000,
      3_599_000,
      3_600_000,
      9_660_000,
      DAY_MS,
      3 * DAY_MS + 4 * 3_600_000,
    ].map(inWords);
    assert.deepEqual(words, ['0 s', '59 s', '1 min', '59 min', '1 h', '2 h 41 min', '1 d', '3 d 4 h']);
  });
});
