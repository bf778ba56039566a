import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSchedule, MAX_PASTED } from './pasted.ts';

const found = (text: string) => {
  const one = findSchedule(text);
  return one && [one.kind, one.kind === 'simple' ? one.timeoutSeconds : one.expression, one.source];
};

test('the schedule is taken out of a line of a crontab, with its command', () => {
  assert.deepEqual(findSchedule('30  7 * * MON-FRI  /usr/bin/report --all # daily'), {
    ...{ kind: 'cron', expression: '30 7 * * MON-FRI', timeoutSeconds: null, tz: null, source: 'crontab' },
    command: '/usr/bin/report --all # daily',
  });
  assert.deepEqual(found('@daily /usr/bin/backup'), ['cron', '0 0 * * *', 'alias']);
  assert.deepEqual(found('@hourly'), ['cron', '0 * * * *', 'alias']);
  assert.equal(found('@reboot /usr/bin/x'), null);
});

test('the first job of a crontab counts, in the zone that stands before it', () => {
  const text = '# jobs\nMAILTO=x\nCRON_TZ=Europe/Riga\nnonsense\n0 3 * * * backup\n*/5 * * * * flush\n';
  const { expression, tz, command } = findSchedule(text) ?? {};
  assert.deepEqual([expression, tz, command], ['0 3 * * *', 'Europe/Riga', 'backup']);
});

test('the schedule is taken out of a timer unit', () => {
  assert.deepEqual(found('[Timer]\nOnCalendar=Mon..Fri 09:00\nOnCalendar=Sat 10:00\nPersistent=true'), [
    ...['oncalendar', 'Mon..Fri 09:00\nSat 10:00', 'timer'],
  ]);
  assert.deepEqual(found('OnCalendar=daily\nOnCalendar=\nOnCalendar=hourly'), [
    'oncalendar',
    'hourly',
    'timer',
  ]);
});

test('plain words become a schedule', () => {
  const words: readonly (readonly [string, string | number])[] = [
    ['weekdays at 7:30', '30 7 * * MON-FRI'],
    ['Every day at 3', '0 3 * * *'],
    ['daily at 11:15 pm', '15 23 * * *'],
    ['every weekday at 6:30', '30 6 * * MON-FRI'],
    ['weekends at noon', '0 12 * * SAT,SUN'],
    ['every monday and thursday at 18:00', '0 18 * * MON,THU'],
    ['on fridays at 12am', '0 0 * * FRI'],
    ['1st of the month at 4:00', '0 4 1 * *'],
    ['last day of every month at 23:59', '59 23 L * *'],
    ['every 5 minutes', 300],
    ['every hour', 3_600],
    ['every 2 weeks', 1_209_600],
  ];
  for (const [text, expected] of words) assert.equal(found(text)?.[1], expected, text);
});

test('what is no schedule is none', () => {
  for (const text of [
    '',
    'sometimes',
    'every day at 25:00',
    '32nd of the month at 4:00',
    'at',
    '61 * * * * x',
  ])
    assert.equal(found(text), null, text);
  assert.equal(found(`0 3 * * * ${'x'.repeat(MAX_PASTED)}`), null);
});
