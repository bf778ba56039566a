import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { crontabTime } from './crontab.ts';

suite('the line of a crontab', () => {
  for (const [seconds, expected] of [
    [60, '* * * * *'],
    [900, '*/15 * * * *'],
    [3600, '0 * * * *'],
    [6 * 3600, '0 */6 * * *'],
    [86_400, '0 0 * * *'],
    [7 * 86_400, '0 0 * * 0'],
    [420, null],
    [5 * 3600, null],
    [90, null],
    [30 * 86_400, null],
  ] as const) {
    test(`for a period of ${seconds} seconds is ${expected}`, () => {
      assert.equal(crontabTime({ kind: 'simple', schedule: '', timeoutSeconds: seconds }), expected);
    });
  }

  test('is the expression of a cron check, and none of another calendar', () => {
    const check = { schedule: '0 3 * * *', timeoutSeconds: 60 };

    assert.equal(crontabTime({ ...check, kind: 'cron' }), '0 3 * * *');
    assert.equal(crontabTime({ ...check, kind: 'oncalendar' }), null);
  });
});
