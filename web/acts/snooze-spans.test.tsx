import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spansAt } from './snooze-spans.ts';

test('from 08:00 on, until 08:00 is the same as until tomorrow, and is not offered', () => {
  assert.deepEqual(spansAt('07:59'), ['hour', 'four_hours', 'morning', 'tomorrow']);
  assert.deepEqual(spansAt('08:00'), ['hour', 'four_hours', 'tomorrow']);
  assert.deepEqual(spansAt('23:59'), spansAt('08:00'));
});
