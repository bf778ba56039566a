import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../instant.ts';
import { relativeTime } from './relative-time.ts';

const NOW = Date.UTC(2024, 2, 10) * 1000;
const HOUR = 3600;
const DAY = 24 * HOUR;

suite('how long ago something was', () => {
  const rows: [agoSeconds: number, text: string][] = [
    [0, 'now'],
    [0.999, 'now'],
    [-5, 'now'],
    [1, 'a second ago'],
    [59, '59 seconds ago'],
    [60, 'a minute ago'],
    [119, 'a minute ago'],
    [600, '10 minutes ago'],
    [HOUR, 'an hour ago'],
    [2 * HOUR, '2 hours ago'],
    [DAY - 1, '23 hours ago'],
    [DAY, '1 day ago'],
    [DAY + 59 * 60, '1 day ago'],
    [DAY + HOUR, '1 day, 1 hour ago'],
    [2 * DAY + 3 * HOUR, '2 days, 3 hours ago'],
    [7 * DAY, '1 week ago'],
    [9 * DAY + 5 * HOUR, '1 week, 2 days ago'],
    [45 * DAY, '1 month, 2 weeks ago'],
    [400 * DAY, '1 year, 1 month ago'],
    [730 * DAY, '2 years ago'],
  ];
  for (const [agoSeconds, text] of rows) {
    test(`${agoSeconds} s ago is "${text}"`, () => {
      const shown = relativeTime(NOW - seconds(agoSeconds), NOW);

      assert.equal(shown, text);
      assert.ok(!shown.includes('\u00a0'));
    });
  }
});
