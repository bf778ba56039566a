import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { explainForeignCron } from './hints.ts';
import { ScheduleError, validateSchedule } from './schedule.ts';

suite('other dialects of cron are refused with the form to write instead', () => {
  const rows: [string, string][] = [
    ['@daily', 'Aliases such as "@daily" are not accepted: write "0 0 * * *".'],
    ['@Weekly', 'Aliases such as "@Weekly" are not accepted: write "0 0 * * 0".'],
    ['@reboot', 'Aliases such as "@reboot" are not accepted: write the times in five fields.'],
    ['0 30 3 * * *', 'A cron expression has five fields, not 6: without the seconds it is "30 3 * * *".'],
    ['0 0 12 ? * MON', 'A cron expression has five fields, not 6: without the seconds it is "0 12 * * MON".'],
    [
      '*/10 * * * * *',
      'A cron expression has five fields, not 6: for seconds use OnCalendar, as in "*:*:0/10".',
    ],
    ['0 0 1 1 * 2030', 'A cron expression has five fields, not 6: leave out "2030".'],
    ['0 0 * * * root', 'A cron expression has five fields, not 6: leave out "root".'],
    ['* * * *', 'A cron expression has five fields, not 4: minute, hour, day of month, month, day of week.'],
    [
      '0 0 0 1 1 ? 2030',
      'A cron expression has five fields, not 7: minute, hour, day of month, month, day of week.',
    ],
    ['CRON_TZ=UTC 0 0 * * *', 'The time zone of a cron expression is given beside it, not inside.'],
    ['0 0 *\n* *', 'A cron expression stands on one line.'],
  ];
  for (const [expression, reason] of rows) {
    test(JSON.stringify(expression), () => {
      assert.throws(
        () => validateSchedule(expression),
        new ScheduleError(reason, expression.includes('TZ=') ? 'timezone' : null),
      );
    });
  }

  test('what they propose is accepted', () => {
    for (const proposal of ['0 0 * * *', '0 0 * * 0', '30 3 * * *', '0 12 * * MON', '*:*:0/10']) {
      validateSchedule(proposal);
    }
  });
});

test('a slip in an OnCalendar expression keeps its own reason', () => {
  for (const expression of [
    '*:*/15',
    'Mon *-*-* 25:00 UTC',
    'foo',
    '10:00\n11:00\n12:00\n13:00\n14:00\n25:00',
  ]) {
    assert.equal(explainForeignCron(expression), null, expression);
  }
});
