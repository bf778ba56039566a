import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AHEAD_LABELS, PAST_LABELS, ticksOf } from '../../web/pages/checks/axis-ticks.ts';
import { BROWSER_STYLE } from '../../web/ui/times.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const UTC = { ...BROWSER_STYLE, tz: 'UTC' };
/** The two sides of now on a phone of 390 px, and half of the width of 20:00 there, in pixels. */
const SIDES = [
  { hours: 12, width: 273, labels: PAST_LABELS },
  { hours: 4, width: 117, labels: AHEAD_LABELS },
];
const HALF_LABEL = 15;

test('each hour has a tick, and no label leaves the screen of a phone or stands on the line of now', () => {
  for (let from = Date.UTC(2024, 2, 1); from < Date.UTC(2024, 2, 2); from += MINUTE) {
    for (const { hours, width, labels } of SIDES) {
      const ticks = ticksOf({ from, until: from + hours * HOUR }, UTC, labels);
      assert.equal(ticks.length, hours);
      for (const { left, label } of ticks.filter((tick) => tick.label !== '')) {
        const place = (Number.parseFloat(left) / 100) * width;
        assert.ok(place >= HALF_LABEL && place <= width - HALF_LABEL, `${label} at ${place} of ${width} px`);
      }
    }
  }
});

test('some hours are told, and midnight by its day', () => {
  const now = Date.UTC(2024, 2, 1, 21, 1);
  const labelsOf = (tz: string, isTwelveHours = false) =>
    ticksOf({ from: now - 12 * HOUR, until: now }, { ...UTC, tz, isTwelveHours }, PAST_LABELS)
      .map(({ label }) => label)
      .filter((label) => label !== '');

  assert.deepEqual(labelsOf('UTC'), ['10:00', '12:00', '14:00', '16:00', '18:00', '20:00']);
  assert.deepEqual(labelsOf('Asia/Tokyo').slice(0, 3), ['20:00', '22:00', 'Sat 2 Mar']);
  assert.equal(labelsOf('UTC', true)[0], '12:00 pm');
});
