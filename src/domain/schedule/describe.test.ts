import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readVectors } from './schedule.test-support.ts';
import { describeSchedule, describeScheduleBriefly, ScheduleError } from './schedule.ts';

const cron: [string, string][] = [
  ['* * * * *', 'Every minute'],
  ['*/5 * * * *', 'Every 5 minutes'],
  ['*/7 * * * *', 'Every hour at 0, 7, 14, 21, 28, 35, 42, 49 and 56 minutes past'],
  ['0 * * * *', 'Every hour on the hour'],
  ['1 * * * *', 'Every hour at 1 minute past'],
  ['7,37 * * * *', 'Every hour at 7 and 37 minutes past'],
  ['0 */2 * * *', 'Every 2 hours on the hour'],
  ['5 */2 * * *', 'Every 2 hours at 5 minutes past'],
  ['0 9-17 * * *', 'Every hour from 09:00 to 17:00'],
  ['*/15 9-17 * * 1-5', 'Every 15 minutes from 09:00 to 17:45, from Monday to Friday'],
  ['*/15 1,5 * * *', 'Every 15 minutes of hours 1 and 5'],
  ['*/15 */6 * * *', 'Every 15 minutes of every 6th hour from midnight'],
  ['0,30 8,10,12,17 * * *', 'At 0 and 30 minutes past hours 8, 10, 12 and 17, every day'],
  ['30 3 * * *', 'At 03:30, every day'],
  ['0 9,12 * * 1,3,5', 'At 09:00 and 12:00, on Monday, Wednesday and Friday'],
  ['0 0 * * 0', 'At 00:00, on Sunday'],
  ['0 0 1,15 * *', 'At 00:00, on the 1st and 15th of every month'],
  ['0 0 2-4,11,12,13,22,23 6 *', 'At 00:00, on the 2nd to 4th, 11th to 13th, 22nd and 23rd of June'],
  ['0 0 29 2 *', 'At 00:00, on the 29th of February'],
  ['0 0 * 6-8 *', 'At 00:00, every day in June to August'],
  ['0 0 13 * 5', 'At 00:00, on the 13th of every month and on Friday'],
  ['0 0 1 1 5', 'At 00:00, on the 1st of January and on Friday in January'],
  ['0 0 */2 * 1,4', 'At 00:00, on every 2nd day from the 1st of every month, when it is Monday or Thursday'],
  ['0 0 1-31 * 1', 'At 00:00, every day'],
  ['15 10 L * *', 'At 10:15, on the last day of every month'],
  ['0 0 15,LW 1 *', 'At 00:00, on the 15th and the last workday (Monday to Friday) of January'],
  ['0 8 * * 5L', 'At 08:00, on the last Friday of the month'],
  ['0 8 * * MON#1,5#2', 'At 08:00, on the 1st Monday of the month and the 2nd Friday of the month'],
];

const onCalendar: [string, string][] = [
  ['daily', 'At 00:00, every day'],
  ['weekly', 'At 00:00, on Monday'],
  ['hourly', 'Every hour on the hour'],
  ['*:0/15', 'Every 15 minutes'],
  ['*:*:*', 'Every second'],
  ['*:*:0/10', 'Every 10 seconds'],
  ['*:0/5:0/10', 'Every 10 seconds of the minute, every 5 minutes'],
  ['*:*:1,2,7', 'Every minute at seconds 1, 2 and 7'],
  ['12:00:30', 'At 12:00:30, every day'],
  ['03:30:0/20', 'At 03:30:00, 03:30:20 and 03:30:40, every day'],
  ['*:30:15', 'Every hour at 30 minutes past, 15 seconds past the minute'],
  ['Mon..Fri 09:00', 'At 09:00, from Monday to Friday'],
  ['Sat,Sun,Mon', 'At 00:00, on Monday, Saturday and Sunday'],
  ['12:34 Europe/Riga', 'At 12:34, every day (Europe/Riga)'],
  ['Mon 2-29', 'At 00:00, on the 29th of February, when it is Monday'],
  ['2030-01-01', 'At 00:00, on the 1st of January 2030'],
  ['2030-*-*', 'At 00:00, every day in 2030'],
  ['2030,2032-6-1', 'At 00:00, on the 1st of June in 2030 and 2032'],
  ['*-02~1', 'At 00:00, on the last day of February'],
  ['*~2', 'At 00:00, on the 2nd day from the end of every month'],
  ['*~2,4', 'At 00:00, on the 2nd and 4th day from the end of every month'],
  ['2030-6~1..3', 'At 00:00, on the last 3 days of June 2030'],
  ['Sun *~7/1', 'At 00:00, on the last 7 days of every month, when it is Sunday'],
  ['12:00\nSat 10:00 UTC', 'At 12:00, every day; At 10:00, on Saturday (UTC)'],
];

suite('in English', () => {
  for (const [expression, description] of [...cron, ...onCalendar]) {
    test(`${JSON.stringify(expression)} is "${description}"`, () => {
      assert.equal(describeSchedule(expression), description);
    });
  }
});

test('every expression of the vectors has a description of words, numbers and signs', () => {
  for (const file of ['cron.jsonl', 'oncalendar.jsonl']) {
    for (const { expr, error } of readVectors<{ expr: string; error?: true }>(file)) {
      if (error) continue;
      const description = describeSchedule(expr);
      assert.match(description, /^(At|Every) [-\w:,;()/+ ]+$/, expr);
      assert.doesNotMatch(description, /undefined|null|NaN| {2}|, ,/, expr);
    }
  }
});

test('an expression that is refused has no description', () => {
  assert.throws(() => describeSchedule('61 * * * *'), ScheduleError);
});

suite('in a list', () => {
  const rows: [expression: string, words: string][] = [
    ['0 3 * * *', 'Every day at 03:00'],
    ['30 7 * * 1-5', 'From Monday to Friday at 07:30'],
    ['0 4 1 * *', 'On the 1st of every month at 04:00'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['*/15 9-17 * * 1-5', 'Every 15 minutes from 09:00 to 17:45, from Monday to Friday'],
    ['12:00\nSat 10:00 UTC', 'Every day at 12:00; On Saturday at 10:00 (UTC)'],
  ];
  for (const [expression, words] of rows) {
    test(`${JSON.stringify(expression)} is "${words}"`, () => {
      assert.equal(describeScheduleBriefly(expression), words);
    });
  }
});
