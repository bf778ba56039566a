import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { at } from '../check/check.test-support.ts';
import { SNOOZES, snoozeEnd } from './snooze.ts';

suite('a snooze', () => {
  const ends = (now: string, tz = 'Europe/Riga') =>
    SNOOZES.map((span) => new Date(snoozeEnd(span, tz, at(now)) / 1000).toISOString().slice(0, 16));

  test('of the night ends in the morning of the same day, or of the day after', () => {
    assert.deepEqual(ends('2026-03-04T01:10Z'), [
      '2026-03-04T02:10',
      '2026-03-04T05:10',
      '2026-03-04T06:00',
      '2026-03-05T06:00',
    ]);
  });

  test('of the evening ends in the next morning', () => {
    assert.deepEqual(ends('2026-03-04T20:00Z').slice(2), ['2026-03-05T06:00', '2026-03-05T06:00']);
    assert.deepEqual(ends('2026-03-04T06:00Z').slice(2), ['2026-03-05T06:00', '2026-03-05T06:00']);
  });

  test('follows the clock change of the zone', () => {
    assert.deepEqual(ends('2026-03-28T21:00Z').slice(2, 3), ['2026-03-29T05:00']);
  });
});
