import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromTemporal, toIsoSeconds } from '../../lib/instant.ts';
import { inZone } from '../../lib/zone.ts';
import { periodStarts } from '../people/report.ts';
import { STATUS_DAYS } from '../public/status-page.ts';
import { flipsListedFrom, flipsStoredFrom } from './flip.ts';

for (const [now, from] of [
  ['2024-03-02T00:00:00Z', '2023-11-30'],
  ['2024-03-31T23:59:59Z', '2023-11-30'],
  ['2024-04-01T12:00:00Z', '2023-11-30'],
  ['2024-04-02T00:00:00Z', '2023-12-31'],
  ['2024-01-15T00:00:00Z', '2023-09-30'],
  ['2024-02-02T00:00:00Z', '2023-10-31'],
] as const) {
  test(`at ${now} flips are stored from ${from} on`, () => {
    assert.equal(
      toIsoSeconds(flipsStoredFrom(fromTemporal(Temporal.Instant.from(now)))),
      `${from}T00:00:00+00:00`,
    );
  });
}

for (const [now, from] of [
  ['2024-03-02T00:00:00Z', '2023-12-31'],
  ['2024-03-31T23:59:59Z', '2023-12-31'],
  ['2024-04-01T12:00:00Z', '2023-12-31'],
  ['2024-04-02T00:00:00Z', '2024-01-31'],
] as const) {
  test(`at ${now} flips are listed from ${from} on`, () => {
    assert.equal(
      toIsoSeconds(flipsListedFrom(fromTemporal(Temporal.Instant.from(now)))),
      `${from}T00:00:00+00:00`,
    );
  });
}

test('the current month and the two before it are listed wherever one reads the calendar', () => {
  const start = Temporal.Instant.from('2023-12-20T00:00:00Z');
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'Europe/Riga', 'UTC']) {
    for (let hours = 0; hours < 24 * 120; hours += 7) {
      const now = fromTemporal(start.add({ hours }));
      const promised = Math.min(...periodStarts('monthly', zone, now, 2));
      assert.ok(flipsListedFrom(now) <= promised, inZone(now, zone).toString());
    }
  }
});

test('the days of a status page are kept in every month and zone', () => {
  const start = Temporal.Instant.from('2023-01-01T00:00:00Z');
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC']) {
    for (let hours = 0; hours < 24 * 800; hours += 13) {
      const now = fromTemporal(start.add({ hours }));
      const first = Math.min(...periodStarts('daily', zone, now, STATUS_DAYS - 1));
      assert.ok(flipsStoredFrom(now) <= first, inZone(now, zone).toString());
    }
  }
});
