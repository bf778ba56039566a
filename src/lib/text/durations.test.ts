import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../instant.ts';
import { durationText, periodText, roundDuration } from './durations.ts';

suite('a period', () => {
  const rows: [periodSeconds: number, text: string][] = [
    [60, '1 minute'],
    [86_400, '1 day'],
    [604_800, '1 week'],
    [691_200, '8 days'],
    [5_400, '1 hour 30 minutes'],
    [120, '2 minutes'],
    [1_209_600, '2 weeks'],
    [90_061, '1 day 1 hour 1 minute'],
    [604_801, '7 days'],
    [45, '45 seconds'],
  ];
  for (const [periodSeconds, text] of rows) {
    test(`${periodSeconds} s is ${text}`, () => {
      assert.equal(periodText(periodSeconds), text);
    });
  }
});

suite('a duration', () => {
  const rows: [durationSeconds: number, text: string][] = [
    [45, '45 seconds'],
    [61, '1 minute, 1 second'],
    [5_400, '1 hour, 30 minutes'],
    [90_000, '1 day, 1 hour'],
    [0, '0 seconds'],
    [1.999_999, '1 second'],
    [60, '1 minute, 0 seconds'],
    [3_659, '1 hour, 0 minutes'],
    [10 * 86_400 + 7_199, '10 days, 1 hour'],
  ];
  for (const [durationSeconds, text] of rows) {
    test(`${durationSeconds} s is ${text}`, () => {
      assert.equal(durationText(seconds(durationSeconds)), text);
    });
  }
});

test('a round duration says nothing of what there is none of', () => {
  assert.equal(roundDuration(seconds(1740)), '29 minutes');
  assert.equal(roundDuration(seconds(3600)), '1 hour');
  assert.equal(roundDuration(seconds(3900)), '1 hour, 5 minutes');
  assert.equal(roundDuration(seconds(10 * 86_400)), '10 days');
  assert.equal(roundDuration(seconds(0)), '0 seconds');
});
