import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck } from './check.test-support.ts';
import { namesZone, scheduleWords, scheduleZone } from './schedule-words.ts';

test('a period is told as often as it comes', () => {
  assert.equal(scheduleWords(aCheck({ timeoutSeconds: 60 })), 'Every minute');
  assert.equal(scheduleWords(aCheck({ timeoutSeconds: 300 })), 'Every 5 minutes');
  assert.equal(scheduleWords(aCheck({ timeoutSeconds: 90_000 })), 'Every 1 day 1 hour');
});

test('an expression is told by its meaning', () => {
  assert.equal(scheduleWords(aCheck({ kind: 'cron', schedule: '0 3 * * *' })), 'Every day at 03:00');
  assert.equal(scheduleWords(aCheck({ kind: 'oncalendar', schedule: 'daily' })), 'Every day at 00:00');
});

test('an expression that cannot be read stands for itself', () => {
  assert.equal(scheduleWords(aCheck({ kind: 'cron', schedule: 'nonsense' })), 'nonsense');
});

test('a zone belongs to expressions alone', () => {
  assert.equal(scheduleZone(aCheck({ tz: 'Europe/Berlin' })), null);
  assert.equal(scheduleZone(aCheck({ kind: 'cron', tz: 'Europe/Berlin' })), 'Europe/Berlin');
});

test('lines of OnCalendar that name a zone are not in the zone of the check', () => {
  const zones = (schedule: string) => {
    const check = aCheck({ kind: 'oncalendar', schedule, tz: 'Europe/Berlin' });
    return [scheduleZone(check), namesZone(check)];
  };

  assert.deepEqual(zones('03:00'), ['Europe/Berlin', false]);
  assert.deepEqual(zones('03:00 Europe/Riga'), [null, true]);
  assert.deepEqual(zones('03:00\nSat 10:00 UTC'), ['Europe/Berlin', true]);
});
