import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedSettings } from './changed-settings.ts';
import type { Settings } from './settings.ts';

// The other settings are compared alike.
const before = {
  name: 'Backup',
  kind: 'simple',
  timeout: 3_600,
  schedule: '* * * * *',
  tz: 'UTC',
  grace: 600,
  channels: ['a'],
} as unknown as Settings;

const changedBy = (after: Partial<Settings>) => changedSettings(before, { ...before, ...after });

test('only what a person has changed is saved over the changes of somebody else', () => {
  assert.deepEqual(changedBy({ name: 'Mine', channels: ['a', 'b'] }), { name: 'Mine', channels: ['a', 'b'] });
  assert.deepEqual(changedBy({ channels: ['a'] }), {});
});

test('a schedule is saved with its kind, which the other one may have changed', () => {
  assert.deepEqual(changedBy({ timeout: 60 }), { timeout: 60, kind: 'simple' });
  assert.deepEqual(changedBy({ kind: 'cron' }), { kind: 'cron', schedule: '* * * * *' });
  assert.deepEqual(changedBy({ kind: 'cron', tz: 'Europe/Riga' }), {
    kind: 'cron',
    schedule: '* * * * *',
    tz: 'Europe/Riga',
  });
});
