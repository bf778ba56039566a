import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck } from './check.test-support.ts';
import { scheduleWords, scheduleZone } from './schedule-words.ts';

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
