import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER_STYLE, cityOf, instantOf, scheduleBeside, timeIn } from '../../web/ui/times.ts';

function read(field: string, tz: string): string | null {
  const at = instantOf(field, { ...BROWSER_STYLE, tz });
  return at === null ? null : new Date(at).toISOString();
}

test('a date field is read in the zone that the page shows, whatever the zone of the browser', () => {
  assert.equal(read('2026-11-09T05:14', 'Europe/Berlin'), '2026-11-09T04:14:00.000Z');
  assert.equal(read('2026-11-09T05:14', 'UTC'), '2026-11-09T05:14:00.000Z');
  assert.equal(read('2026-07-01T23:59:59', 'America/New_York'), '2026-07-02T03:59:59.000Z');
  assert.equal(read('2026-07-01T00:00', 'Asia/Kathmandu'), '2026-06-30T18:15:00.000Z');
});

test('a time that comes twice is the first, and one that is left out comes an hour later', () => {
  assert.equal(read('2026-10-25T02:30', 'Europe/Berlin'), '2026-10-25T00:30:00.000Z');
  assert.equal(read('2026-10-25T03:30', 'Europe/Berlin'), '2026-10-25T02:30:00.000Z');
  assert.equal(read('2026-03-29T02:30', 'Europe/Berlin'), '2026-03-29T01:30:00.000Z');
  assert.equal(read('2026-03-29T01:30', 'Europe/Berlin'), '2026-03-29T00:30:00.000Z');
});

test('an empty field, and one that is half filled in, is no time', () => {
  assert.deepEqual(
    [read('', 'UTC'), read('T23:59:59', 'UTC'), read('2026-13-01T00:00', 'UTC')],
    [null, null, null],
  );
});

test('a schedule in another zone than the times beside it is named with its zone', () => {
  const read = (tz: string | null, own: string) =>
    scheduleBeside('every day at 03:00', tz, { ...BROWSER_STYLE, tz: own });

  assert.equal(read('Europe/Berlin', 'America/New_York'), 'every day at 03:00, Berlin');
  assert.equal(read('UTC', 'Europe/Berlin'), 'every day at 03:00, UTC');
  assert.equal(read('Europe/Berlin', 'Europe/Berlin'), 'every day at 03:00');
  assert.equal(read(null, 'Europe/Berlin'), 'every day at 03:00');
});

test('a zone is called by its city, unless that would say the opposite', () => {
  assert.deepEqual(['America/New_York', 'UTC', 'Etc/GMT+5'].map(cityOf), ['New York', 'UTC', 'Etc/GMT+5']);
});

test('a time in another zone names the zone, and the day if it is another one there', () => {
  const at = Date.parse('2026-11-17T03:30:00Z');
  const own = { ...BROWSER_STYLE, tz: 'Europe/Berlin' };
  assert.equal(timeIn('UTC', at, own), '03:30, UTC');
  assert.equal(timeIn('America/New_York', at, own), 'Mon 22:30, New York');
});
