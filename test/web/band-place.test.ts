import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOn, spansOf } from '../../web/pages/checks/band-place.ts';

const at = (time: string) => Date.parse(`2024-03-01T${time}:00Z`);
const HOUR = 3_600_000;
const NOW = at('21:01');
const PAST = { from: NOW - 12 * HOUR, until: NOW };
const AHEAD = { from: NOW, until: NOW + 4 * HOUR };
const PULSE = { from: '2024-03-01T09:10:00+00:00', step: 600 };

/** The times of day between which a bar is drawn. */
function drawn(axis: typeof PAST, span: typeof PAST): string {
  const place = placeOn(axis, span);
  const time = (percent: number) =>
    new Date(Math.round((axis.from + (percent / 100) * (axis.until - axis.from)) / 60_000) * 60_000)
      .toISOString()
      .slice(11, 16);
  if (place === null) return 'nowhere';
  const left = Number.parseFloat(place.left);
  return `${time(left)} to ${time(left + Number.parseFloat(place.width))}`;
}

test('a bar of past runs covers the ten minutes that it counts, and the last one ends now', () => {
  const bars = spansOf(PULSE, 0, 72).map((span) => drawn(PAST, span));

  assert.deepEqual(bars.slice(-4), ['20:30 to 20:40', '20:40 to 20:50', '20:50 to 21:00', '21:00 to 21:01']);
  assert.equal(bars[0], '09:10 to 09:20');
});

test('a bar of expected runs does, too, and the first one begins now', () => {
  const bars = spansOf(PULSE, 71, 24).map((span) => drawn(AHEAD, span));

  assert.deepEqual(bars.slice(0, 2), ['21:01 to 21:10', '21:10 to 21:20']);
  assert.equal(bars.at(-1), '00:50 to 01:00');
});

test('an outage is cut where the picture begins, and is left out when it was before', () => {
  assert.equal(drawn(PAST, { from: at('07:00'), until: at('10:00') }), '09:01 to 10:00');
  assert.equal(drawn(PAST, { from: at('16:36'), until: at('18:11') }), '16:36 to 18:11');
  assert.equal(drawn(PAST, { from: at('07:00'), until: at('08:00') }), 'nowhere');
});
