import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectKind } from './detect.ts';

const rows: [string, 'cron' | 'oncalendar'][] = [
  ['* * * * *', 'cron'],
  ['  0 0\t1 1   * \n', 'cron'],
  ['a b c d e', 'cron'],
  ['daily', 'oncalendar'],
  ['Mon *-*-* 10:00 UTC', 'oncalendar'],
  ['0 0 * * * *', 'oncalendar'],
  ['@daily', 'oncalendar'],
  ['0 0 *\n* *', 'oncalendar'],
  ['', 'oncalendar'],
];
for (const [expression, kind] of rows) {
  test(`${JSON.stringify(expression)} is ${kind}`, () => assert.equal(detectKind(expression), kind));
}
