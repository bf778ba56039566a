import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockChanges } from './schedule.test-support.ts';
import {
  firstWallOf,
  highWaterMark,
  offsetOf,
  periodAt,
  periodReaching,
  zoneOffsets,
} from './zone-offsets.ts';

function second(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds / 1000;
}

/** A wall time as seconds: the same digits, read as UTC. */
function wall(text: string): number {
  return second(`${text}Z`);
}

function offsetAt(zone: string, at: number): number {
  return offsetOf(zoneOffsets(zone), periodAt(zoneOffsets(zone), at));
}

function markAt(zone: string, text: string, step: number): string {
  const offsets = zoneOffsets(zone);
  const mark = highWaterMark(offsets, second(text), periodAt(offsets, second(text)), step);
  return new Date(mark * 1000).toISOString().slice(0, 19);
}

test('the offset changes in the very second of each clock change', () => {
  for (const { zone, at, seconds } of clockChanges('2010-01-01T00:00Z', '2013-01-01T00:00Z')) {
    const change = at / 1e6;
    assert.equal(offsetAt(zone, change) - offsetAt(zone, change - 1), seconds, `${zone} ${change}`);
  }
});

test('beyond the years that we read, the first and the last offset go on', () => {
  assert.equal(offsetAt('Europe/Riga', second('1500-01-01T00:00Z')), 5794);
  assert.equal(offsetAt('Europe/Riga', second('9999-06-01T00:00Z')), 7200);
  assert.equal(offsetAt('UTC', second('2024-01-01T00:00Z')), 0);
});

test('the mark follows the clock on ordinary days', () => {
  assert.equal(markAt('Europe/Riga', '2024-07-01T09:30:15Z', 1), '2024-07-01T12:30:15');
  assert.equal(markAt('Europe/Riga', '2024-07-01T09:30:15Z', 60), '2024-07-01T12:30:00');
});

test('the mark waits at the end of the first pass while an hour repeats', () => {
  assert.equal(markAt('Europe/Riga', '2024-10-27T00:59:59Z', 1), '2024-10-27T03:59:59');
  assert.equal(markAt('Europe/Riga', '2024-10-27T01:00:00Z', 1), '2024-10-27T03:59:59');
  assert.equal(markAt('Europe/Riga', '2024-10-27T01:59:58Z', 60), '2024-10-27T03:59:00');
  assert.equal(markAt('Europe/Riga', '2024-10-27T02:00:00Z', 1), '2024-10-27T04:00:00');
});

test('the mark waits for seven hours at Vostok, which set its clocks back by as much', () => {
  assert.equal(markAt('Antarctica/Vostok', '1994-02-01T00:00:00Z', 1), '1994-02-01T00:00:00');
  assert.equal(markAt('Antarctica/Vostok', '1994-01-31T20:00:00Z', 1), '1994-01-31T23:59:59');
});

test('the mark does not count seconds that no minute begins in', () => {
  // Monrovia went from -00:44:30 to UTC: after 00:00:00 came 00:44:30, and 00:45:00 was the next full minute.
  assert.equal(markAt('Africa/Monrovia', '1972-01-07T00:44:29Z', 60), '1972-01-06T23:59:00');
  assert.equal(markAt('Africa/Monrovia', '1972-01-07T00:44:59Z', 60), '1972-01-06T23:59:00');
  assert.equal(markAt('Africa/Monrovia', '1972-01-07T00:45:00Z', 60), '1972-01-07T00:45:00');
});

test('a skipped wall time is reached by the period after the gap', () => {
  const riga = zoneOffsets('Europe/Riga');
  const winter = periodAt(riga, second('2024-03-31T00:00Z'));

  assert.equal(periodReaching(riga, wall('2024-03-31T02:59'), winter, 60), winter);
  assert.equal(periodReaching(riga, wall('2024-03-31T03:30'), winter, 60), winter + 1);
  assert.equal(firstWallOf(riga, winter + 1, 60), wall('2024-03-31T04:00'));
});

test('a repeated wall time is reached by the period of its first pass', () => {
  const riga = zoneOffsets('Europe/Riga');
  const summer = periodAt(riga, second('2024-10-26T00:00Z'));

  assert.equal(periodReaching(riga, wall('2024-10-27T03:30'), summer, 60), summer);
  assert.equal(periodReaching(riga, wall('2024-10-27T04:00'), summer, 60), summer + 1);
});
